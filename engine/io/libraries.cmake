# Optional storage libraries HDF5 and PnetCDF. A library is used only if it is linked to the MPI library that the engine is built with.
# Each becomes a module (engine/io/loaded), which the engine loads when its motif is requested. STRESSBENCH_HDF5, STRESSBENCH_PNETCDF:
# AUTO, ON (not found is an error) or OFF.
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

# Packages that contain a library for this MPI: named by the build if it finds none, and by the engine if the motif is requested.
if(flavour)
  set(hdf5_packages "libhdf5-${flavour}-dev (Debian, Ubuntu), hdf5-${flavour}-devel (Fedora, RHEL with EPEL)")
else()
  set(hdf5_packages "a parallel HDF5 made for this MPI")
endif()
string(APPEND hdf5_packages ", hdf5+mpi (Spack) or cray-hdf5-parallel (Cray)")
if(flavour STREQUAL "openmpi")
  set(pnetcdf_packages "libpnetcdf-dev (Debian, Ubuntu), pnetcdf-openmpi4-devel (openSUSE), parallel-netcdf (Spack, also for Fedora and RHEL)")
elseif(flavour STREQUAL "mpich")
  set(pnetcdf_packages "pnetcdf-mpich-devel (openSUSE; Debian's is for Open MPI only), parallel-netcdf (Spack, also for Fedora and RHEL)")
else()
  set(pnetcdf_packages "a PnetCDF made for this MPI, parallel-netcdf (Spack)")
endif()
string(APPEND pnetcdf_packages " or cray-parallel-netcdf (Cray)")

# Whether a program with `library` links, and to a single MPI library. A library built for another MPI links without an error message,
# but fails at run time.
function(uses_this_mpi library source result)
  set(${result} OFF PARENT_SCOPE)
  set(program ${CMAKE_BINARY_DIR}/uses_this_mpi)
  try_compile(links SOURCE_FROM_CONTENT check.cpp "${source}" COMPILE_DEFINITIONS -DOMPI_SKIP_MPICXX
              LINK_LIBRARIES MPI::MPI_CXX ${library} COPY_FILE ${program} COPY_FILE_ERROR unusable)
  if(NOT links OR unusable)
    return()
  endif()
  execute_process(COMMAND ldd ${program} OUTPUT_VARIABLE needed ERROR_QUIET)
  string(REGEX MATCHALL "libmpi(ch|_(cray|gnu|intel|nvidia|aocc)(_[0-9]+)?)?[.]so[.0-9]*" mpis "${needed}")
  list(REMOVE_DUPLICATES mpis)
  list(LENGTH mpis count)
  if(count EQUAL 1)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# use_library(NAME backend source candidate...): the first candidate, a target, that uses this MPI. Adds the backend's row to
# `optional_backends`: name, whether it is built, the library that it is built with, why it is not.
function(use_library name backend source)
  set(option STRESSBENCH_${name})
  set(${option} AUTO CACHE STRING "backend ${backend}: AUTO, ON or OFF")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  set(library "")
  if("${${option}}" STREQUAL "OFF")
    set(missing "left out of this build by ${option}=OFF")
  else()
    set(missing "no parallel library for this MPI was found when StressBench was built; install ${${backend}_packages}, and build again")
    foreach(candidate IN LISTS ARGN)
      if(TARGET ${candidate})
        uses_this_mpi(${candidate} "${source}" fits)
        if(fits)
          set(library ${candidate})
          set(missing "")
          break()
        endif()
      endif()
    endforeach()
  endif()
  if(library)
    add_library(stressbench-${backend} MODULE io/loaded/${backend}.cpp)
    set_target_properties(stressbench-${backend} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${built_backends})
    target_include_directories(stressbench-${backend} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_definitions(stressbench-${backend} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_link_libraries(stressbench-${backend} PRIVATE ${library} MPI::MPI_CXX fmt::fmt)
    install(TARGETS stressbench-${backend} LIBRARY DESTINATION lib/stressbench/backends COMPONENT engine)
    set(modules ${modules} stressbench-${backend} PARENT_SCOPE)
    message(STATUS "Optional storage backend ${backend}: yes, with ${library}")
  elseif(NOT "${${option}}" MATCHES "^(AUTO|OFF)$")
    message(FATAL_ERROR "${option}=${${option}}, but no ${name} was found that stands on the MPI of ${MPI_CXX_COMPILER}. Install "
            "${${backend}_packages}; or let PKG_CONFIG_PATH, CMAKE_PREFIX_PATH or HDF5_ROOT point at one; or set ${option}=AUTO to do "
            "without.")
  else()
    message(STATUS "Optional storage backend ${backend}: no, ${missing}")
  endif()
  string(APPEND optional_backends "{\"${backend}\", \"${missing}\", \"${${backend}_packages}\"},\n")
  set(optional_backends "${optional_backends}" PARENT_SCOPE)
endfunction()

if(PkgConfig_FOUND)
  pkg_check_modules(hdf5_${flavour} QUIET IMPORTED_TARGET hdf5-${flavour})
  pkg_check_modules(pnetcdf QUIET IMPORTED_TARGET pnetcdf)
endif()
if(NOT TARGET PkgConfig::hdf5_${flavour} AND NOT "${STRESSBENCH_HDF5}" STREQUAL "OFF")
  set(HDF5_PREFER_PARALLEL ON)
  find_package(HDF5 QUIET COMPONENTS C)
endif()
# The last candidate is MPI itself: compiler wrappers such as Cray's add the libraries of loaded modules.
set(optional_backends "")
use_library(HDF5 hdf5 "#include <hdf5.h>
#ifndef H5_HAVE_PARALLEL
#error serial
#endif
int main() { return H5Pset_fapl_mpio(H5P_DEFAULT, MPI_COMM_SELF, MPI_INFO_NULL) < 0; }"
            PkgConfig::hdf5_${flavour} hdf5::hdf5 MPI::MPI_CXX)
use_library(PNETCDF pnetcdf "#include <pnetcdf.h>
int main() { return ncmpi_strerror(MPI_Init(nullptr, nullptr)) == nullptr; }"
            PkgConfig::pnetcdf MPI::MPI_CXX)
file(CONFIGURE OUTPUT optional_backends.inc CONTENT "${optional_backends}")
