// SPDX-License-Identifier: BSL-1.0
// What most tests of several processes include: read once for all of them.

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <bmmc.hpp>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"
