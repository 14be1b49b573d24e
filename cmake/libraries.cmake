# src/<folder>/**.cpp -> static library on_<folder>, linked to the folders of its line in src/layers.txt.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/layers.txt)
file(STRINGS ${CMAKE_SOURCE_DIR}/src/layers.txt layer_lines REGEX "^[a-z]+:")
set(OPENNEURON_FOLDERS)
foreach(line IN LISTS layer_lines)
  string(REGEX REPLACE "^([a-z]+):.*" "\\1" folder "${line}")
  string(REGEX REPLACE "^[a-z]+: *" "" below "${line}")
  separate_arguments(below)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/(main_[a-z_]+|entry)\\.cpp$")
  if(NOT sources)
    continue()
  endif()
  add_library(on_${folder} STATIC ${sources})
  target_include_directories(on_${folder} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  foreach(other IN LISTS below)
    if(TARGET on_${other})
      target_link_libraries(on_${folder} PUBLIC on_${other})
    endif()
  endforeach()
  on_third_party(${folder} outside)
  target_link_libraries(on_${folder} PUBLIC ${outside})
  # What else a folder needs stands in src/<folder>/<folder>.cmake.
  include(${CMAKE_SOURCE_DIR}/src/${folder}/${folder}.cmake OPTIONAL)
  list(APPEND OPENNEURON_FOLDERS ${folder})
endforeach()

# Kernels for one instruction set: one file each, its flags for that file only. On other processors the file
# compiles to nothing (its body stands inside #if defined(__AVX2__) and so on).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma)
  set(flags_avx2 -mavx2 -mfma -mf16c)
  set(flags_avx512 ${avx512} -mf16c)
  set(flags_avx512_bf16 ${avx512} -mf16c -mavx512bf16)
  set(flags_amx ${avx512} -mf16c -mamx-tile -mamx-bf16)
  foreach(set avx2 avx512 avx512_bf16 amx)
    file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*_${set}.cpp)
    set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS "${flags_${set}}")
  endforeach()
endif()

# Headers that cost seconds stand in one .cpp, where optimisation buys nothing.
file(GLOB slow_sources ${CMAKE_SOURCE_DIR}/src/tools/command_line*.cpp)
set_source_files_properties(${slow_sources} PROPERTIES COMPILE_OPTIONS "-O1")
if(TARGET on_base)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/base/version.cpp PROPERTIES
    COMPILE_DEFINITIONS "OPENNEURON_VERSION=\"${PROJECT_VERSION}\"")
endif()

# Text files that the programs carry: <out> is an .inc of {"stem", "content"} rows under the build's generated/.
function(on_embed target out pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/generated/${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${CMAKE_BINARY_DIR}/generated/${out} "-DPATTERN=${pattern}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake VERBATIM)
  target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated/${out})
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()

if(TARGET on_report)
  on_embed(on_report report/page_pieces.inc ${CMAKE_SOURCE_DIR}/src/report/page/*)
endif()
if(TARGET on_tools)
  on_embed(on_tools tools/error_pages.inc ${CMAKE_SOURCE_DIR}/docs/errors/[NO]*.md)
endif()
