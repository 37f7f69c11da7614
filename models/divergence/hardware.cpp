// SPDX-License-Identifier: Apache-2.0
#include "warpfold/divergence/hardware.h"

#include <fmt/format.h>

#include <bit>

#include "warpfold/divergence/parts/lane_registers.h"

namespace warpfold::divergence {
namespace {

std::string text_of(const Structure& structure) {
  const area::Storage& s = structure.storage;
  const double parts = structure.copies * s.banks;
  const std::string copies = parts > 1 ? fmt::format("{:.0f} × ", parts) : "";
  return fmt::format("{} ({}{:.0f} × {:.0f} bits)", structure.name, copies, s.rows() / s.banks, s.row_bits);
}

}  // namespace

unsigned index_bits(unsigned things) { return things > 1 ? static_cast<unsigned>(std::bit_width(things - 1)) : 1; }

std::string Hardware::text() const {
  std::string all;
  for (const Structure& structure : storage) all += (all.empty() ? "" : ", ") + text_of(structure);
  for (const RtlUse& use : logic) {
    all += (all.empty() ? "" : ", ") + (use.copies > 1 ? fmt::format("{} × ", use.copies) : "") + "rtl/" + use.module;
  }
  return all.empty() ? "nothing" : all;
}

void Hardware::add(const Hardware& more) {
  storage.insert(storage.end(), more.storage.begin(), more.storage.end());
  logic.insert(logic.end(), more.logic.begin(), more.logic.end());
  unknown.insert(unknown.end(), more.unknown.begin(), more.unknown.end());
}

area::Storage registers(double bytes, unsigned lanes, unsigned banks) {
  return {.bytes = bytes, .row_bits = 32.0 * lanes, .banks = static_cast<double>(banks)};
}

area::Storage table(unsigned entries, unsigned bits) {
  return {.bytes = entries * bits / 8.0,
          .row_bits = static_cast<double>(bits),
          .read_write_ports = 0,
          .read_ports = 1,
          .write_ports = 1};
}

area::Storage one_port_table(unsigned entries, unsigned bits) {
  return {.bytes = entries * bits / 8.0, .row_bits = static_cast<double>(bits)};
}

area::Storage searched_table(unsigned entries, unsigned tag_bits, unsigned bits) {
  area::Storage storage = one_port_table(entries, bits);
  storage.kind = area::Kind::kFullyAssociative;
  storage.tag_bits = tag_bits;
  return storage;
}

Structure warp_stacks(const HardwareGeometry& geometry, unsigned more_bits) {
  const unsigned bits = 2 * kPcBits + geometry.core.warp_size + more_bits;
  // A divergent branch rewrites the top and pushes two entries, which pop later.
  return {
      "reconvergence stacks", table(geometry.rows() * geometry.stack_entries, bits), 1, {{"divergent_branches", 5}}};
}

Structure thread_numbers(unsigned slots, unsigned lanes, unsigned rows, std::vector<Access> accesses) {
  return {"thread numbers", table(slots, lanes * index_bits(rows)), 1, std::move(accesses)};
}

Structure lane_addressed_registers(const HardwareGeometry& geometry) {
  const unsigned banks = kRegisterBanks * geometry.core.schedulers, lanes = geometry.core.simd_width;
  const double bytes = 4.0 * geometry.registers / banks;
  const area::Storage whole = registers(bytes, lanes);
  Structure file{"registers by lane", whole, banks, {}};
  if (geometry.lane_addresses) file.storage.addresses = lanes;
  file.replaced = whole;
  file.replaced_copies = banks;
  return file;
}

unsigned count_bits(const HardwareGeometry& geometry) { return index_bits(geometry.block_warps + 1); }

Hardware block_compaction(const HardwareGeometry& geometry, unsigned entries, unsigned fields, unsigned stack_stages) {
  const unsigned lanes = geometry.core.warp_size, rows = geometry.rows();
  Hardware hardware;
  // An entry has a bit for each thread of the core, whatever number of blocks divide them (TBC §7). The banks of all
  // lanes are accessed together: the sides of a branch for every warp that comes to it, the mask that is compacted.
  const double banks = lanes;
  hardware.storage.push_back(
      {"active masks", table(entries, rows), lanes, {{"divergent_branches", 2 * banks}, {"compactions", banks}}});
  hardware.storage.push_back({"block stacks",
                              table(geometry.core.max_blocks * entries, fields),
                              1,
                              {{"divergent_branches", 2}, {"compactions", 2}}});
  hardware.storage.push_back(thread_numbers(rows, lanes, rows, {{"warp_instructions"}, {"compacted_warps"}}));
  add_lane_registers(hardware, geometry);
  hardware.logic.push_back(
      {"thread_compactor", {{"Lanes", lanes}, {"Rows", geometry.block_warps}, {"Stages", geometry.compactor_stages}}});
  hardware.logic.push_back({"block_stack",
                            {{"Lanes", lanes},
                             {"Rows", geometry.block_warps},
                             {"Depth", entries},
                             {"PcWidth", kPcBits},
                             {"Stages", stack_stages}}});
  return hardware;
}

}  // namespace warpfold::divergence
