// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>

#include <cstddef>
#include <cstring>
#include <streambuf>
#include <vector>

namespace bmmc::element {

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
      archive_ << element;
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
      archive_ >> element;
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
