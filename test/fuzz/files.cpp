// SPDX-License-Identifier: BSL-1.0
// What the example programs read: .npy headers and pictures, PNGs, matrices, circuits, names of
// permutations and layouts, and the options of permute_file. Whatever is in it, it is read for what
// it says or refused with a sentence; what was read is written, and read again.

#include <png.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <bmmc/index/print.hpp>
#include <bmmc/local/tuning/shape_text.hpp>

#include "../../docs/examples/qubits/qasm.hpp"
#include "../../docs/examples/support/names.hpp"
#include "../../docs/examples/support/permute_options.hpp"
#include "../../docs/examples/support/picture_file.hpp"
#include "input.hpp"

namespace {

using fuzz::input;
using fuzz::require;

/// A file in memory, as what is read by its name.
class file {
 public:
  explicit file(std::string const& text) : number_(memfd_create("fuzz", 0)) {
    require(number_ >= 0 &&
                ::write(number_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
            "there is memory for a file");
  }
  file(file const&) = delete;
  file& operator=(file const&) = delete;
  ~file() { ::close(number_); }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

/// An exception that says nothing helps nobody.
template <class Read>
void refused_or_read(Read read) {
  try {
    read();
  } catch (std::runtime_error const& e) {
    require(*e.what() != '\0', "a refusal has a sentence");
  } catch (bmmc::bad_value const& e) {
    require(*e.what() != '\0', "a refusal has a sentence");
  }
}

/// What this program has written it does not refuse.
template <class Read>
auto read_again(Read read) {
  try {
    return read();
  } catch (std::exception const& e) {
    require(false, e.what());
    throw;
  }
}

void try_npy(std::string const& text) {
  std::istringstream stream(text);
  const auto header = example::read_npy_header(stream);
  require(header.data_offset <= text.size(), "a header ends before its file does");
  static_cast<void>(example::dtype_bytes(header.dtype));
  if (header.shape.size() > 1000) return;  // a header of version 1 has no room for more
  std::istringstream again(example::npy_preamble(header.dtype, header.shape));
  const auto copy = read_again([&] { return example::read_npy_header(again); });
  require(copy.dtype == header.dtype && copy.shape == header.shape && !copy.fortran_order,
          "what is written is what was read");
}

void try_picture(std::string const& text) {
  const file kept(text);
  const auto format = example::inspect(kept.path(), 0);
  require(format.element_bytes != 0 &&
              format.elements <= (text.size() - format.data_offset) / format.element_bytes,
          "a file holds the elements that are said to be in it");
  const auto p = example::read_npy_picture(kept.path());
  require(p.pixels.size() == p.width * p.height, "a picture has its pixels");
  const auto part = example::cropped(p);
  require(part.pixels.size() == part.width * part.height, "a part has its pixels");
}

/// The sum of each chunk is made right: the fuzzer does not find it.
void try_png(std::string text) {
  const auto word = [&](std::size_t at) {
    std::uint32_t w = 0;
    for (std::size_t k = 0; k < 4; ++k) w = w << 8 | static_cast<unsigned char>(text[at + k]);
    return w;
  };
  for (std::size_t at = 8; at + 12 <= text.size();) {
    const std::size_t length = word(at), end = at + 8 + length;
    if (length > text.size() || end + 4 > text.size()) break;
    std::uint32_t sum = ~std::uint32_t{0};
    for (std::size_t i = at + 4; i < end; ++i) {
      sum ^= static_cast<unsigned char>(text[i]);
      for (int b = 0; b < 8; ++b) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xedb88320U : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) text[end + k] = static_cast<char>(~sum >> (24 - 8 * k));
    at = end + 4;
  }
  // large pictures take time and memory, and nothing else
  if (text.size() < 24 || word(16) > 4096 || word(20) > 256) return;
  const file kept(text);
  const auto p = example::read_png(kept.path());
  require(p.width > 0 && p.height > 0 && p.pixels.size() == p.width * p.height,
          "a picture has its pixels");
  const auto part = example::cropped(p);
  const auto less = example::scaled(p, part.width, part.height);
  require(std::has_single_bit(part.width) && std::has_single_bit(part.height) &&
              less.pixels.size() == part.pixels.size(),
          "a part has powers of two for sides");
}

void try_matrix(std::string const& text) {
  const file kept(text);
  const auto p = example::read_permutation(kept.path());
  const file printed(to_string(p));
  require(read_again([&] { return example::read_permutation(printed.path()); }) == p,
          "what is printed is what was read");
}

void try_circuit(std::string const& text) {
  const auto program = qasm::read(text);
  require(program.qubits <= qasm::most_qubits, "there are not too many qubits");
  for (auto const& op : program.operations) {
    const unsigned used =
        op.kind == qasm::gate::ccx || op.kind == qasm::gate::cswap ? 3
        : op.kind == qasm::gate::cx || op.kind == qasm::gate::swap || op.kind == qasm::gate::cphase
            ? 2
            : 1;
    for (unsigned k = 0; k < used; ++k) {
      require(op.qubit[k] < program.qubits, "a gate is on qubits that there are");
      for (unsigned l = 0; l < k; ++l) require(op.qubit[k] != op.qubit[l], "on different ones");
    }
    for (const double angle : op.angle) require(std::isfinite(angle), "angles are numbers");
  }
}

/// Options of permute_file, one a line.
void try_options(std::string const& text) {
  std::vector<std::string> words{"permute_file"};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    words.push_back(line.substr(0, line.find('\0')));
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  const auto s = example::parse(static_cast<int>(arguments.size()), arguments.data());
  require(s.help || (!s.source.empty() && s.repeat >= 1 && s.disks >= 1 && s.element_bytes >= 0),
          "options that are taken make sense");
}

void try_names(input& in) {
  const unsigned n = in.below(64), p = in.below(n + 1), kind = in.below(4);
  const std::string text = in.text();
  if (kind == 0) {
    std::vector<std::uint64_t> shape{std::uint64_t{1} << n / 2, std::uint64_t{1} << (n - n / 2)};
    const auto named = example::named_permutation(text, n, shape);
    const bool has_own_extents = text.starts_with("axes") || text.starts_with("transpose");
    require(named.bits() == n || has_own_extents, "a named permutation has n bits");
    require(is_identity(compose(named, inverse(named))), "and an inverse");
  } else if (kind == 1) {
    if (text.find("affine:") != std::string::npos) return;  // it would open a file
    const auto layout = example::named_layout(text, n, p);
    require(layout.physical(n, p).bits() == n, "a named layout has as many bits as it should");
  } else if (kind == 2) {
    require(example::parse_bytes("--memory", text) != 0, "a number of bytes is none without any");
  } else {
    const auto shape = bmmc::local::parse_shape(text);
    require(bmmc::local::parse_shape(to_text(shape)) == shape, "a shape is read as it was written");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  input in(data, size);
  const unsigned kind = in.below(7);
  refused_or_read([&] {
    switch (kind) {
      case 0:
        return try_npy(in.text());
      case 1:
        return try_picture(in.text());
      case 2:
        return try_png(in.text());
      case 3:
        return try_matrix(in.text());
      case 4:
        return try_circuit(in.text());
      case 5:
        return try_options(in.text());
      default:
        return try_names(in);
    }
  });
  return 0;
}
