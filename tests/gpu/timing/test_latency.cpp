// SPDX-License-Identifier: Apache-2.0
// Loads of one thread, each depending on the last, take the closed form of the configuration from L1, L2 and DRAM,
// cycle by cycle, on the machines of the papers; streams of many threads come near the peak of what they run into, and
// never pass it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/kernel_machine.h"
#include "warpfold/memory/address_map.h"

namespace warpfold {
namespace latency_test {

constexpr unsigned kChain = 24;  // loads; the kernel goes through them twice

// Cycles at which a kernel issues its 64-bit global loads.
class LoadTimes : public TraceSink {
 public:
  void record(const TraceRecord& record) override {
    if (record.event == TraceEvent::kIssue && record.pc >= 1 && record.pc <= 2 * kChain) at.push_back(record.cycle);
  }
  std::vector<Cycle> at;
};

std::string chase_kernel(const char* load) {
  std::string text = ".entry chase(.param .u64 first)\n{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [first];\n";
  for (unsigned i = 0; i < 2 * kChain + 1; ++i) text += fmt::format("{} %rd1, [%rd1];\n", load);
  return ptx_module(text + "ret;\n}\n");
}

// What an access finds in its bank.
enum class Row { kClosed, kOpen, kOther };

// The way of one load, from the instant that its predecessor's value is there, which is when it issues. Each step is at
// an edge of the clock of whoever takes it; at equal instants memory goes first, then the interconnect, then the cores,
// so a hand-over to an earlier one is seen at its next edge and one to a later one at once (docs/architecture.md).
class LoadPath {
 public:
  // `fetched`: bytes that a miss brings.
  LoadPath(const MachineConfig& machine, std::uint32_t fetched) : machine_(machine), fetched_(fetched) {}
  explicit LoadPath(const MachineConfig& machine)
      : LoadPath(machine, machine.l1d.sector_bytes != 0 ? machine.l1d.sector_bytes : machine.l1d.line_bytes) {}

  // Address generation, then the cache; the value can be used in the cycle in which it comes.
  Cycle l1_hit(Cycle issue) const { return accessed(issue) + machine_.l1d.hit_latency_cycles; }
  Cycle l2_hit(Cycle issue) const { return back_at_core(found_in_l2(issue)); }
  Cycle dram(Cycle issue, Row row) const {
    const DramParams& dram = machine_.memory.dram;
    const std::uint64_t mhz = dram.clock_mhz;
    const Cycle there = after(mhz, time(noc_mhz(), found_in_l2(issue)));
    Cycle column = there;
    if (row == Row::kOther) column += dram.t_rp;
    if (row != Row::kOpen) column += dram.t_rcd;
    // One burst after the other on the data bus, or as a bank group lets them, CAS latency once.
    const Cycle others = machine_.memory.l2.line_bytes / (dram.burst_cycles * dram.bytes_per_cycle) - 1;
    column += others * std::max(dram.burst_cycles, dram.t_ccd_l);
    const Cycle done = column + dram.t_cl + dram.burst_cycles + dram.response_latency_cycles;
    return back_at_core(at_or_after(noc_mhz(), time(mhz, done)));
  }

 private:
  static std::uint64_t time(std::uint64_t mhz, Cycle edge) { return edge * 1'000'000 / mhz; }
  static Cycle at_or_after(std::uint64_t mhz, std::uint64_t ps) {
    Cycle edge = ps * mhz / 1'000'000;
    while (time(mhz, edge) < ps) ++edge;
    return edge;
  }
  static Cycle after(std::uint64_t mhz, std::uint64_t ps) { return at_or_after(mhz, ps + 1); }
  std::uint64_t noc_mhz() const { return machine_.memory.interconnect.clock_mhz; }

  Cycle flits(std::uint32_t bytes, std::uint32_t per_cycle) const { return (bytes + per_cycle - 1) / per_cycle; }

  // The load/store unit takes a warp in passes, and asks for a line in the last of them.
  Cycle accessed(Cycle issue) const {
    const CoreParams& core = machine_.core;
    return issue + core.address_latency_cycles + std::max(core.warp_size / core.lsu_width, 1u) - 1;
  }

