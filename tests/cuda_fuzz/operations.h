// SPDX-License-Identifier: Apache-2.0
// What generated expressions are made of: operations of CUDA C++ whose result is defined to the last bit.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace warpfold::cuda_fuzz {

enum class Type : std::uint8_t { kS8, kU8, kS16, kU16, kS32, kU32, kS64, kU64, kF32, kF64 };
inline constexpr std::size_t kTypes = 10;

const char* name_of(Type type);  // as kernels.h has it: "u32"
unsigned bytes_of(Type type);
inline bool is_float(Type type) { return type >= Type::kF32; }

struct Operation {
  Type result;
  std::vector<Type> operands;
  std::string text;  // $a, $b, $c, $d stand for the operands
};

// Those that yield the type.
const std::vector<Operation>& operations_of(Type type);

}  // namespace warpfold::cuda_fuzz
