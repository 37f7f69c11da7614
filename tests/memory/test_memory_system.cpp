// SPDX-License-Identifier: Apache-2.0
// The whole memory of a machine: latencies equal to the closed form of the configuration, bandwidth up to and not above
// the channels' peak, and configurations that do not fit together.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/memory/machine.h"

namespace warpfold {
namespace memory_system_test {

using Kind = CacheAccess::Kind;
using test::Machine;
using test::MachineParams;

constexpr Address kBase = DeviceMemory::kBase;

// Instants of an f MHz clock, said here once more without the clock tree.
std::uint64_t edge_ps(std::uint64_t n, std::uint64_t mhz) { return n * 1'000'000 / mhz; }
std::uint64_t edge_from(std::uint64_t ps, std::uint64_t mhz) {
  std::uint64_t n = 0;
  while (edge_ps(n + 1024, mhz) < ps) n += 1024;
  while (edge_ps(n, mhz) < ps) ++n;
  return n;
}
std::uint64_t edge_after(std::uint64_t ps, std::uint64_t mhz) { return edge_from(ps + 1, mhz); }

enum class Row { kClosed, kOpen, kConflict };

// When a load issued at core cycle `issued` may use its data, nothing else being under way.
class ClosedForm {
 public:
  explicit ClosedForm(const MachineParams& params) : p_(params) {}

  Cycle l1_hit(Cycle issued) const { return issued + p_.l1.hit_latency_cycles; }
  Cycle l2_hit(Cycle issued) const { return back(looked_up(issued)); }
  Cycle dram(Cycle issued, Row row) const {
    const InterconnectParams& net = p_.memory.interconnect;
    const DramParams& d = p_.memory.dram;
    // DRAM is served first at an instant, so it sees the request at its next edge; its answer is seen at once.
    const Cycle seen = edge_after(edge_ps(looked_up(issued), net.clock_mhz), d.clock_mhz);
    const Cycle open = row == Row::kOpen ? 0 : row == Row::kClosed ? d.t_rcd : d.t_rp + d.t_rcd;
    const Cycle data = p_.memory.l2.line_bytes / d.bytes_per_cycle;
    const Cycle answered = seen + open + d.t_cl + data + d.response_latency_cycles;
    return back(edge_from(edge_ps(answered, d.clock_mhz), net.clock_mhz));
  }

 private:
  static Cycle flits(std::uint32_t bytes, std::uint32_t width) { return (bytes + width - 1) / width; }