  // The interconnect's edge at which the L2 slice has looked the line up. The miss takes the core's port one cycle
  // after the cache saw it; a packet of f flits arrives f - 1 + latency after it was granted.
  Cycle found_in_l2(Cycle issue) const {
    const InterconnectParams& noc = machine_.memory.interconnect;
    const Cycle port = accessed(issue) + 1;
    const Cycle granted = after(noc_mhz(), time(machine_.core.clock_mhz, port));
    const Cycle request = flits(noc.packet.request_header_bytes, noc.request_bytes_per_cycle) - 1 + noc.latency_cycles;
    return granted + request + machine_.memory.l2.hit_latency_cycles;
  }

  // From the slice's edge with the data: grant one edge later, the packet's way, the cache takes the line in, and a
  // cycle later the value is written back.
  Cycle back_at_core(Cycle found) const {
    const InterconnectParams& noc = machine_.memory.interconnect;
    const std::uint32_t bytes = noc.packet.response_header_bytes + fetched_;
    const Cycle response = flits(bytes, noc.response_bytes_per_cycle) - 1 + noc.latency_cycles;
    return at_or_after(machine_.core.clock_mhz, time(noc_mhz(), found + 1 + response)) + 1;
  }

  const MachineConfig& machine_;
  const std::uint32_t fetched_;
};

struct Machine {
  const char* name;
  std::vector<std::string> sets;
  const char* file = "gt200";
};

class Latency : public testing::TestWithParam<Machine> {
 protected:
  // Goes twice through a cycle of lines: local offsets in slice 0, in the order in which they are read.
  void chase(const std::vector<std::uint64_t>& offsets, const std::vector<Row>& rows) {
    std::vector<std::string> sets{"cores=2", "memory.channels=3"};
    sets.insert(sets.end(), GetParam().sets.begin(), GetParam().sets.end());
    const RunOptions options = RunOptions::resolve(GetParam().file, "pdom", sets);
    LoadTimes times;
    KernelMachine<> machine(chase_kernel("ld.global.u64"), options, GpuOptions{&times, false});
    const std::vector<Address> chain = lay_out(machine, options.machine.memory, offsets);

    machine.run("chase", {1}, {1}, chain[0]);
    const LoadPath path(options.machine);
    ASSERT_EQ(times.at.size(), 2 * kChain);
    for (unsigned i = 0; i + 1 < kChain; ++i) {
      EXPECT_EQ(times.at[i + 1], path.dram(times.at[i], rows[i])) << "DRAM, load " << i;
    }
    expect_l1_hits(times, path);
    times.at.clear();
    machine.run("chase", {1}, {1}, chain[0]);
    for (unsigned i = 0; i + 1 < kChain; ++i) EXPECT_EQ(times.at[i + 1], path.l2_hit(times.at[i])) << "L2, load " << i;
    expect_l1_hits(times, path);
  }

