// SPDX-License-Identifier: Apache-2.0
// A port of a verilated module: its bits where Verilator keeps them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace warpfold::cosim {

// Storage is 8, 16, 32 or 64 bits, the smallest that holds the port, and an array of 32-bit words, least significant
// first, above 64 bits. Bits above the width stay zero: a value set must fit.
class Pin {
 public:
  Pin() = default;
  Pin(void* data, unsigned bits) : data_(static_cast<unsigned char*>(data)), bits_(bits) {}

  unsigned bits() const { return bits_; }
  unsigned bytes() const {
    return bits_ <= 8 ? 1 : bits_ <= 16 ? 2 : bits_ <= 32 ? 4 : bits_ <= 64 ? 8 : (bits_ + 31) / 32 * 4;
  }
  unsigned char* data() { return data_; }
  const unsigned char* data() const { return data_; }

  // Ports of at most 64 bits.
  std::uint64_t get() const {
    if (bits_ <= 8) return *data_;
    if (bits_ <= 16) return load<std::uint16_t>();
    return bits_ <= 32 ? load<std::uint32_t>() : load<std::uint64_t>();
  }
  void set(std::uint64_t value) {
    if (bits_ <= 8) {
      *data_ = static_cast<unsigned char>(value);
    } else if (bits_ <= 16) {
      store<std::uint16_t>(value);
    } else {
      bits_ <= 32 ? store<std::uint32_t>(value) : store<std::uint64_t>(value);
    }
  }
  explicit operator bool() const { return *data_ != 0; }  // of one bit

  // Bits [lsb, lsb + count) of a port of any width; count <= 64.
  std::uint64_t field(unsigned lsb, unsigned count) const;
  void set_field(unsigned lsb, unsigned count, std::uint64_t value);
  void clear() { std::memset(data_, 0, bytes()); }

  std::string text() const;  // 0x…, without leading zeros

 private:
  template <class Word>
  std::uint64_t load() const {
    Word word;
    std::memcpy(&word, data_, sizeof word);
    return word;
  }
  template <class Word>
  void store(std::uint64_t value) {
    const auto word = static_cast<Word>(value);
    std::memcpy(data_, &word, sizeof word);
  }

  unsigned char* data_ = nullptr;
  unsigned bits_ = 0;
};

}  // namespace warpfold::cosim
