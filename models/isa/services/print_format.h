// SPDX-License-Identifier: Apache-2.0
// What a device printf() prints: its format with the arguments from the buffer that vprintf() is called with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpfold::isa {

// The memory of the thread that prints.
class PrintArguments {
 public:
  virtual ~PrintArguments() = default;
  // `bytes` (4 or 8) bytes at an offset in the buffer of arguments.
  virtual std::uint64_t value(std::uint64_t offset, unsigned bytes) = 0;
  // What lies at an address up to its zero byte, of which at most `most` characters are wanted.
  virtual std::string text(std::uint64_t address, std::size_t most) = 0;
};

struct Printed {
  std::string text;
  int arguments = 0;        // that the format asked for: printf()'s result. -2: the host cannot print it
  std::uint64_t bytes = 0;  // that the call's record takes in the FIFO
};

// CUDA's conversions: % flags width .precision size type, with flags "-+ #0", width and precision as digits or *, sizes
// hh, h, l, ll (and L, j, z, t, which are 64 bits), types d i u o x X f F e E g G a A c s p. Anything else is printed as
// it stands, and so is what goes beyond CUDA's 32 arguments. An argument lies at the next multiple of its size: 4 bytes
// for integers without l and for characters, 8 for all others.
Printed format_print(const std::string& format, PrintArguments& arguments);

}  // namespace warpfold::isa
