// SPDX-License-Identifier: BSL-1.0
// What most tests that need no MPI include: read once for all of them.

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <bmmc/planning.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/oracle.hpp"
#include "support/throws.hpp"
