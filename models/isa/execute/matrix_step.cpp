// SPDX-License-Identifier: Apache-2.0
#include "warpfold/isa/execute/matrix_step.h"

#include <cmath>

#include "warpfold/isa/execute/ops/float_types.h"
#include "warpfold/isa/execute/ops/narrow/half.h"

namespace warpfold::isa {
namespace {

constexpr unsigned kColumns = 8;

u32 word(u64 bits) { return static_cast<u32>(bits); }

double float_element(MatrixType type, u64 bits, unsigned index) {
  switch (type) {
    case MatrixType::kF16:
      return Half(word(bits) >> 16 * index).value();
    case MatrixType::kBf16:
      return Bfloat(word(bits) >> 16 * index).value();
    case MatrixType::kTf32:  // the hardware does not look at the rest
      return from_bits<float>(word(bits) & ~u32{0x1fff});
    default:
      return from_bits<double>(bits);
  }
}

s64 integer_element(MatrixType type, u64 bits, unsigned index) {
  const u32 byte = word(bits) >> 8 * index & 0xff;
  return type == MatrixType::kS8 ? s64{static_cast<s8>(byte)} : s64{byte};
}

// The place of an element of C or D: lane, register, half of it.
struct Place {
  unsigned lane, reg, half;
};
Place place_of(MatrixType type, unsigned row, unsigned column) {
  const unsigned lane = row % 8 * 4 + column / 2;
  if (type == MatrixType::kF16) return {lane, row / 8, column % 2};
  return {lane, row / 8 * 2 + column % 2, 0};
}

double float_sum(const MatrixTile& tile, MatrixType type, unsigned row, unsigned column) {
  const Place at = place_of(type, row, column);
  const u64 bits = tile.c[at.reg][at.lane];
  if (type == MatrixType::kF16) return Half(word(bits) >> 16 * at.half).value();
  return type == MatrixType::kF64 ? from_bits<double>(bits) : double{from_bits<float>(word(bits))};
}

void put(MatrixTile& tile, MatrixType type, unsigned row, unsigned column, double value) {
  const Place at = place_of(type, row, column);
  u64& bits = tile.d[at.reg][at.lane];
  if (type == MatrixType::kF16) {
    bits |= u64{static_cast<u32>(round_to_half(value, Round::kNearest))} << 16 * at.half;
  } else if (type == MatrixType::kF64) {
    bits = bits_of(deliver<false, false>(value));
  } else {
    bits = bits_of(deliver<false, false>(static_cast<float>(value)));
  }
}

// Calls visit(registers and lanes of A and B, element) for each product of an element of D, in order.
template <class Visit>
void for_each_product(const MatrixStep& step, unsigned row, unsigned column, Visit visit) {
  const unsigned elements = elements_of(step.a);
  for (unsigned k = 0; k < 4 * elements; ++k)
    visit(row % 8 * 4 + k / elements, column * 4 + k / elements, k % elements);
}

double float_result(const MatrixStep& step, const MatrixTile& tile, unsigned row, unsigned column) {
  double sum = float_sum(tile, step.c, row, column);
  for_each_product(step, row, column, [&](unsigned a, unsigned b, unsigned k) {
    const double x = float_element(step.a, tile.a[row / 8][a], k), y = float_element(step.b, tile.b[b], k);
    sum = step.a == MatrixType::kF64 ? std::fma(x, y, sum) : sum + x * y;
  });
  return sum;
}

u32 integer_result(const MatrixStep& step, const MatrixTile& tile, unsigned row, unsigned column) {
  const Place at = place_of(MatrixType::kS32, row, column);
  s64 sum = static_cast<s32>(word(tile.c[at.reg][at.lane]));
  for_each_product(step, row, column, [&](unsigned a, unsigned b, unsigned k) {
    sum += integer_element(step.a, tile.a[row / 8][a], k) * integer_element(step.b, tile.b[b], k);
  });
  return static_cast<u32>(step.saturates ? saturate<s32>(sum) : static_cast<s32>(sum));
}

}  // namespace

std::int64_t MatrixStep::pack() const {
  return static_cast<std::int64_t>(a) | static_cast<std::int64_t>(b) << 8 | static_cast<std::int64_t>(c) << 16 |
         static_cast<std::int64_t>(d) << 24 | std::int64_t{two_rows} << 32 | std::int64_t{saturates} << 33;
}

MatrixStep MatrixStep::unpack(std::int64_t bits) {
  const auto type = [bits](unsigned at) { return static_cast<MatrixType>(bits >> at & 0xff); };
  return {type(0), type(8), type(16), type(24), (bits >> 32 & 1) != 0, (bits >> 33 & 1) != 0};
}

unsigned elements_of(MatrixType type) {
  switch (type) {
    case MatrixType::kF16:
    case MatrixType::kBf16:
      return 2;
    case MatrixType::kS8:
    case MatrixType::kU8:
      return 4;
    default:
      return 1;
  }
}

void multiply(const MatrixStep& step, MatrixTile& tile) {
  for (unsigned row = 0; row < (step.two_rows ? 16U : 8U); ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      if (step.d == MatrixType::kS32) {
        const Place at = place_of(step.d, row, column);
        tile.d[at.reg][at.lane] = integer_result(step, tile, row, column);
      } else {
        put(tile, step.d, row, column, float_result(step, tile, row, column));
      }
    }
  }
}

}  // namespace warpfold::isa
