# The wheel's content beside python/openneuron: the PJRT plugin in the package, the programs in the environment's bin.
# scikit-build-core (pyproject.toml) sets SKBUILD_SCRIPTS_DIR.
if(DEFINED SKBUILD_SCRIPTS_DIR)
  get_property(programs DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER programs INCLUDE REGEX "^program_")
  install(TARGETS ${programs} RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  if(TARGET neuronpjrt)
    install(TARGETS neuronpjrt LIBRARY DESTINATION openneuron COMPONENT python)
  endif()
endif()
