# HDF5 and PnetCDF, each only where it stands on the MPI that the engine is built with: a module for each (engine/storage/loaded), which the
# engine loads when it is asked for. STRESSBENCH_HDF5, STRESSBENCH_PNETCDF: AUTO, ON (not found is an error) or OFF.
find_package(PkgConfig QUIET)
include(CheckCXXSymbolExists)

set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
set(CMAKE_REQUIRED_DEFINITIONS -DOMPI_SKIP_MPICXX)
check_cxx_symbol_exists(OPEN_MPI mpi.h STRESSBENCH_IS_OPEN_MPI)
check_cxx_symbol_exists(MPICH_VERSION mpi.h STRESSBENCH_IS_MPICH)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_DEFINITIONS)
if(STRESSBENCH_IS_OPEN_MPI)
  set(flavour openmpi)
elseif(STRESSBENCH_IS_MPICH)
  set(flavour mpich)
else()
  set(flavour "")
endif()

# Whether a program with `library` links and holds one MPI: libraries of another MPI's link without a word, and fail when they run.
function(stands_on_this_mpi library source result)
  set(${result} OFF PARENT_SCOPE)
  set(program ${CMAKE_BINARY_DIR}/stands_on_this_mpi)
  try_compile(links SOURCE_FROM_CONTENT check.cpp "${source}" COMPILE_DEFINITIONS -DOMPI_SKIP_MPICXX
              LINK_LIBRARIES MPI::MPI_CXX ${library} COPY_FILE ${program} COPY_FILE_ERROR unusable)
  if(NOT links OR unusable)
    return()
  endif()
  execute_process(COMMAND ldd ${program} OUTPUT_VARIABLE needed ERROR_QUIET)
  string(REGEX MATCHALL "libmpi(ch)?[.]so[.0-9]*" mpis "${needed}")
  list(REMOVE_DUPLICATES mpis)
  list(LENGTH mpis count)
  if(count EQUAL 1)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# use_library(NAME backend source candidate...): the first candidate, a target, that stands on this MPI.
function(use_library name backend source)
  set(option STRESSBENCH_${name})
  set(${option} AUTO CACHE STRING "backend ${backend}: AUTO, ON or OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if(NOT "${${option}}" STREQUAL "OFF")
    foreach(library IN LISTS ARGN)
      if(TARGET ${library})
        stands_on_this_mpi(${library} "${source}" fits)
        if(fits)
          add_library(stressbench-${backend} MODULE storage/loaded/${backend}.cpp)
          set_target_properties(stressbench-${backend} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${built_backends})
          target_include_directories(stressbench-${backend} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
          target_compile_definitions(stressbench-${backend} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
          target_link_libraries(stressbench-${backend} PRIVATE ${library} MPI::MPI_CXX fmt::fmt)
          install(TARGETS stressbench-${backend} LIBRARY DESTINATION lib/stressbench/backends COMPONENT engine)
          set(modules ${modules} stressbench-${backend} PARENT_SCOPE)
          message(STATUS "Storage backend ${backend}: with ${library}")
          return()
        endif()
      endif()
    endforeach()
    if(NOT "${${option}}" STREQUAL "AUTO")
      message(FATAL_ERROR "${option}=${${option}}, but no ${name} was found that stands on the MPI of ${MPI_CXX_COMPILER}. Install one (on "
              "Debian for HDF5: libhdf5-openmpi-dev or libhdf5-mpich-dev; for PnetCDF with Open MPI: libpnetcdf-dev), let PKG_CONFIG_PATH "
              "or HDF5_ROOT point at one, or set ${option}=AUTO to do without.")
    endif()
    message(STATUS "Storage backend ${backend}: left out, no ${name} that stands on this MPI was found")
  endif()
endfunction()

if(PkgConfig_FOUND)
  pkg_check_modules(hdf5_${flavour} QUIET IMPORTED_TARGET hdf5-${flavour})
  pkg_check_modules(pnetcdf QUIET IMPORTED_TARGET pnetcdf)
endif()
if(NOT TARGET PkgConfig::hdf5_${flavour} AND NOT "${STRESSBENCH_HDF5}" STREQUAL "OFF")
  set(HDF5_PREFER_PARALLEL ON)
  find_package(HDF5 QUIET COMPONENTS C)
endif()
use_library(HDF5 hdf5 "#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error serial
#endif
int main() { return H5Pset_fapl_mpio(H5P_DEFAULT, MPI_COMM_SELF, MPI_INFO_NULL) < 0; }"
            PkgConfig::hdf5_${flavour} hdf5::hdf5)
use_library(PNETCDF pnetcdf "#include <pnetcdf.h>
int main() { return ncmpi_strerror(MPI_Init(nullptr, nullptr)) == nullptr; }"
            PkgConfig::pnetcdf)
