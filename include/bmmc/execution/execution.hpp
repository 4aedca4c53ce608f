// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace bmmc::detail {

/// A plan ready to be carried out, by whatever way: called by all processes alike.
template <class T>
class execution {
 public:
  execution() = default;
  execution(execution const&) = delete;
  execution& operator=(execution const&) = delete;
  virtual ~execution() = default;

  virtual void in_place(T* chunk) = 0;
  /// The target does not overlap the source, which stays as it is.
  virtual void move(T const* source, T* target) = 0;
};

}  // namespace bmmc::detail
