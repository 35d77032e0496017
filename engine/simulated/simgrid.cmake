# The engine on SimGrid's MPI (docs/how-to/simgrid.md). STRESSBENCH_SIMGRID replaces each FOLDER/NAME.cpp of the engine by
# FOLDER/simulated/NAME.cpp if there is one: clock, hosts, and features that a simulation lacks.
option(STRESSBENCH_SIMGRID "build the engine for SimGrid (MPI_CXX_COMPILER=smpicxx)" OFF)

function(choose_simulated list)
  set(sources ${${list}})
  set(stand_ins ${sources})
  list(FILTER stand_ins INCLUDE REGEX "/simulated/")
  if(STRESSBENCH_SIMGRID)
    list(TRANSFORM stand_ins REPLACE "/simulated/" "/")
    list(FILTER sources EXCLUDE REGEX "/suites/b_eff_io/[a-z_0-9]+[.]cpp$")
    # Needs files of the system, and is listed as absent by motifs/storage/simulated.
    list(FILTER sources EXCLUDE REGEX "/(io/(direct|mapping|memory|storage_error|stored_file)|motifs/storage/metadata)[.]cpp$")
  endif()
  list(REMOVE_ITEM sources ${stand_ins})
  set(${list} ${sources} PARENT_SCOPE)
endfunction()

if(STRESSBENCH_SIMGRID)
  get_filename_component(libraries "${MPI_simgrid_LIBRARY}" DIRECTORY)
  find_program(SMPIMAIN smpimain HINTS "${libraries}/simgrid" REQUIRED)
  # SimGrid loads the program once per rank: symbols that C++ makes unique in a process would be shared by all ranks.
  add_compile_options(-fno-gnu-unique -ffunction-sections -fdata-sections)
  link_libraries(MPI::MPI_CXX)
endif()

# A module, since an executable cannot be loaded more than once, and the script that starts it.
function(add_simulated_program)
  add_library(stressbench-mpi MODULE main.cpp)
  set_target_properties(stressbench-mpi PROPERTIES PREFIX "" OUTPUT_NAME stressbench-simgrid)
  target_link_libraries(stressbench-mpi PRIVATE stressbench_engine)
  # One copy for each rank: without what nothing calls, and without names, of which SimGrid looks up only that of `main`.
  target_link_options(stressbench-mpi PRIVATE -Wl,-z,defs -Wl,--strip-all -Wl,--gc-sections
                      -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/simulated/exported.map)
  set_target_properties(stressbench-mpi PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/simulated/exported.map)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/platform/*.cpp)
  add_library(stressbench-platform MODULE ${sources} core/console.cpp core/input_file.cpp core/text_lines.cpp
              core/utf8.cpp)
  set_target_properties(stressbench-platform PROPERTIES PREFIX "")
  target_include_directories(stressbench-platform PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(stressbench-platform PRIVATE fmt::fmt)
  target_link_options(stressbench-platform PRIVATE -Wl,-z,defs)
  configure_file(simulated/stressbench-simgrid.in stressbench-simgrid @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  configure_file(simulated/alone.platform alone.platform COPYONLY)
  configure_file(simulated/alone.hosts alone.hosts COPYONLY)
  install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/stressbench-simgrid DESTINATION bin COMPONENT simgrid)
  install(TARGETS stressbench-mpi stressbench-platform LIBRARY DESTINATION lib/stressbench/simgrid COMPONENT simgrid)
  install(FILES simulated/alone.platform simulated/alone.hosts DESTINATION lib/stressbench/simgrid COMPONENT simgrid)
endfunction()
