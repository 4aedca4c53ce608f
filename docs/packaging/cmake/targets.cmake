# SPDX-License-Identifier: BSL-1.0
# The targets of bmmc, from the folder bmmc_include; for an installed copy and for FetchContent alike.
#   bmmc::planning  headers alone: permutations, layouts, plans, local passes
#   bmmc::bmmc      the same and MPI
#   bmmc::boost     the same and Boost.MPI and Boost.Serialization: for elements that are not trivially
#                   copyable, and for element::native. Only where they are found.
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
