# bench/kernels/<name>.cpp -> build/bin/bench_<name>, built by `make bench` only; it links the folders that its file includes.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/kernels/*.cpp)
add_custom_target(benches)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
  on_link_included(bench_${name} ${source})
  add_dependencies(benches bench_${name})
endforeach()
