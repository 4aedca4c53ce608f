// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <bmmc/error.hpp>

namespace bmmc::detail::c {

/// A handle that is none: never made, freed, or of another kind.
class bad_handle : public bad_value {
 public:
  using bad_value::bad_value;
};

/// What a handle stands for. A derived class has a `name` for error texts, by whose address kinds
/// are told apart.
class object {
 public:
  explicit object(char const* kind) : kind_(kind) {}
  object(object const&) = delete;
  object& operator=(object const&) = delete;
  virtual ~object() = default;
  [[nodiscard]] char const* kind() const noexcept { return kind_; }

 private:
  char const* kind_;
};

/// All objects that C has handles of. A handle is the number of a place in a list, and above that
/// the number of the object, which is not given twice: a handle that was freed is recognised
/// without looking at what it stood for. Any thread may call at any time.
class registry {
 public:
  /// Never destroyed: what is left at the end of the program may need an MPI that has ended.
  [[nodiscard]] static registry& all() {
    static registry* const only = new registry;
    return *only;
  }

  /// Throws bad_value for over 2^24 objects at a time.
  [[nodiscard]] std::uint64_t add(std::shared_ptr<object> made) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      if (places_.size() == most) throw bad_value("there are 2^24 handles already: free some");
      places_.emplace_back();
      free_.reserve(places_.capacity());  // so that remove() needs no memory
      free_.push_back(places_.size() - 1);
    }
    const std::uint64_t at = free_.back();
    free_.pop_back();
    places_[at] = {++made_ * most + at, std::move(made)};
    return places_[at].id;
  }
  void remove(std::uint64_t id) {
    std::shared_ptr<object> removed;  // ends without the lock: that may be collective
    const std::lock_guard lock(mutex_);
    if (place* const at = find_place(id)) {
      removed = std::move(at->what);
      *at = {};
      free_.push_back(id % most);
    }
  }
  /// Throws bad_handle. What is found stays alive while the caller keeps it.
  template <class T>
  [[nodiscard]] std::shared_ptr<T> find(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    place const* const at = find_place(id);
    if (at == nullptr)
      throw bad_handle(
          id == 0 ? text({"a handle is 0 where ", T::name, " is expected"})
                  : text({"handle ", id, " is not ", T::name, ": it was freed, or never made"}));
    if (at->what->kind() != T::name)
      refuse<bad_handle>({"handle ", id, " is ", at->what->kind(), ", not ", T::name});
    return std::static_pointer_cast<T>(at->what);
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 24;
  struct place {
    std::uint64_t id = 0;
    std::shared_ptr<object> what;
  };
  [[nodiscard]] place* find_place(std::uint64_t id) noexcept {
    const std::uint64_t at = id % most;
    return id != 0 && at < places_.size() && places_[at].id == id ? &places_[at] : nullptr;
  }

  std::mutex mutex_;
  std::vector<place> places_;
  std::vector<std::uint64_t> free_;
  std::uint64_t made_ = 0;
};

template <class T, class Handle>
[[nodiscard]] std::shared_ptr<T> get(Handle handle) {
  return registry::all().find<T>(handle.id);
}

/// Throws bad_value for a null pointer where the function writes or reads.
inline void require_pointer(void const* given, char const* name) {
  if (given == nullptr) refuse({"`", name, "` is a null pointer"});
}

template <class T, class Handle, class... Arguments>
void make(Handle* result, Arguments&&... arguments) {
  require_pointer(result, "result");
  result->id = registry::all().add(std::make_shared<T>(std::forward<Arguments>(arguments)...));
}

/// Frees nothing for 0, as free() does.
template <class T, class Handle>
void free_handle(Handle* handle) {
  require_pointer(handle, "handle");
  if (handle->id == 0) return;
  const auto ends_here = registry::all().find<T>(handle->id);
  registry::all().remove(handle->id);
  handle->id = 0;
}

}  // namespace bmmc::detail::c
