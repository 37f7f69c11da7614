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
    std::uint64_t value = 0;
    std::memcpy(&value, data_, bytes());
    return value;
  }
  void set(std::uint64_t value) { std::memcpy(data_, &value, bytes()); }
  explicit operator bool() const { return *data_ != 0; }  // of one bit

  // Bits [lsb, lsb + count) of a port of any width; count <= 64.
  std::uint64_t field(unsigned lsb, unsigned count) const;
  void set_field(unsigned lsb, unsigned count, std::uint64_t value);
  void clear() { std::memset(data_, 0, bytes()); }

  std::string text() const;  // 0x…, without leading zeros

 private:
  unsigned char* data_ = nullptr;
  unsigned bits_ = 0;
};

}  // namespace warpfold::cosim
