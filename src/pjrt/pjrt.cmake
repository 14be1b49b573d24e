# libneuronpjrt.so: the plugin. Nothing but GetPjrtApi leaves it, nothing is left open (-z defs), and it brings its own C++
# runtime: the process has others.
add_library(neuronpjrt MODULE ${CMAKE_SOURCE_DIR}/src/pjrt/entry.cpp)
target_link_libraries(neuronpjrt PRIVATE on_pjrt)
target_link_options(neuronpjrt PRIVATE -Wl,-z,defs -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/pjrt/exports.map
                                       -Wl,--exclude-libs,ALL -static-libgcc)
set_target_properties(neuronpjrt PROPERTIES LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/pjrt/exports.map)