  // Interconnect cycle at which the L2 slice looks the line up.
  Cycle looked_up(Cycle issued) const {
    const InterconnectParams& net = p_.memory.interconnect;
    const Cycle granted = edge_after(edge_ps(issued, p_.core_mhz), net.clock_mhz);
    const Cycle request = flits(net.packet.request_header_bytes, net.request_bytes_per_cycle);
    return granted + request - 1 + net.latency_cycles + p_.memory.l2.hit_latency_cycles;
  }
  // From the slice's answer at an interconnect cycle to the core.
  Cycle back(Cycle answered) const {
    const InterconnectParams& net = p_.memory.interconnect;
    const Cycle response = flits(net.packet.response_header_bytes + p_.l1.line_bytes, net.response_bytes_per_cycle);
    const Cycle delivered = answered + 1 + response - 1 + net.latency_cycles;
    return edge_from(edge_ps(delivered, net.clock_mhz), p_.core_mhz) + 1;
  }
  MachineParams p_;
};

// Each load is issued when the one before is done.
Cycle chase(Machine& machine, Address line, Cycle from) {
  machine.units[0]->steps = {{Kind::kLoad, line, 64, from}};
  machine.run();
  return machine.units[0]->outcomes[0].done;
}

// Followed by hand: interconnect grants at its cycle 1, slice at 41, look-up at 125 (192307 ps); DRAM sees it at 154,
// reads at 166 and 170, answers at 204 (255000 ps); slice at 166, granted 167, core's port at 209 (321538 ps) = core
// cycle 418, usable at 419. That is 322 ns; Wong et al. (ISPASS 2010) measured 436 to 443 cycles of 1.35 GHz, 325 ns.
TEST(UnloadedLatency, OfTheFirstLoadByHand) {
  MachineParams params;
  Machine machine(params);
  EXPECT_EQ(chase(machine, kBase, 0), 419u);
  EXPECT_EQ(ClosedForm(params).dram(0, Row::kClosed), 419u);
}

// From core cycle 1300 = interconnect cycle 650 = 10^6 ps: granted 651, slice 691, looked up 775, granted 776,
// delivered 818 (1258461 ps), core cycle 1636, usable at 1637. The L1 hit: 2600 + 24.
TEST(UnloadedLatency, OfHitsByHand) {
  Machine machine{MachineParams{}};
  chase(machine, kBase, 0);
  machine.l1s[0]->invalidate();
  EXPECT_EQ(chase(machine, kBase, 1300), 1637u);
  EXPECT_EQ(chase(machine, kBase, 2600), 2624u);
}

// The same access as the L2 hit above, and the first that the machine sees.
TEST(UnloadedLatency, OfALineThatACopyLeft) {
  Machine machine{MachineParams{}};
  machine.memory.fill(kBase + 60, 8);  // the line's last bytes and the next one's first
  EXPECT_EQ(chase(machine, kBase, 1300), 1637u);
  chase(machine, kBase + 64, 2600);
  EXPECT_EQ(machine.total("l2_hits"), 2u);
  chase(machine, kBase + 128, 5200);
  EXPECT_EQ(machine.total("l2_misses"), 1u);
}

// Sectors weigh on the network and in DRAM what they are: 32 bytes of the line of 128, and back in one flit and a half.
TEST(Statistics, OfSectors) {
  MachineParams params;
  params.l1.line_bytes = params.memory.l2.line_bytes = 128;
  params.l1.sector_bytes = params.memory.l2.sector_bytes = 32;
  Machine machine(params);
  machine.units[0]->steps = {{Kind::kLoad, kBase, 4, 0, byte_range(40, 4)},
                             {Kind::kLoad, kBase, 4, 2000, byte_range(0, 64)}};
  machine.run();
  EXPECT_EQ(machine.total("l1d_sector_misses"), 1u);
  EXPECT_EQ(machine.total("l2_sector_misses"), 1u);
  EXPECT_EQ(machine.total("dram_read_bytes"), 2u * 32);
  EXPECT_EQ(machine.total("core_to_memory_bytes"), 2u * 8);
  EXPECT_EQ(machine.total("memory_to_core_bytes"), 2u * (8 + 32));
}

MachineParams other_machine() {
  MachineParams params;
  params.core_mhz = 1476;
  params.l1.hit_latency_cycles = 7;
  params.memory.channels = 6;
  params.memory.slices_per_channel = 2;
  params.memory.interleave_bytes = 512;
  params.memory.interconnect.clock_mhz = 701;
  params.memory.interconnect.latency_cycles = 13;
  params.memory.interconnect.response_bytes_per_cycle = 16;
  params.memory.l2.hit_latency_cycles = 21;
  params.memory.dram.clock_mhz = 1107;
  params.memory.dram.bytes_per_cycle = 16;
  params.memory.dram.t_rcd = 15;
  return params;
}

class PointerChase : public testing::TestWithParam<bool> {};

TEST_P(PointerChase, EqualsTheClosedFormThroughEveryLevel) {
  const MachineParams params = GetParam() ? other_machine() : MachineParams{};
  const MemoryParams& mem = params.memory;
  const ClosedForm form(params);
  Machine machine(params);
  std::map<std::pair<Address, Address>, Address> open_rows;
  std::map<Row, int> seen;

  // Pairs of neighbours over channels and banks, then some of the same banks in their next rows.
  const Address next_row = Address{mem.dram.row_bytes} * mem.dram.banks * mem.channels;
  std::vector<Address> lines;
  for (Address n = 0; n < 40; ++n) {
    const Address pair = kBase + n % 25 * 2304 + n / 25 * next_row;
    lines.insert(lines.end(), {pair, pair + 64});
  }
  Cycle now = 5;
  for (const Address line : lines) {
    const Address chunk = line / mem.interleave_bytes;
    const Address local = chunk / mem.channels * mem.interleave_bytes + line % mem.interleave_bytes;
    const Address row = local / mem.dram.row_bytes / mem.dram.banks;
    const auto [place, closed] =
        open_rows.try_emplace({chunk % mem.channels, local / mem.dram.row_bytes % mem.dram.banks}, row);
    const Row state = closed ? Row::kClosed : place->second == row ? Row::kOpen : Row::kConflict;
    place->second = row;
    ++seen[state];
    const Cycle done = chase(machine, line, now);
    ASSERT_EQ(done, form.dram(now, state)) << "line " << line;
    now = done;
  }
  EXPECT_GT(seen[Row::kClosed], 5);
  EXPECT_GT(seen[Row::kOpen], 5);
  EXPECT_GT(seen[Row::kConflict], 5);

  machine.l1s[0]->invalidate();
  for (const Address line : lines) {
    const Cycle done = chase(machine, line, now);
    ASSERT_EQ(done, form.l2_hit(now));
    now = done;
  }
  for (const Address line : lines) {
    const Cycle done = chase(machine, line, now);
    ASSERT_EQ(done, form.l1_hit(now));
    now = done;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, PointerChase, testing::Bool());

// Bytes moved by all channels over the run, against what their buses could have moved.
double share_of_peak(const Machine& machine, const MachineParams& params) {
  const DramParams& dram = params.memory.dram;
  const double cycles = static_cast<double>(sc_core::sc_time_stamp().value()) * dram.clock_mhz / 1e6;
  const std::uint64_t bytes = (machine.total("dram_reads") + machine.total("dram_writes")) * 64;
  return static_cast<double>(bytes) / (cycles * dram.bytes_per_cycle * params.memory.channels);
}

TEST(Bandwidth, StreamsOfLoadsReachThePeak) {
  MachineParams params;
  params.cores = 30;
  Machine machine(params);
  for (unsigned core = 0; core < 30; ++core) {
    for (Address n = 0; n < 500; ++n) {
      machine.units[core]->steps.push_back({Kind::kLoad, kBase + (n * 30 + core) * 64, 64, 0});
    }
  }
  machine.run();
  EXPECT_EQ(machine.total("dram_reads"), 15000u);
  EXPECT_GE(share_of_peak(machine, params), 0.8);
  EXPECT_LE(share_of_peak(machine, params), 1.0);
}

TEST(Bandwidth, StreamsOfStoresReachThePeak) {
  MachineParams params;
  params.cores = 30;
  params.memory.l2.size_bytes = 16 * 1024;  // so that most of what is written goes on to DRAM
  Machine machine(params);
  for (unsigned core = 0; core < 30; ++core) {
    for (Address n = 0; n < 1000; ++n) {
      machine.units[core]->steps.push_back({Kind::kStore, kBase + (n * 30 + core) * 64, 64, 0});
    }
  }
  machine.run();
  EXPECT_EQ(machine.total("dram_reads"), 0u);
  EXPECT_GT(machine.total("dram_writes"), 27000u);
  EXPECT_GE(share_of_peak(machine, params), 0.8);
  EXPECT_LE(share_of_peak(machine, params), 1.0);
}

TEST(Bandwidth, OneChannelIsOneEighth) {
  MachineParams params;
  params.cores = 30;
  Machine machine(params);
  for (unsigned core = 0; core < 30; ++core) {
    for (Address n = 0; n < 100; ++n) {  // partition camping: every line in channel 0
      machine.units[core]->steps.push_back({Kind::kLoad, kBase + (n * 30 + core) * 2048, 64, 0});
    }
  }
  machine.run();
  EXPECT_LE(share_of_peak(machine, params), 0.125);
  EXPECT_GE(share_of_peak(machine, params), 0.8 * 0.125);
}

TEST(Statistics, OfATinyRunByHand) {
  Machine machine{MachineParams{}};
  machine.units[0]->steps = {{Kind::kLoad, kBase, 64, 0},
                             {Kind::kLoad, kBase + 64, 64, 0},
                             {Kind::kLoad, kBase, 64, 2000},
                             {Kind::kStore, kBase, 32, 2001},
                             {Kind::kAtomic, kBase, 4, 3000}};
  machine.run();
  EXPECT_EQ(machine.total("l1d_misses"), 2u);
  EXPECT_EQ(machine.total("l1d_hits"), 1u);
  EXPECT_EQ(machine.total("l1d_store_hits"), 1u);
  EXPECT_EQ(machine.total("l1d_atomics"), 1u);
  EXPECT_EQ(machine.total("l2_accesses"), 4u);
  EXPECT_EQ(machine.total("l2_misses"), 2u);
  EXPECT_EQ(machine.total("l2_hits"), 2u);
  EXPECT_EQ(machine.total("core_to_memory_bytes"), 8u + 8 + (8 + 32) + (8 + 4));
  EXPECT_EQ(machine.total("memory_to_core_bytes"), 72u + 72 + 8 + 12);
  EXPECT_EQ(machine.total("noc_request_flits"), 1u + 1 + 2 + 1);
  EXPECT_EQ(machine.total("noc_response_flits"), 3u + 3 + 1 + 1);
  EXPECT_EQ(machine.total("dram_reads"), 2u);
  EXPECT_EQ(machine.total("dram_row_misses"), 1u);
  EXPECT_EQ(machine.total("dram_row_hits"), 1u);
}

TEST(Geometry, PartsMustFit) {
  MemoryParams params;
  EXPECT_NO_THROW(check_geometry(params, 64));
  EXPECT_THROW(check_geometry(params, 128), UserError);
  params.interleave_bytes = 32;
  EXPECT_THROW(check_geometry(params, 64), UserError);
  params = {};
  params.dram.mapping = DramMapping::kRowColumnBank;
  params.dram.row_bytes = 128;
  EXPECT_THROW(check_geometry(params, 64), UserError);
}

}  // namespace memory_system_test
}  // namespace warpfold
