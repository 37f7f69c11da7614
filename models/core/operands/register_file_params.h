// SPDX-License-Identifier: Apache-2.0
// What a register file is made of besides its number of banks (CoreParams::register_banks).
#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "warpfold/common/config/params.h"

namespace warpfold {

// scheduler: each one's SIMD units have a file of their own, where what that scheduler issues finds its operands. core:
// all schedulers share one.
enum class RegisterFilePer : std::uint8_t { kScheduler, kCore };
template <>
struct Choices<RegisterFilePer> {
  static constexpr std::array names{"scheduler", "core"};
};

// Where register w of row r lies. word_and_row: bank (w + r) mod banks, so that warps which are at the same instruction
// read different banks (GPGPU-Sim's operand collectors, with the warp for the row). word: bank w mod banks.
enum class BankMapping : std::uint8_t { kWordAndRow, kWord };
template <>
struct Choices<BankMapping> {
  static constexpr std::array names{"word_and_row", "word"};
};

// What an access of a bank addresses. lane: each lane has an address of its own, so that threads of different rows can
// share a warp (TBC §7). bank: all lanes read the same register of the same row, and a warp of mixed rows takes an
// access for each row.
enum class BankDecoder : std::uint8_t { kLane, kBank };
template <>
struct Choices<BankDecoder> {
  static constexpr std::array names{"lane", "bank"};
};

// own: results never wait, nor do reads for them. shared: a bank reads or writes.
enum class WritePort : std::uint8_t { kOwn, kShared };
template <>
struct Choices<WritePort> {
  static constexpr std::array names{"own", "shared"};
};

struct RegisterFileParams {
  RegisterFilePer per = RegisterFilePer::kScheduler;
  BankMapping mapping = BankMapping::kWordAndRow;
  BankDecoder decoder = BankDecoder::kLane;
  WritePort write_port = WritePort::kOwn;
  unsigned accesses_per_cycle = 1;
  unsigned collectors = 0;

  static constexpr auto fields() {
    using P = RegisterFileParams;
    return std::tuple{
        choice("per", &P::per, "who shares a file and its banks"),
        choice("mapping", &P::mapping, "which bank of its lane holds a register: (word + row) or word, modulo banks"),
        choice(
            "decoder", &P::decoder,
            "lane: an address for each lane of a bank (TBC §7); bank: one for all, an access for each row of a warp"),
        choice("write_port", &P::write_port, "shared: results take accesses of a bank as operands do"),
        field("accesses_per_cycle", "accesses", &P::accesses_per_cycle, 1, 16,
              "of a bank and lane; 2 and more: it is pumped (Intra-warp §4.3)"),
        field("collectors", "instructions", &P::collectors, 0, 64,
              "of a scheduler that read operands or wait for their unit; what would be one more does not issue; 0: no "
              "limit")};
  }
};

}  // namespace warpfold
