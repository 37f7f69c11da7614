// SPDX-License-Identifier: Apache-2.0
// From lines of PTX to those of the source that it was compiled from: .file and .loc (PTX ISA §11.5.2), which compilers
// write when they are asked for line information (-lineinfo).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpfold::ptx {

struct SourceLine {
  std::string_view file;   // as the compiler had it
  std::uint32_t line = 0;  // 0: none is known
};

class SourceLines {
 public:
  SourceLines() = default;
  // What cannot be read is left out: nothing but messages depends on it.
  explicit SourceLines(std::string_view ptx);

  bool empty() const { return places_.empty(); }
  SourceLine at(std::uint32_t ptx_line) const;
  // Of a module whose lines come behind those of this one.
  void append(const SourceLines& other);

 private:
  struct Place {
    std::uint32_t ptx_line, file, line;  // from that line of PTX on
  };
  std::vector<std::string> files_;
  std::vector<Place> places_;
};

}  // namespace warpfold::ptx
