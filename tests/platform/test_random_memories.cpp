// SPDX-License-Identifier: Apache-2.0
// Launches in front of memories of random behaviour: within the base protocol all end with the right values, and each
// breach of it is named. Some hundred of them; WARPFOLD_ALL_MEMORIES: 10,000 and 1,000.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/platform/random_memory.h"
#include "warpfold/common/error.h"

namespace warpfold::platform_test {
namespace random_memories_test {

unsigned count_of(unsigned some, unsigned all) { return std::getenv("WARPFOLD_ALL_MEMORIES") != nullptr ? all : some; }

// Stores each word twice, so that writes may bring either.
const char* const kTwice = "st.global.u32 [%rd4], %r5;\nld.global.u32 %r7, [%rd4];\nadd.u32 %r6, %r7, %r4;";

// What a memory was sent of the output was there at some time.
void expect_picture(const Platform& platform, const test::Bytes& bytes) {
  for (const auto& [address, byte] : bytes.written()) {
    if (address < platform.out || address >= platform.out + kWords * 4) continue;
    const unsigned word = static_cast<unsigned>(address - platform.out) / 4;
    const unsigned shift = static_cast<unsigned>(address % 4) * 8;
    const std::uint32_t first = noise(kWords)[word];
    const std::uint32_t then = first + word;
    ASSERT_TRUE(byte == 0 || byte == (first >> shift & 0xff) || byte == (then >> shift & 0xff)) << address;
  }
}

void expect_right(unsigned seed, std::map<std::string, unsigned>& seen) {
  Dice dice(seed);
  Platform platform(random_sets(dice), kTwice);
  RandomMemories memories(platform, dice);
  const unsigned launches = 1 + dice.below(2);
  for (unsigned n = 0; n < launches; ++n) {
    run_launch(platform.gpu, platform.launch, platform.memory);
    platform.expect_sums();
    if (dice.one_in(2)) memories.release();
  }
  std::uint64_t transactions = 0;
  for (const test::BaseProtocolChecker& checker : memories.checkers) {
    EXPECT_TRUE(checker.breaches.empty()) << checker.breaches.front();
    EXPECT_TRUE(checker.quiet());
    transactions += checker.transactions;
    for (const auto& [way, times] : checker.seen) seen[way] += times;
  }
  const bool cores_only = platform.gpu.network_sockets() != 0;
  EXPECT_EQ(transactions, cores_only ? platform.total("core_to_memory_packets")
                                     : platform.total("dram_reads") + platform.total("dram_writes"));
  seen["cores only"] += cores_only ? 1 : 0;
  EXPECT_EQ(platform.total("kernels"), launches);
  seen["kept"] += static_cast<unsigned>(memories.scattered.empty() ? 0 : memories.scattered[0].kept.all().size());
  seen["writes"] += static_cast<unsigned>(platform.total("dram_writes"));
  for (const auto& memory : memories.scattered) expect_picture(platform, memory.bytes);
  memories.release();
}

TEST(RandomMemories, WithinTheProtocolAllLaunchesEndRight) {
  std::map<std::string, unsigned> seen;
  const unsigned count = count_of(300, 10'000);
  for (unsigned seed = 0; seed < count && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    try {
      expect_right(seed, seen);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  for (const char* way : {"TLM_COMPLETED", "BEGIN_RESP returned", "END_REQ returned", "END_REQ", "BEGIN_RESP alone",
                          "BEGIN_RESP", "END_RESP forward", "kept", "writes"}) {
    EXPECT_GT(seen[way], count) << way;
  }
  EXPECT_GT(seen["cores only"], count / 4);
}

void expect_named(unsigned seed, Breach::Kind kind) {
  Dice dice(seed);
  Platform platform(random_sets(dice), kTwice);
  std::deque<test::NonBlockingMemory> memories;
  std::deque<Breach> breaches;
  const unsigned at = dice.below(platform.sockets());
  for (unsigned n = 0; n < platform.sockets(); ++n) {
    auto& memory = memories.emplace_back(fmt::format("memory_{}", n).c_str());
    memory.manner = RandomManner(dice);
    const unsigned nth = n == at ? 1 + dice.below(8) : 0;
    auto& breach = breaches.emplace_back(fmt::format("breach_{}", n).c_str(), kind, nth, dice);
    platform.socket(n).bind(breach.in);
    breach.out.bind(memory.socket);
  }
  try {
    run_launch(platform.gpu, platform.launch, platform.memory);
    ADD_FAILURE() << "ended as if all were well";
  } catch (const UserError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find(fmt::format("{:#x}", breaches[at].address)), std::string::npos) << said;
    const bool silent = kind == Breach::Kind::kSilent;
    EXPECT_NE(said.find(silent ? "unanswered" : breaches[at].status()), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(RandomMemories, EachBreachIsNamed) {
  const unsigned count = count_of(96, 1000);
  for (unsigned seed = 0; seed < count && !HasFailure(); ++seed) {
    const unsigned kind = seed % static_cast<unsigned>(Breach::Kind::kKinds);
    SCOPED_TRACE(fmt::format("seed {}, breach {}", seed, kind));
    expect_named(seed, static_cast<Breach::Kind>(kind));
  }
}

}  // namespace random_memories_test
}  // namespace warpfold::platform_test
