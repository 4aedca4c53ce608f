// EXPECT: need a member or a function .?serialize
// SPDX-License-Identifier: BSL-1.0

// Elements that are not trivially copyable, without and with what Boost.Serialization needs.

#include <bmmc.hpp>
#include <map>
#include <string>
#include <vector>
#include <boost/serialization/map.hpp>

class named {
 public:
  std::string name;

 private:
#ifndef BROKEN
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive & name;
  }
#endif
};

void test(MPI_Comm world, std::vector<named>& chunk) {
  bmmc::permute(world, chunk, bmmc::bit_reversal<3>());
}
void others(MPI_Comm world, std::vector<std::map<int, std::string>>& chunk) {
  bmmc::permute(world, chunk, bmmc::bit_reversal<3>());
}