 private:
  template <class M>
  std::vector<Address> lay_out(M& machine, const MemoryParams& memory, const std::vector<std::uint64_t>& offsets) {
    const AddressMap map(memory.interleave_bytes, memory.channels);
    const std::uint64_t row_of_banks = std::uint64_t{memory.dram.row_bytes} * memory.dram.banks;
    const Address base = machine.upload(std::vector<std::byte>(8 * row_of_banks * memory.channels));
    const std::uint64_t begin = (map.local(base) / row_of_banks + 1) * row_of_banks;
    std::vector<Address> chain;
    for (const std::uint64_t offset : offsets) chain.push_back(map.global(begin + offset, 0));
    for (unsigned i = 0; i < kChain; ++i)
      machine.device.memory().write(chain[i], &chain[(i + 1) % kChain], sizeof(Address));
    return chain;
  }
  void expect_l1_hits(const LoadTimes& times, const LoadPath& path) {
    for (unsigned i = kChain; i + 1 < 2 * kChain; ++i)
      EXPECT_EQ(times.at[i + 1], path.l1_hit(times.at[i])) << "L1, load " << i;
  }
};

INSTANTIATE_TEST_SUITE_P(
    On, Latency,
    testing::Values(
        Machine{"gt200", {}}, Machine{"tbc2011", {}, "tbc2011"}, Machine{"tbc2011_325mhz", {}, "tbc2011-325mhz"},
        Machine{"harp2013", {}, "harp2013"},
        Machine{"equal_clocks", {"memory.interconnect.clock_mhz=1300", "memory.dram.clock_mhz=1300"}},
        Machine{"odd_clocks", {"core.clock_mhz=997", "memory.interconnect.clock_mhz=701", "memory.dram.clock_mhz=853"}},
        Machine{"other_latencies",
                {"core.address_latency_cycles=3", "l1d.hit_latency_cycles=31", "memory.interconnect.latency_cycles=17",
                 "memory.interconnect.response_bytes_per_cycle=16", "memory.l2.hit_latency_cycles=9",
                 "memory.dram.t_cl=5", "memory.dram.t_rp=14", "memory.dram.t_rcd=21",
                 "memory.dram.response_latency_cycles=2", "memory.dram.bytes_per_cycle=4"}},
        // L3, LLC and DRAM; DRAM with the rows and banks for which the addresses below are made.
        Machine{"ivb2013",
                {"memory.interleave_bytes=256", "memory.dram.row_bytes=2048", "memory.dram.banks=8"},
                "ivb2013"}),
    [](const auto& suite) { return std::string(suite.param.name); });

TEST_P(Latency, LinesOfOneRow) {
  std::vector<std::uint64_t> offsets;
  std::vector<Row> rows(kChain, Row::kOpen);
  rows[0] = Row::kClosed;
  for (unsigned i = 0; i < kChain; ++i) offsets.push_back(64 * i);
  chase(offsets, rows);
}

TEST_P(Latency, LinesOfTwoRowsOfOneBank) {
  std::vector<std::uint64_t> offsets;
  std::vector<Row> rows(kChain, Row::kOther);
  rows[0] = Row::kClosed;
  for (unsigned i = 0; i < kChain; ++i) offsets.push_back(i % 2 * 2048 * 8 + 64 * i);
  chase(offsets, rows);
}

TEST_P(Latency, LinesOfEightBanks) {
  std::vector<std::uint64_t> offsets;
  std::vector<Row> rows;
  for (unsigned i = 0; i < kChain; ++i) {
    offsets.push_back(i % 8 * 2048 + i / 8 * 64);
    rows.push_back(i < 8 ? Row::kClosed : Row::kOpen);
  }
  chase(offsets, rows);
}

// Twice through neighbouring lines, in order: times of the loads of a launch that finds nothing in the caches, and of
// one that finds the lines in the L2. The second half of each finds them in the L1.
struct LineChase {
  explicit LineChase(const RunOptions& options, const char* load = "ld.global.u64") {
    KernelMachine<> machine(chase_kernel(load), options, GpuOptions{&times_, false});
    const unsigned line = options.machine.l1d.line_bytes, chunk = options.machine.memory.interleave_bytes;
    const Address base = machine.upload(std::vector<std::byte>(kChain * line + chunk));
    const Address first = (base + chunk - 1) / chunk * chunk;
    for (unsigned i = 0; i < kChain; ++i) {
      const Address next = first + (i + 1) % kChain * line;
      machine.device.memory().write(first + i * line, &next, sizeof next);
    }
    for (std::vector<Cycle>* const launch : {&from_dram, &from_l2}) {
      times_.at.clear();
      machine.run("chase", {1}, {1}, first);
      *launch = times_.at;
    }
  }
  std::vector<Cycle> from_dram, from_l2;

