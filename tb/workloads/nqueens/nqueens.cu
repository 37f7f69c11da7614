// SPDX-License-Identifier: Apache-2.0
// Counts the ways to place n queens on an n x n board so that none attacks another. The host places the queens of the
// first two rows in every legal way, the first in the left half of the board; each thread searches the rest below one
// of these placements, back-tracking over a stack of its own in shared memory, and a block adds up what its threads
// found. The grid is as large whatever there is to do: most threads have no placement, and only take part in the sum.
//
// HARP's Table 5 has N-Queen with 256 blocks of 96 threads, which is NQU of gpgpu-sim/ispass2009-benchmarks at commit
// 1716296 as it comes: eight queens. Algorithm, grid and board are its own; at large ten queens.
//
//   nqueens [--size small|default|large] [--seed N]
//
// Nothing here is random: the seed changes nothing.
#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "nqueens";
constexpr int kBlockSize = 96;
constexpr int kStackRows = 10;
constexpr int kFirstRow = 2;  // of those that a thread searches

// A row under queens: a bit of `columns`, `rising` or `falling` is a column attacked in that way.
struct Row {
  unsigned columns;
  unsigned rising;
  unsigned falling;
};

// The row below, after a queen was placed.
__host__ __device__ inline Row below(const Row& row, unsigned queen) {
  return {row.columns | queen, (row.rising | queen) << 1, (row.falling | queen) >> 1};
}

__host__ __device__ inline unsigned attacked(const Row& row) { return row.columns | row.rising | row.falling; }

// The lowest column that is not taken.
__host__ __device__ inline unsigned next_column(unsigned taken) { return (taken + 1) & ~taken; }

__global__ void count_below(int placements, int n, const Row* start, unsigned* counts) {
  __shared__ Row rows[kBlockSize][kStackRows];
  __shared__ unsigned taken[kBlockSize][kStackRows];  // attacked, or tried before
  __shared__ unsigned sums[kBlockSize];
  const int thread = static_cast<int>(threadIdx.x);
  const int id = static_cast<int>(blockIdx.x) * kBlockSize + thread;
  const unsigned board = (1u << n) - 1u;
  unsigned count = 0;
  if (id < placements) {
    rows[thread][0] = start[id];
    taken[thread][0] = attacked(rows[thread][0]);
    int row = 0;
    while (row >= 0) {
      if ((taken[thread][row] & board) == board) {
        --row;
      } else {
        const unsigned queen = next_column(taken[thread][row]);
        taken[thread][row] |= queen;
        if (row + 1 == n - kFirstRow) {
          ++count;
          --row;
        } else {
          rows[thread][row + 1] = below(rows[thread][row], queen);
          taken[thread][row + 1] = attacked(rows[thread][row + 1]);
          ++row;
        }
      }
    }
  }
  sums[thread] = count;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (thread < half && thread + half < kBlockSize) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) counts[blockIdx.x] = sums[0];
}

namespace {

// All legal placements in the first rows, the first queen in the left half: the others are their mirror images.
std::vector<Row> place_first_rows(int n) {
  std::vector<Row> found;
  for (int column = 0; column < n / 2; ++column) {
    const Row row = below(Row{0, 0, 0}, 1u << column);
    for (unsigned taken = attacked(row); (~taken & ((1u << n) - 1u)) != 0; taken |= next_column(taken)) {
      found.push_back(below(row, next_column(taken)));
    }
  }
  return found;
}

// The solutions below a row, by recursion.
unsigned count_on_host(unsigned board, const Row& row) {
  if (row.columns == board) return 1;
  unsigned count = 0;
  for (unsigned free = board & ~attacked(row); free != 0; free &= free - 1) {
    count += count_on_host(board, below(row, free & (0u - free)));
  }
  return count;
}

// Solutions for boards of 0 to 10 rows (OEIS A000170).
constexpr unsigned kSolutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724};

std::string check(int n, const std::vector<Row>& placements, const std::vector<unsigned>& counts) {
  std::vector<unsigned> expected(counts.size(), 0);
  for (size_t i = 0; i < placements.size(); ++i) {
    expected[i / kBlockSize] += count_on_host((1u << n) - 1u, placements[i]);
  }
  unsigned total = 0;
  for (const unsigned count : counts) total += 2 * count;
  std::printf("nqueens: %d queens: %zu placements of the first %d, %u solutions\n", n, placements.size(), kFirstRow,
              total);
  const std::string wrong = workload::compare_equal(counts, expected);
  if (!wrong.empty() || total == kSolutions[n]) return wrong;
  return "the solutions are " + std::to_string(kSolutions[n]);
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int n = workload::by_size(options.size, 6, 8, 10);
  const unsigned blocks = workload::by_size(options.size, 4u, 256u, 256u);
  const std::vector<Row> placements = place_first_rows(n);

  const DeviceBuffer<Row> device_placements(placements);
  const DeviceBuffer<unsigned> counts(blocks);
  count_below<<<blocks, kBlockSize>>>(static_cast<int>(placements.size()), n, device_placements.get(), counts.get());
  workload::check_launch("count_below");
  return workload::verdict(check(n, placements, counts.download()));
}
