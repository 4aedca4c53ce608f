// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/serialization/access.hpp>
#include <stdexcept>
#include <string>

/// An element whose text tells whether it can be written.
struct fragile {
  std::string text;
  friend bool operator==(fragile const&, fragile const&) = default;

 private:
  friend class boost::serialization::access;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    if (text == "broken") throw std::runtime_error("this one is broken");
    archive& text;
  }
};
