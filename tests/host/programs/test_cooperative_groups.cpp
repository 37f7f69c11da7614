// SPDX-License-Identifier: Apache-2.0
// Groups of threads of every kind, with their reductions, scans and copies, against what each thread should see.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "tests/host/front_end.h"
#include "tests/host/kernel_runner.h"

namespace warpfold::host {
namespace cooperative_groups_test {

// One translation unit for all tests.
const std::string& groups_ptx() {
  static const std::string ptx = ptx_of(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// As programs write them: any group by value. The test device runs one block after the other.
__device__ unsigned rank_and_size(cg::thread_group g) { if (g.size() <= 64) g.sync(); return (unsigned)(g.thread_rank() * 1000 + g.size()); }

extern "C" __global__ void ranks(unsigned* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  out += 8 * grid.thread_rank();
  out[0] = rank_and_size(block);
  out[1] = rank_and_size(grid);
  out[2] = rank_and_size(cg::tiled_partition(block, 8));
  auto tile = cg::tiled_partition<16>(block);
  out[3] = rank_and_size(tile);
  auto part = cg::tiled_partition<4>(tile);
  out[4] = part.meta_group_rank() * 1000 + part.meta_group_size();
  out[5] = tile.meta_group_rank() * 1000 + tile.meta_group_size();
  out[6] = block.group_index().x * 1000 + block.thread_index().y * 100 + block.dim_threads().x;
  out[7] = grid.num_blocks() * 1000 + grid.block_rank();
}

struct Wide { double a; int b; char c; };

extern "C" __global__ void tiles(int* out) {
  const int lane = threadIdx.x;
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  out += 16 * lane;
  out[0] = tile.shfl(lane, 3);
  out[1] = tile.shfl_up(lane, 2);
  out[2] = tile.shfl_down(lane, 2);
  out[3] = tile.shfl_xor(lane, 5);
  out[4] = tile.ballot(lane % 3 == 0);
  out[5] = tile.any(lane == 9) * 2 + tile.all(lane < 16);
  out[6] = tile.match_any(lane / 2);
  out[7] = cg::reduce(tile, lane, cg::plus<int>());
  out[8] = cg::reduce(tile, lane * 7 % 8, cg::greater<int>());
  out[9] = cg::inclusive_scan(tile, lane);
  out[10] = cg::exclusive_scan(tile, lane);
  Wide wide = {lane * 0.5, lane, (char)lane};
  wide = tile.shfl(wide, 1);
  out[11] = (int)(wide.a * 2) + wide.b + wide.c;
  out[12] = (int)cg::reduce(tile, lane * 0.5, cg::less<double>());
}

extern "C" __global__ void coalesced(int* out) {
  const int lane = threadIdx.x;
  out += 16 * lane;
  if (lane % 3 != 1) return;
  cg::coalesced_group group = cg::coalesced_threads();
  out[0] = group.thread_rank() * 100 + group.size();
  out[1] = group.shfl(lane, 2);
  out[2] = group.shfl_up(lane, 1);
  out[3] = group.shfl_down(lane, 4);
  out[4] = group.ballot(lane % 2 == 0);
  out[5] = cg::reduce(group, lane, cg::plus<int>());
  out[6] = cg::inclusive_scan(group, lane);
  out[7] = cg::exclusive_scan(group, 1 << group.thread_rank(), cg::bit_or<int>());
  auto labels = cg::labeled_partition(group, lane % 4);
  out[8] = labels.thread_rank() * 1000 + labels.size() * 100 + labels.meta_group_rank() * 10 + labels.meta_group_size();
  auto three = cg::tiled_partition(group, 3);
  out[9] = cg::reduce(three, lane, cg::plus<int>());
  out[10] = cg::binary_partition(group, lane < 10).size();
}

extern "C" __global__ void copy(const char* in, char* out, int bytes) {
  __shared__ char room[100];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, room, in, bytes);
  cg::wait(block);
  for (int i = block.thread_rank(); i < bytes; i += block.size()) out[i] = room[bytes - 1 - i];
}
)");
  return ptx;
}

TEST(CooperativeGroups, RanksAndSizes) {
  KernelRunner runner(groups_ptx());
  constexpr unsigned kThreads = 3 * 64;
  const Address out = runner.upload(std::vector<unsigned>(8 * kThreads));
  runner.run("ranks", {3}, {16, 4}, 0, out);
  const std::vector<unsigned> result = runner.download<unsigned>(out, 8 * kThreads);
  for (unsigned i = 0; i < kThreads; ++i) {
    const unsigned t = i % 64, b = i / 64;
    const std::vector<unsigned> expected = {
        t * 1000 + 64,     i * 1000 + kThreads,          t % 8 * 1000 + 8, t % 16 * 1000 + 16, t % 16 / 4 * 1000 + 4,
        t / 16 * 1000 + 4, b * 1000 + t / 16 * 100 + 16, 3000 + b};
    EXPECT_EQ(std::vector<unsigned>(&result[8 * i], &result[8 * i] + 8), expected) << i;
  }
}

TEST(CooperativeGroups, TilesExchangeAndReduce) {
  KernelRunner runner(groups_ptx());
  const Address out = runner.upload(std::vector<int>(16 * 32));
  runner.run("tiles", {1}, {32}, 0, out);
  const std::vector<int> result = runner.download<int>(out, 16 * 32);
  for (int lane = 0; lane < 32; ++lane) {
    const int first = lane / 8 * 8, rank = lane % 8;
    int thirds = 0, sum = 0, before = 0;
    for (int k = 0; k < 8; ++k) {
      thirds |= ((first + k) % 3 == 0) << k;
      sum += first + k;
      if (k < rank) before += first + k;
    }
    const std::vector<int> expected = {first + 3,
                                       rank >= 2 ? lane - 2 : lane,
                                       rank < 6 ? lane + 2 : lane,
                                       lane ^ 5,
                                       thirds,
                                       (first == 8) * 2 + (first < 16),
                                       3 << (rank / 2 * 2),
                                       sum,
                                       7,
                                       before + lane,
                                       before,
                                       4 * 0 + 3 * (first + 1),
                                       first / 2};
    EXPECT_EQ(std::vector<int>(&result[16 * lane], &result[16 * lane] + 13), expected) << lane;
  }
}

TEST(CooperativeGroups, CoalescedThreadsExchangeReduceAndSplit) {
  KernelRunner runner(groups_ptx());
  const Address out = runner.upload(std::vector<int>(16 * 32));
  runner.run("coalesced", {1}, {32}, 0, out);
  const std::vector<int> result = runner.download<int>(out, 16 * 32);
  std::vector<int> members;
  for (int lane = 1; lane < 32; lane += 3) members.push_back(lane);  // 1, 4, …, 31
  const int size = static_cast<int>(members.size());
  for (int rank = 0; rank < size; ++rank) {
    const int lane = members[static_cast<std::size_t>(rank)];
    int even = 0, sum = 0, upto = 0, alike = 0, alike_before = 0, three = 0;
    for (int k = 0; k < size; ++k) {
      const int other = members[static_cast<std::size_t>(k)];
      even |= (other % 2 == 0) << k;
      sum += other;
      if (k <= rank) upto += other;
      alike += other % 4 == lane % 4;
      alike_before += other % 4 == lane % 4 && k < rank;
      if (k / 3 == rank / 3) three += other;
    }
    const std::vector<int> labels = {1, 0, 3, 2};  // of lanes 1, 4, 7 and 10: the order in which they first appear
    const int label = static_cast<int>(std::find(labels.begin(), labels.end(), lane % 4) - labels.begin());
    const std::vector<int> expected = {rank * 100 + size,
                                       members[2],
                                       rank > 0 ? lane - 3 : lane,
                                       rank + 4 < size ? lane + 12 : lane,
                                       even,
                                       sum,
                                       upto,
                                       (1 << rank) - 1,
                                       alike_before * 1000 + alike * 100 + label * 10 + 4,
                                       three,
                                       lane < 10 ? 3 : size - 3};
    EXPECT_EQ(std::vector<int>(&result[static_cast<std::size_t>(16 * lane)],
                               &result[static_cast<std::size_t>(16 * lane)] + 11),
              expected)
        << lane;
  }
}

TEST(CooperativeGroups, CopiesOfAnyLengthAndAlignment) {
  KernelRunner runner(groups_ptx());
  std::vector<char> text(100);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i);
  const Address in = runner.upload(text), out = runner.upload(std::vector<char>(100));
  for (const auto& [offset, bytes] : {std::pair{0, 100}, {0, 7}, {1, 50}, {4, 0}}) {
    runner.run("copy", {1}, {24}, 0, in + static_cast<unsigned>(offset), out, bytes);
    std::vector<char> expected(text.begin() + offset, text.begin() + offset + bytes);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(runner.download<char>(out, static_cast<std::size_t>(bytes)), expected);
  }
}

}  // namespace cooperative_groups_test
}  // namespace warpfold::host
