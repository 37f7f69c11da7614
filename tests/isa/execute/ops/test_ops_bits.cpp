// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields, permutations, moves: against PTX's pseudo-code, one bit (or byte) at a time.
#include <bitset>
#include <map>

#include "tests/isa/op_harness.h"
#include "warpfold/isa/address_space.h"

namespace warpfold::isa {
namespace ops_bits_test {

using Bits = std::bitset<64>;

bool bit(std::uint64_t pattern, std::uint64_t at) { return Bits(pattern).test(at); }

std::uint64_t width_of(const Opcode& opcode) {
  return opcode.types.empty() ? 1 : opcode.types[0].bits;
}  // .pred: one bit

// Calls bit_at(i) for each bit of the result.
std::uint64_t assemble(std::uint64_t width, const std::function<bool(std::uint64_t)>& bit_at) {
  Bits d;
  for (std::uint64_t i = 0; i < width; ++i) d[i] = bit_at(i);
  return d.to_ullong();
}

void expect_bits(std::initializer_list<const char*> names, std::size_t opcodes,
                 const std::function<std::uint64_t(const Opcode&, const Operands&)>& reference) {
  const auto found = opcodes_named(names);
  EXPECT_EQ(found.size(), opcodes);
  for (const Opcode& opcode : found) {
    expect_exact(opcode, [&](const Operands& operands) { return reference(opcode, operands); });
  }
}

TEST(BitOps, Logic) {
  expect_bits({"and", "or", "xor", "not"}, 16, [](const Opcode& opcode, const Operands& operands) {
    const Bits a(operands[0]), b(operands[1]);
    return assemble(width_of(opcode), [&](std::uint64_t i) {
      const int ones = a[i] + b[i];
      return opcode.name == "and"   ? ones == 2
             : opcode.name == "or"  ? ones > 0
             : opcode.name == "xor" ? ones == 1
                                    : !a[i];
    });
  });
  expect_bits({"cnot"}, 3, [](const Opcode&, const Operands& operands) { return Bits(operands[0]).none() ? 1U : 0U; });
}

TEST(BitOps, ShiftsClampTheAmount) {
  expect_bits({"shl"}, 3, [](const Opcode& opcode, const Operands& operands) {
    const Bits a(operands[0]);
    return assemble(width_of(opcode), [&](std::uint64_t i) { return i >= operands[1] && a[i - operands[1]]; });
  });
  expect_bits({"shr"}, 9, [](const Opcode& opcode, const Operands& operands) {
    const Bits a(operands[0]);
    const std::uint64_t width = width_of(opcode);
    const bool fill = opcode.types[0].kind == 's' && a[width - 1];
    return assemble(width, [&](std::uint64_t i) { return i + operands[1] < width ? a[i + operands[1]] : fill; });
  });
}

TEST(BitOps, FunnelShifts) {
  expect_bits({"shf"}, 4, [](const Opcode& opcode, const Operands& operands) {
    const Bits ba(operands[1] << 32 | operands[0]);
    const std::uint64_t by = opcode.has("wrap") ? operands[2] % 32 : std::min<std::uint64_t>(operands[2], 32);
    return assemble(32, [&](std::uint64_t i) { return opcode.has("l") ? ba[32 + i - by] : ba[i + by]; });
  });
}

TEST(BitOps, FieldsAreExtractedAndInserted) {
  expect_bits({"bfe"}, 4, [](const Opcode& opcode, const Operands& operands) {
    const Bits a(operands[0]);
    const std::uint64_t width = width_of(opcode), position = operands[1] % 256, length = operands[2] % 256;
    const bool sign = opcode.types[0].kind == 's' && length != 0 && a[std::min(position + length - 1, width - 1)];
    return assemble(width,
                    [&](std::uint64_t i) { return i < length && position + i < width ? a[position + i] : sign; });
  });
  expect_bits({"bfi"}, 2, [](const Opcode& opcode, const Operands& operands) {
    const Bits a(operands[0]), b(operands[1]);
    const std::uint64_t position = operands[2] % 256, length = operands[3] % 256;
    return assemble(width_of(opcode),
                    [&](std::uint64_t i) { return i >= position && i < position + length ? a[i - position] : b[i]; });
  });
}

TEST(BitOps, CountsAndPositions) {
  expect_bits({"bfind"}, 8, [](const Opcode& opcode, const Operands& operands) -> std::uint64_t {
    const int width = static_cast<int>(width_of(opcode));
    const std::uint64_t pattern = opcode.types[0].kind == 's' && bit(operands[0], static_cast<std::uint64_t>(width - 1))
                                      ? ~operands[0]
                                      : operands[0];
    for (int i = width - 1; i >= 0; --i) {
      if (bit(pattern, static_cast<std::uint64_t>(i)))
        return static_cast<std::uint64_t>(opcode.has("shiftamt") ? width - 1 - i : i);
    }
    return 0xffffffff;
  });
  expect_bits({"brev"}, 2, [](const Opcode& opcode, const Operands& operands) {
    const std::uint64_t width = width_of(opcode);
    return assemble(width, [&](std::uint64_t i) { return bit(operands[0], width - 1 - i); });
  });
  expect_bits({"popc"}, 2, [](const Opcode&, const Operands& operands) { return Bits(operands[0]).count(); });
  expect_bits({"clz"}, 2, [](const Opcode& opcode, const Operands& operands) {
    std::uint64_t zeros = 0;
    while (zeros < width_of(opcode) && !bit(operands[0], width_of(opcode) - 1 - zeros)) ++zeros;
    return zeros;
  });
}

TEST(BitOps, ThreeInputLogic) {
  expect_bits({"lop3"}, 1, [](const Opcode&, const Operands& operands) {
    return assemble(32, [&](std::uint64_t i) {
      const std::uint64_t entry = 4 * bit(operands[0], i) + 2 * bit(operands[1], i) + bit(operands[2], i);
      return bit(operands[3], entry);
    });
  });
}

TEST(BitOps, FindNthSet) {
  expect_bits({"fns"}, 1, [](const Opcode&, const Operands& operands) -> std::uint64_t {
    const Bits mask(operands[0]);
    const auto offset = static_cast<std::int32_t>(operands[2]);
    if (operands[1] > 31) return 0xffffffff;
    if (offset == 0) return mask[operands[1]] ? operands[1] : 0xffffffff;
    std::int64_t wanted = std::abs(std::int64_t{offset});
    for (auto at = static_cast<std::int64_t>(operands[1]); at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
      if (mask[static_cast<std::size_t>(at)] && --wanted == 0) return static_cast<std::uint64_t>(at);
    }
    return 0xffffffff;
  });
}

// PTX ISA §9.7.8, prmt: the table of byte numbers of each mode, most significant byte of the result first.
TEST(BitOps, BytePermutations) {
  const std::map<std::string, std::array<const char*, 4>> modes{
      {"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
      {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
      {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
  expect_bits({"prmt"}, 7, [&](const Opcode& opcode, const Operands& operands) {
    const std::uint64_t ba = operands[1] << 32 | operands[0];
    std::uint64_t d = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const auto mode = modes.find(opcode.modifiers.back());
      const std::uint64_t selector = operands[2] >> 4 * k & 15;
      const std::uint64_t index =
          mode == modes.end() ? selector % 8 : static_cast<std::uint64_t>(mode->second[operands[2] % 4][3 - k] - '0');
      std::uint64_t byte = ba >> 8 * index & 255;
      if (mode == modes.end() && selector > 7) byte = byte > 127 ? 255 : 0;
      d += byte << 8 * k;
    }
    return d;
  });
}

TEST(BitOps, MovesAndSelections) {
  expect_bits({"mov"}, 3 * 3 + 2 + 1, [](const Opcode&, const Operands& operands) { return operands[0]; });
  expect_bits({"selp"}, 3 * 3 + 2,
              [](const Opcode&, const Operands& operands) { return operands[2] == 1 ? operands[0] : operands[1]; });
  expect_bits({"slct"}, 3 * 11, [](const Opcode& opcode, const Operands& operands) {
    const std::uint64_t magnitude = operands[2] & 0x7fffffff;
    const bool negative = operands[2] >> 31 != 0;
    if (opcode.types[1].kind == 's') return negative ? operands[1] : operands[0];
    const bool zero = magnitude == 0 || (opcode.has("ftz") && magnitude < 0x800000);
    return magnitude <= 0x7f800000 && (zero || !negative) ? operands[0] : operands[1];
  });
}

TEST(BitOps, Packing) {
  expect_bits({"pack"}, 5, [](const Opcode& opcode, const Operands& operands) {
    std::uint64_t d = 0;
    for (unsigned k = 0; k < 64 / opcode.types[1].bits && k < 4; ++k) d |= operands[k] << k * opcode.types[1].bits;
    return low_bits(d, opcode.types[0].bits);
  });
  for (const Opcode& opcode : opcodes_named({"unpack"})) {
    const unsigned bits = opcode.types[1].bits;
    const auto sets = operand_sets(opcode.info());
    const auto results = run_batch(opcode.info(), sets);
    for (std::size_t n = 0; n < sets.size(); ++n) {
      EXPECT_EQ(results[n][0], low_bits(sets[n][0], bits));
      EXPECT_EQ(results[n][1], low_bits(sets[n][0] >> bits, bits));
    }
  }
}

TEST(BitOps, AddressWindows) {
  const std::map<std::string, Address> windows{{"global", 0},
                                               {"param", kParamWindow},
                                               {"shared", kSharedWindow},
                                               {"local", kLocalWindow},
                                               {"const", kConstWindow}};
  const auto space_of = [](const std::string& space) {  // shared::cta, shared::cluster, param::entry
    return space.substr(0, space.find(':'));
  };
  expect_bits({"cvta"}, 32, [&](const Opcode& opcode, const Operands& operands) {
    const Address window = windows.at(space_of(*(opcode.modifiers.end() - 2)));
    const Address at = opcode.has("to") ? operands[0] - window : operands[0] + window;
    return opcode.has("u32") ? static_cast<std::uint32_t>(at) : at;
  });
  expect_bits({"isspacep"}, 8, [&](const Opcode& opcode, const Operands& operands) -> std::uint64_t {
    const Address at = operands[0];
    std::string space = "global";
    for (const auto& [name, window] : windows) {
      const Address end = name == "param" ? kSharedWindow : window + kWindowBytes;
      if (window != 0 && at >= window && at < end) space = name;
    }
    return space == space_of(opcode.modifiers.back());
  });
  for (const Address at : {kParamWindow - 1, kParamWindow, kSharedWindow - 1, kSharedWindow, kLocalWindow - 1,
                           kLocalWindow, kConstWindow + 5, kConstWindow + kWindowBytes, Address{7}}) {
    unsigned spaces = 0;
    for (const Opcode& opcode : opcodes_named({"isspacep"})) {
      if (opcode.modifiers.back().find(':') != std::string::npos) continue;
      spaces += static_cast<unsigned>(run_batch(opcode.info(), std::vector{Operands{at}})[0][0]);
    }
    EXPECT_EQ(spaces, 1U) << std::hex << at;
  }
}

}  // namespace ops_bits_test
}  // namespace warpfold::isa
