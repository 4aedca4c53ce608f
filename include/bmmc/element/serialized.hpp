// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/level.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <cstddef>
#include <cstring>
#include <streambuf>
#include <type_traits>
#include <vector>

namespace bmmc::element {

namespace detail {

/// As general as Boost's own `serialize`, which calls a member: for an element that has no function
/// of its own the two are ambiguous.
template <class Archive, class T>
void serialize(Archive&, T&, unsigned);
template <class T>
concept SerializedByFunction =
    requires(boost::archive::binary_oarchive& archive, T& element,
             boost::serialization::version_type version) { serialize(archive, element, version); };

/// A member of this name, private ones too, makes the name ambiguous in `both`.
struct named_serialize {
  int serialize = 0;
};
template <class T>
struct both : T, named_serialize {};
template <class T>
concept WithoutMemberSerialize = requires { &both<T>::serialize; };

template <class T>
constexpr bool is_serializable() {
  if constexpr (!std::is_class_v<T> || std::is_final_v<T> ||
                boost::serialization::implementation_level<T>::value <
                    boost::serialization::object_serializable)
    return true;  // as far as one can see
  else
    return SerializedByFunction<T> || !WithoutMemberSerialize<T>;
}

}  // namespace detail

/// Elements travel as Boost.Serialization writes them: std::string, std::vector, and any class
/// with a serialize function. The default for types that are not trivially copyable.
class serialized {
 public:
  /// Writes elements one after the other behind what a growing array of bytes holds.
  class writer : std::streambuf {
   public:
    explicit writer(std::vector<char>& target) : target_(target), archive_(*this, flags) {}
    template <class T>
    void operator()(T const& element) {
      if constexpr (detail::is_serializable<T>())
        archive_ << element;
      else
        static_assert(
            detail::is_serializable<T>(),
            "elements that are not trivially copyable need a member or a function "
            "`serialize` of Boost.Serialization, or its header for a class of the library");
    }

   private:
    int_type overflow(int_type c) override {
      target_.push_back(traits_type::to_char_type(c));
      return c;
    }
    std::streamsize xsputn(char const* data, std::streamsize count) override {
      target_.insert(target_.end(), data, data + count);
      return count;
    }
    std::vector<char>& target_;
    boost::archive::binary_oarchive archive_;
  };

  /// Reads the elements that a writer has written.
  class reader : std::streambuf {
   public:
    reader(char* data, std::size_t count) : archive_(filled(data, count), flags) {}
    template <class T>
    void operator()(T& element) {
      if constexpr (detail::is_serializable<T>()) archive_ >> element;
    }

   private:
    std::streambuf& filled(char* data, std::size_t count) {
      setg(data, data, data + count);
      return *this;
    }
    boost::archive::binary_iarchive archive_;
  };

 private:
  static constexpr unsigned flags = boost::archive::no_header | boost::archive::no_codecvt;
};

}  // namespace bmmc::element
