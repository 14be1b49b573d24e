set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# A static library compiles without waiting for those that it will be linked with.
set(CMAKE_OPTIMIZE_DEPENDENCIES ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# Assertions stay on in every build: no -DNDEBUG.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# An FMA is written where it is meant: the compiler never makes one of its own.
add_compile_options(-ffp-contract=off -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 to 14 report these on correct std::string, std::optional and std::vector code at -O2.
  add_compile_options(-Wno-restrict -Wno-error=maybe-uninitialized -Wno-error=array-bounds
                      -Wno-error=stringop-overflow -Wno-error=stringop-overread -Wno-error=free-nonheap-object)
endif()

find_program(OPENNEURON_CCACHE ccache)
if(OPENNEURON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${OPENNEURON_CCACHE})
endif()

# mold or lld shorten each link. LLVM's sanitizer runtimes were tried with lld only.
find_program(OPENNEURON_MOLD mold)
find_program(OPENNEURON_LLD ld.lld)
if(OPENNEURON_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(OPENNEURON_LLD)
  add_link_options(-fuse-ld=lld)
endif()

if(OPENNEURON_SELF_CONTAINED)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

if(OPENNEURON_FUZZ)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")  # the build is most of the time; ten seconds of runs are not
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "OPENNEURON_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++ (apt-get install clang)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
  if(NOT OPENNEURON_SANITIZE)
    set(OPENNEURON_SANITIZE "address,undefined")
  endif()
endif()
if(OPENNEURON_SANITIZE)
  add_compile_options(-fsanitize=${OPENNEURON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${OPENNEURON_SANITIZE})
endif()