 private:
  LoadTimes times_;
};

// The simulator whose machine gtx480 is has a log in its repository (docs/machines.md): an L1 hit takes 39 cycles from
// load to use there, an L2 hit 181. Neighbouring lines lie two to a slice, whose first one opens a row.
TEST(Gtx480, LoadsTakeWhatItsSimulatorsLogShows) {
  const RunOptions options = RunOptions::resolve("gtx480", "pdom", {"core.fetch.cached=false"});
  const LineChase chase(options);
  const LoadPath path(options.machine);
  ASSERT_EQ(chase.from_dram.size(), 2 * kChain);
  for (unsigned i = 0; i + 1 < kChain; ++i) {
    EXPECT_EQ(chase.from_dram[i + 1], path.dram(chase.from_dram[i], i % 2 == 0 ? Row::kClosed : Row::kOpen))
        << "DRAM, load " << i;
    EXPECT_EQ(chase.from_l2[i + 1] - chase.from_l2[i], 181u) << "L2, load " << i;
  }
  for (unsigned i = kChain; i + 1 < 2 * kChain; ++i) {
    EXPECT_EQ(chase.from_dram[i + 1] - chase.from_dram[i], 39u) << "L1, load " << i;
  }
}

class Hits : public testing::TestWithParam<const char*> {};

TEST_P(Hits, TakeTheSumOfTheirStages) {
  const RunOptions options = RunOptions::resolve(GetParam(), "pdom", {});
  const LineChase chase(options);
  const LoadPath path(options.machine);
  ASSERT_EQ(chase.from_l2.size(), 2 * kChain);
  for (unsigned i = 0; i + 1 < kChain; ++i) {
    EXPECT_EQ(chase.from_l2[i + 1], path.l2_hit(chase.from_l2[i])) << "L2, load " << i;
  }
  for (unsigned i = kChain; i + 1 < 2 * kChain; ++i) {
    EXPECT_EQ(chase.from_l2[i + 1], path.l1_hit(chase.from_l2[i])) << "L1, load " << i;
  }
}

// In segments of 32 bytes.
TEST_P(Hits, OfLoadsThatGoPastTheL1AreTheL2s) {
  RunOptions options = RunOptions::resolve(GetParam(), "pdom", {});
  for (const char* const load : {"ld.global.cg.u64", "ld.volatile.global.u64", "ld.relaxed.gpu.global.u64"}) {
    const LineChase chase(options, load);
    const LoadPath path(options.machine, 32);
    for (unsigned i = 0; i + 1 < 2 * kChain; ++i) {
      EXPECT_EQ(chase.from_l2[i + 1], path.l2_hit(chase.from_l2[i])) << load << " " << i;
    }
  }
}

TEST_P(Hits, OfAnL2ThatIsEmptiedBeforeEachKernelAreNone) {
  const LineChase kept(RunOptions::resolve(GetParam(), "pdom", {}));
  const LineChase emptied(RunOptions::resolve(GetParam(), "pdom", {"host.empties_l2=true"}));
  const auto took = [](const std::vector<Cycle>& launch) { return launch[kChain - 1] - launch[0]; };
  EXPECT_LT(took(kept.from_l2), took(kept.from_dram));
  EXPECT_GT(took(emptied.from_l2), took(kept.from_l2) * 5 / 4);
}

INSTANTIATE_TEST_SUITE_P(Machines, Hits, testing::Values("tstbc2016", "volta"));

// Each element of an array once, `stride` bytes apart, by `operation` with %rd2 its address and the same again in the
// other half. The order of groups of 2^group elements is a permutation: cores that went through memory in step would
// all want the same slice at the same time, and move on together.
struct Order {
  unsigned stride, group;
};

std::string stream_kernel(const std::string& operation, Order order, unsigned count, unsigned threads) {
  return ptx_module(fmt::format(R"(.entry stream(.param .u64 array)
{{
.reg .pred %p<2>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [array];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.u32 %r4, %r2, %r3, %r1;
LOOP:
shr.u32 %r5, %r4, {group};
mul.lo.u32 %r5, %r5, 40503;
and.b32 %r5, %r5, {mask};
shr.u32 %r6, %r5, 7;
xor.b32 %r5, %r5, %r6;
shl.b32 %r5, %r5, {group};
and.b32 %r6, %r4, {in_group};
or.b32 %r5, %r5, %r6;
mad.wide.u32 %rd2, %r5, {stride}, %rd1;
{operation}
add.s64 %rd2, %rd2, {half};
{operation}
add.u32 %r4, %r4, {threads};
setp.lt.u32 %p1, %r4, {count};
@%p1 bra LOOP;
ret;
}}
)",
                                fmt::arg("group", order.group), fmt::arg("in_group", (1u << order.group) - 1),
                                fmt::arg("mask", (count >> order.group) - 1),
                                fmt::arg("half", std::uint64_t{count} * order.stride), fmt::arg("stride", order.stride),
                                fmt::arg("operation", operation), fmt::arg("threads", threads),
                                fmt::arg("count", count)));
}

class Stream : public testing::Test {
 protected:
  static constexpr unsigned kThreads = 30 * 1024;
  static constexpr unsigned kBytes = 4 << 20;
  static constexpr Order kInOrder{4, 19};    // all in one group
  static constexpr Order kLines{4, 4};       // a warp: two whole lines, each somewhere
  static constexpr Order kScattered{64, 0};  // a warp: 32 lines

