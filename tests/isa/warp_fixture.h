// SPDX-License-Identifier: Apache-2.0
// Builds small kernels of micro-ops by hand and runs them on a few rows of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/execute/ops/op_table.h"

namespace warpfold::isa {

// The opcode's OpInfo, from its text: "add.rn.f32".
inline std::optional<OpInfo> find_opcode(const std::string& opcode) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= opcode.size();) {
    const std::size_t dot = std::min(opcode.find('.', at), opcode.size());
    parts.push_back(opcode.substr(at, dot - at));
    at = dot + 1;
  }
  return find_op(parts[0], std::span<const std::string>(parts).subspan(1));
}

// Kernel 'k' of file k.ptx with 16 registers, 4 predicates and every special; one instruction per line from line 41 on.
class WarpFixture {
 public:
  static constexpr Word kPredicate = 16;
  static constexpr Word kTid = 20, kLane = 21;

  explicit WarpFixture(Dim3 block = {32, 1, 1}, unsigned rows = 2, unsigned lanes = 32) : lanes_(lanes), rows_(rows) {
    kernel.name = std::string("k");
    kernel.file = std::string("k.ptx");
    kernel.registers = 16;
    kernel.predicates = 4;
    kernel.specials = {Special::kTidX, Special::kLaneid};
    launch.kernel = &kernel;
    launch.grid = {4, 1, 1};
    launch.block = block;
    launch.warp_size = lanes;
    launch.const_bank = &bank;
  }

  // A micro-op of kind `kind`, spelt `text` in messages.
  MicroOp& op(Kind kind, const std::string& text) {
    MicroOp& added = kernel.ops.emplace_back();
    added.kind = kind;
    added.line = static_cast<std::uint32_t>(40 + kernel.ops.size());
    added.text = static_cast<std::uint32_t>(kernel.opcodes.size());
    kernel.opcodes.push_back(text);
    return added;
  }

  // A lane-wise instruction: results, then sources.
  MicroOp& compute(const std::string& opcode, std::vector<Word> d, std::vector<Word> s) {
    const OpInfo info = find_opcode(opcode).value();
    MicroOp& added = op(Kind::kCompute, opcode);
    added.compute = info.compute;
    added.row_compute = info.row_compute;
    added.d_count = static_cast<std::uint8_t>(d.size());
    added.s_count = static_cast<std::uint8_t>(s.size());
    for (std::size_t k = 0; k < d.size(); ++k) {
      added.d[k] = d[k];
      if (info.d[k].bits == 64) added.d_wide |= static_cast<std::uint8_t>(1 << k);
    }
    for (std::size_t k = 0; k < s.size(); ++k) {
      added.s[k] = s[k];
      if (info.s[k].bits == 64) added.s_wide |= static_cast<std::uint8_t>(1 << k);
    }
    return added;
  }

  MicroOp& load(const std::string& text, Space space, unsigned bytes, std::vector<Word> d, Word base) {
    MicroOp& added = op(Kind::kLoad, text);
    added.space = space;
    added.element_bytes = static_cast<std::uint8_t>(bytes);
    added.base = base;
    added.d_count = static_cast<std::uint8_t>(d.size());
    std::copy(d.begin(), d.end(), added.d.begin());
    if (bytes == 8) added.d_wide = 0xf;
    return added;
  }
  MicroOp& store(const std::string& text, Space space, unsigned bytes, std::vector<Word> s, Word base) {
    MicroOp& added = op(Kind::kStore, text);
    added.space = space;
    added.element_bytes = static_cast<std::uint8_t>(bytes);
    added.base = base;
    added.s_count = static_cast<std::uint8_t>(s.size());
    std::copy(s.begin(), s.end(), added.s.begin());
    if (bytes == 8) added.s_wide = 0xf;
    return added;
  }

  // After the kernel is written: rows r hold threads [r × lanes, …) of one block, or of one block each.
  void start(bool block_per_row = false) {
    threads = std::make_unique<ThreadStore>(launch, rows_, lanes_, 0, 1);
    executor = std::make_unique<Executor>(launch, *threads, memory);
    for (unsigned row = 0; row < rows_; ++row) {
      const bool new_block = row == 0 || block_per_row;
      if (new_block) {
        const unsigned id = static_cast<unsigned>(blocks.size());
        blocks.push_back(
            std::make_unique<BlockState>(BlockState{id, {id, 0, 0}, std::vector<std::byte>(launch.shared_bytes)}));
      }
      exists.push_back(threads->start_row(row, *blocks.back(), new_block ? 0 : row * lanes_));
    }
  }

  // Runs instruction `pc` on the lanes of one row.
  void run(Pc pc, unsigned row, LaneMask mask) {
    std::array<std::uint16_t, kMaxLanes> rows;
    rows.fill(static_cast<std::uint16_t>(row));
    executor->execute(pc, {rows.data(), mask, lanes_, true}, 1000, outcome);
  }
  // Runs it on a compacted warp: lane l's thread comes from rows[l].
  void run_compacted(Pc pc, const std::vector<std::uint16_t>& rows, LaneMask mask) {
    executor->execute(pc, {rows.data(), mask, lanes_, false}, 1000, outcome);
  }

  std::uint32_t& at(unsigned row, Word word, unsigned lane) { return threads->words(row, word)[lane]; }
  void set_address(unsigned row, Word word, unsigned lane, Address address) {
    at(row, word, lane) = static_cast<std::uint32_t>(address);
    at(row, static_cast<Word>(word + 1), lane) = static_cast<std::uint32_t>(address >> 32);
  }

  Kernel kernel;
  Launch launch;
  std::vector<std::byte> bank;
  DeviceMemory memory{1 << 20};
  std::vector<std::unique_ptr<BlockState>> blocks;
  std::vector<LaneMask> exists;
  std::unique_ptr<ThreadStore> threads;
  std::unique_ptr<Executor> executor;
  Outcome outcome;

 private:
  unsigned lanes_, rows_;
};

}  // namespace warpfold::isa
