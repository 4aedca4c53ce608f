# SPDX-License-Identifier: BSL-1.0
# The targets of bmmc, from the folder bmmc_include; for an installed copy and for FetchContent alike.
#   bmmc::planning  headers alone: permutations, layouts, plans, local passes
#   bmmc::bmmc      the same and MPI
#   bmmc::boost     the same and Boost.MPI and Boost.Serialization: for elements that are not trivially
#                   copyable, and for element::native. Only where they are found.
#   bmmc::c         the library for C and Fortran, where it was installed (Meson's -Dc=true); from the
#                   sources it is compiled when something links it
if(TARGET bmmc::planning)
  return()
endif()
add_library(bmmc::planning INTERFACE IMPORTED GLOBAL)
target_include_directories(bmmc::planning INTERFACE "${bmmc_include}")
target_compile_features(bmmc::planning INTERFACE cxx_std_20)

find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  add_library(bmmc::bmmc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(bmmc::bmmc INTERFACE bmmc::planning MPI::MPI_CXX)
  find_package(Boost QUIET COMPONENTS mpi serialization)
  if(TARGET Boost::mpi AND TARGET Boost::serialization)
    add_library(bmmc::boost INTERFACE IMPORTED GLOBAL)
    target_link_libraries(bmmc::boost INTERFACE bmmc::bmmc Boost::mpi Boost::serialization)
  endif()
endif()

find_package(MPI QUIET COMPONENTS C)
if(MPI_C_FOUND)
  get_filename_component(bmmc_sources "${bmmc_include}/bmmc/c" ABSOLUTE)
  if(DEFINED bmmc_prefix)
    find_library(bmmc_c_library bmmc_c HINTS "${bmmc_include}/.." PATH_SUFFIXES
                 lib "lib/${CMAKE_LIBRARY_ARCHITECTURE}" lib64 NO_DEFAULT_PATH)
    if(bmmc_c_library)
      add_library(bmmc::c SHARED IMPORTED GLOBAL)
      set_target_properties(bmmc::c PROPERTIES IMPORTED_LOCATION "${bmmc_c_library}"
                            INTERFACE_INCLUDE_DIRECTORIES "${bmmc_include}")
      target_link_libraries(bmmc::c INTERFACE MPI::MPI_C)
    endif()
  elseif(TARGET bmmc::bmmc)
    add_library(bmmc_c SHARED EXCLUDE_FROM_ALL "${bmmc_sources}/bmmc.cpp")
    set_target_properties(bmmc_c PROPERTIES CXX_VISIBILITY_PRESET hidden)
    target_link_libraries(bmmc_c PRIVATE bmmc::bmmc PUBLIC MPI::MPI_C)
    target_include_directories(bmmc_c PUBLIC "${bmmc_include}")
    add_library(bmmc::c ALIAS bmmc_c)
  endif()
endif()
