// SPDX-License-Identifier: Apache-2.0
// Where an instruction of a straight run finds its operands: known before it runs, but for the row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpfold::isa {

// Lane arrays by number. Each lies in the row, as far from its begin as it does in every row, or is a constant.
class RowOperands {
 public:
  static constexpr unsigned kCount = 12;
  // Of a lane-wise instruction: source k has its words at 2k and 2k + 1, result k behind kResults.
  static constexpr unsigned kResults = 8;

  void set_constant(unsigned operand, const std::uint32_t* lanes) {
    at_[operand] = reinterpret_cast<std::uintptr_t>(lanes);
  }
  void set_in_row(unsigned operand, std::size_t bytes) { at_[operand] = bytes | 1; }
  std::uint32_t* at(unsigned operand, std::uint32_t* row) const {
    const std::uintptr_t in_row = at_[operand] & 1;  // lane arrays are words, so that the lowest bit is free
    return reinterpret_cast<std::uint32_t*>((at_[operand] - in_row) +
                                            (reinterpret_cast<std::uintptr_t>(row) & -in_row));
  }

 private:
  std::array<std::uintptr_t, kCount> at_{};
};

inline constexpr unsigned kRowLanes = 32;  // of a warp whose runs go this way

// A lane-wise operation on all lanes of a row. `select` has all bits of the lanes set that take their results, none of
// the others; null: all do.
using RowCompute = void (*)(const RowOperands& operands, std::uint32_t* row, const std::uint32_t* select);

}  // namespace warpfold::isa
