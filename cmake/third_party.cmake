# Third-party libraries, all Debian packages. A folder links only what it wraps; the heavy headers are each
# confined to one .cpp (scripts/check_layers.py).
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(tomlplusplus QUIET)
find_package(doctest REQUIRED)

# The libraries of one folder of src/.
function(on_third_party folder out)
  set(found Threads::Threads)
  if(folder STREQUAL "base")
    list(APPEND found OpenSSL::Crypto)
  elseif(folder STREQUAL "image" OR folder STREQUAL "tools")
    list(APPEND found ZLIB::ZLIB fmt::fmt)
  else()
    list(APPEND found fmt::fmt)
  endif()
  if(folder STREQUAL "machine" AND TARGET tomlplusplus::tomlplusplus)
    list(APPEND found tomlplusplus::tomlplusplus)
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