  // Statistics of a launch that sees all of the array; `before` other launches warm the L2.
  StatValues run(const std::string& operation, Order order, unsigned before) {
    KernelMachine<> machine(stream_kernel(operation, order, kBytes / 2 / order.stride, kThreads), options_);
    const Address array = machine.upload(std::vector<std::byte>(kBytes));
    for (unsigned i = 0; i <= before; ++i) machine.run("stream", {kThreads / 256}, {256}, array);
    return machine.device.results().last_launch();
  }
  // Edges of another clock in the kernel's time.
  double edges(const StatValues& values, double mhz) const {
    return values.at("cycles") * mhz / static_cast<double>(options_.machine.core.clock_mhz);
  }
  void expect_near_peak(double used, double peak) {
    EXPECT_LE(used, peak);
    EXPECT_GE(used, 0.8 * peak);
  }

  const RunOptions options_ = RunOptions::resolve("gt200", "pdom", {});
  const MemoryParams& memory_ = options_.machine.memory;
};

TEST_F(Stream, LoadsReachTheDramPeak) {
  const StatValues values = run("ld.global.u32 %r7, [%rd2];", kInOrder, 0);
  const double peak = edges(values, memory_.dram.clock_mhz) * memory_.channels * memory_.dram.bytes_per_cycle;
  EXPECT_EQ(values.at("dram_bytes"), kBytes);
  expect_near_peak(kBytes, peak);
}

// A response is a line behind its header; a slice's port moves it in so many flits.
TEST_F(Stream, LoadsReachTheResponsePortsOfTheSlices) {
  const StatValues values = run("ld.global.u32 %r7, [%rd2];", kInOrder, 1);
  const InterconnectParams& noc = memory_.interconnect;
  const unsigned bytes = noc.packet.response_header_bytes + options_.machine.l1d.line_bytes;
  const unsigned flits = (bytes + noc.response_bytes_per_cycle - 1) / noc.response_bytes_per_cycle;
  EXPECT_EQ(values.at("dram_reads"), 0);
  EXPECT_EQ(values.at("noc_response_flits"), kBytes / 64 * flits);
  expect_near_peak(values.at("noc_response_flits"), edges(values, noc.clock_mhz) * memory_.channels);
}

TEST_F(Stream, StoresReachTheRequestPortsOfTheSlices) {
  const StatValues values = run("st.global.u32 [%rd2], %r4;", kLines, 1);
  EXPECT_EQ(values.at("dram_reads"), 0);
  EXPECT_EQ(values.at("noc_request_flits"), kBytes / 64 * 3);
  expect_near_peak(values.at("noc_request_flits"), edges(values, memory_.interconnect.clock_mhz) * memory_.channels);
}

// Small stores to distinct lines: one flit each way, so it is the look-ups that bind, one a cycle.
TEST_F(Stream, ScatteredStoresReachTheLookUpsOfTheSlices) {
  const StatValues values = run("st.global.u32 [%rd2], %r4;", kScattered, 1);
  EXPECT_EQ(values.at("l2_accesses"), kBytes / 64);
  EXPECT_EQ(values.at("l2_hits"), kBytes / 64);
  expect_near_peak(values.at("l2_accesses"), edges(values, memory_.interconnect.clock_mhz) * memory_.channels);
}

}  // namespace latency_test
}  // namespace warpfold
