// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <bmmc/file/steps.hpp>

#include "array_file.hpp"

namespace example {

struct rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(rgb, rgb) = default;
};
static_assert(sizeof(rgb) == 3, "a picture in memory is what libpng reads and writes");

/// Pixels row by row, the top row first.
struct picture {
  std::size_t width = 0, height = 0;
  std::vector<rgb> pixels{};

  picture() = default;
  picture(std::size_t w, std::size_t h, rgb colour = {})
      : width(w), height(h), pixels(w * h, colour) {}
  [[nodiscard]] rgb& at(std::size_t row, std::size_t column) {
    return pixels[row * width + column];
  }
  [[nodiscard]] rgb const& at(std::size_t row, std::size_t column) const {
    return pixels[row * width + column];
  }
};

/// Most pixels that this program takes, so that MPI's int counts their bytes.
inline constexpr std::uint64_t most_pixels = std::uint64_t{1} << 28;

/// Any PNG: gray, palette and 16-bit pictures become RGB of 8 bits; what is transparent, white.
[[nodiscard]] inline picture read_png(std::string const& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto fail = [&] {
    const std::string text = image.message;
    png_image_free(&image);
    throw std::runtime_error(path + ": " + text);
  };
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) fail();
  image.format = PNG_FORMAT_RGB;
  if (std::uint64_t{image.width} * image.height > most_pixels) {
    png_image_free(&image);
    throw std::runtime_error(path + ": " + std::to_string(image.width) + " x " +
                             std::to_string(image.height) + " pixels are more than 2^28");
  }
  picture p(image.width, image.height);
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&image, &white, p.pixels.data(), 0, nullptr) == 0) fail();
  return p;
}

/// Calls write(name) and puts that file in the place of `path` when it is complete: links stay links,
/// permissions stay, and what is no regular file is refused.
template <class Write>
void write_complete(std::string const& path, Write write) {
  const std::string target = bmmc::file::regular_target(path);
  const auto begun = bmmc::file::begin_target(target);
  std::string const& unfinished = begun.path();
  try {
    write(unfinished);
    bmmc::file::put_in_place(unfinished, target);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
}

inline void write_png(std::string const& path, picture const& p) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.width = static_cast<png_uint_32>(p.width);
  image.height = static_cast<png_uint_32>(p.height);
  image.flags = PNG_IMAGE_FLAG_FAST;
  write_complete(path, [&](std::string const& name) {
    if (png_image_write_to_file(&image, name.c_str(), 0, p.pixels.data(), 0, nullptr) == 0)
      throw std::runtime_error(path + ": " + image.message);
  });
}

/// A .npy array of two axes whose 4-byte elements are red, green, blue and one unused byte.
[[nodiscard]] inline picture read_npy_picture(std::string const& path) {
  const array_format format = inspect(path, 0);
  if (format.fortran_order || format.shape.size() != 2 || format.element_bytes != 4 || format.elements == 0 ||
      format.elements > most_pixels)
    throw std::runtime_error(path + ": " + format.text() +
                             ": a picture has two axes in C order, and 1 to 2^28 elements of 4 bytes");
  picture p(format.shape[1], format.shape[0]);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(format.data_offset));
  std::vector<char> bytes(format.bytes());
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error(path + ": it cannot be read");
  for (std::size_t i = 0; i < p.pixels.size(); ++i) std::memcpy(&p.pixels[i], &bytes[4 * i], 3);
  return p;
}

inline void write_npy_picture(std::string const& path, picture const& p) {
  write_complete(path, [&](std::string const& name) {
    std::ofstream file(name, std::ios::binary);
    file << npy_preamble("<u4", {p.height, p.width});
    for (rgb const& pixel : p.pixels) {
      std::array<char, 4> bytes{};
      std::memcpy(bytes.data(), &pixel, 3);
      file.write(bytes.data(), 4);
    }
    file.close();
    if (!file) throw std::runtime_error(path + ": it cannot be written");
  });
}

/// The part in the middle whose sides are powers of two.
[[nodiscard]] inline picture cropped(picture const& p) {
  picture result(std::bit_floor(p.width), std::bit_floor(p.height));
  const std::size_t left = (p.width - result.width) / 2, top = (p.height - result.height) / 2;
  for (std::size_t row = 0; row < result.height; ++row)
    std::copy_n(&p.at(top + row, left), result.width, &result.at(row, 0));
  return result;
}

/// Scaled down: each pixel is the mean of those that it covers.
[[nodiscard]] inline picture scaled(picture const& p, std::size_t width, std::size_t height) {
  picture result(width, height);
  for (std::size_t row = 0; row < height; ++row)
    for (std::size_t column = 0; column < width; ++column) {
      std::size_t red = 0, green = 0, blue = 0, count = 0;
      for (std::size_t i = row * p.height / height; i < (row + 1) * p.height / height; ++i)
        for (std::size_t j = column * p.width / width; j < (column + 1) * p.width / width; ++j) {
          red += p.at(i, j).red;
          green += p.at(i, j).green;
          blue += p.at(i, j).blue;
          ++count;
        }
      const auto mean = [count](std::size_t sum) {
        return static_cast<std::uint8_t>((sum + count / 2) / count);
      };
      result.at(row, column) = {mean(red), mean(green), mean(blue)};
    }
  return result;
}

}  // namespace example
