// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

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

/// All objects that C has handles of. Numbers are not given twice, so a handle that was freed is
/// recognised without looking at what it stood for. Any thread may call at any time.
class registry {
 public:
  /// Never destroyed: what is left at the end of the program may need an MPI that has ended.
  [[nodiscard]] static registry& all() {
    static registry* const only = new registry;
    return *only;
  }

  [[nodiscard]] std::uint64_t add(std::shared_ptr<object> made) {
    const std::lock_guard lock(mutex_);
    objects_.emplace(last_ + 1, std::move(made));
    return ++last_;
  }
  void remove(std::uint64_t id) {
    std::shared_ptr<object> removed;  // ends without the lock: that may be collective
    const std::lock_guard lock(mutex_);
    if (const auto at = objects_.find(id); at != objects_.end()) {
      removed = std::move(at->second);
      objects_.erase(at);
    }
  }
  /// Throws bad_handle. What is found stays alive while the caller keeps it.
  template <class T>
  [[nodiscard]] std::shared_ptr<T> find(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto at = objects_.find(id);
    if (at == objects_.end())
      throw bad_handle(
          id == 0 ? text({"a handle is 0 where ", T::name, " is expected"})
                  : text({"handle ", id, " is not ", T::name, ": it was freed, or never made"}));
    if (at->second->kind() != T::name)
      throw bad_handle(text({"handle ", id, " is ", at->second->kind(), ", not ", T::name}));
    return std::static_pointer_cast<T>(at->second);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<object>> objects_;
  std::uint64_t last_ = 0;
};

template <class T, class Handle>
[[nodiscard]] std::shared_ptr<T> get(Handle handle) {
  return registry::all().find<T>(handle.id);
}

/// Throws bad_value for a null pointer where the function writes or reads.
inline void require_pointer(void const* given, char const* name) {
  if (given == nullptr) throw bad_value(text({"`", name, "` is a null pointer"}));
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
