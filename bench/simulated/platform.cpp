// SPDX-License-Identifier: BSL-1.0

// A machine of machines.hpp for SimGrid's smpirun, which loads this as -platform:
// BMMC_MACHINE=fat-tree BMMC_LG_PROCS=6 smpirun -platform ./platform.so ..

#include <cstdlib>

#include "machines.hpp"

extern "C" void load_platform(simgrid::s4u::Engine const& engine);
extern "C" void load_platform(simgrid::s4u::Engine const& /*engine*/) {
  char const* const name = std::getenv("BMMC_MACHINE");
  char const* const lg_procs = std::getenv("BMMC_LG_PROCS");
  if (name == nullptr || lg_procs == nullptr)
    throw std::invalid_argument("platform: BMMC_MACHINE and BMMC_LG_PROCS say which machine");
  machines::make(machines::read(name), static_cast<unsigned>(std::strtoul(lg_procs, nullptr, 10)));
}
