// SPDX-License-Identifier: Apache-2.0
// Counts the ways to place n queens on an n x n board so that none attacks another. The host places the queens of the
// first rows in every legal way; each thread searches the rest below one of these placements, back-tracking over a
// stack of its own in shared memory. The subtrees differ in size and shape.
//
//   nqueens-divergent [--size small|default|large] [--seed N] [--blocks-per-core N]
//
// Nothing here is random: the seed changes nothing. Where a launch has fewer placements than there are, they are taken
// evenly from all.
#include "../common/workload.h"

using workload::DeviceBuffer;

constexpr const char* kProgram = "nqueens-divergent";
constexpr int kBlockSize = 128;
constexpr int kStackRows = 8;

// The board below a placement: bit c of `columns` is a taken column; a queen at (row, c) takes bit row + c of `rising`
// and bit c - row + n - 1 of `falling`.
struct Board {
  unsigned columns;
  unsigned rising;
  unsigned falling;
};

__host__ __device__ inline unsigned free_columns(const Board& board, int row, int n) {
  const unsigned taken = board.columns | (board.rising >> row) | (board.falling >> (n - 1 - row));
  return ~taken & ((1u << n) - 1u);
}

// Places a queen, or takes it away again.
__host__ __device__ inline void toggle(Board& board, unsigned queen, int row, int n) {
  board.columns ^= queen;
  board.rising ^= queen << row;
  board.falling ^= queen << (n - 1 - row);
}

__global__ void count_below(int boards, int n, int first_row, const Board* start, unsigned* counts) {
  // The free columns of each row above the current one, the queen's own still among them: the lowest bit.
  __shared__ unsigned short stack[kStackRows][kBlockSize];
  const int thread = static_cast<int>(threadIdx.x);
  const int id = static_cast<int>(blockIdx.x) * kBlockSize + thread;
  if (id >= boards) return;
  Board board = start[id];
  unsigned count = 0;
  int row = first_row;
  unsigned free = free_columns(board, row, n);
  for (;;) {
    if (free == 0) {
      if (row == first_row) break;
      --row;
      free = stack[row - first_row][thread];
      const unsigned queen = free & (0u - free);
      toggle(board, queen, row, n);
      free ^= queen;
    } else if (row == n - 1) {
      ++count;  // one column is left in the last row
      free = 0;
    } else {
      stack[row - first_row][thread] = static_cast<unsigned short>(free);
      toggle(board, free & (0u - free), row, n);
      ++row;
      free = free_columns(board, row, n);
    }
  }
  counts[id] = count;
}

namespace {

// All legal placements in the rows before `first_row`, in the order a search from the lowest column finds them.
void place_first_rows(int n, int first_row, int row, Board board, std::vector<Board>& found) {
  if (row == first_row) {
    found.push_back(board);
    return;
  }
  for (unsigned free = free_columns(board, row, n); free != 0; free &= free - 1) {
    Board next = board;
    toggle(next, free & (0u - free), row, n);
    place_first_rows(n, first_row, row + 1, next, found);
  }
}

// `count` of them in steps that are as even as can be; all, if there are not so many.
std::vector<Board> some_of(const std::vector<Board>& all, size_t count) {
  if (count >= all.size()) return all;
  std::vector<Board> some;
  for (size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

// Counts with attacks that move sideways row by row, which shares nothing with the device's bookkeeping.
unsigned count_on_host(unsigned all, unsigned columns, unsigned rising, unsigned falling) {
  if (columns == all) return 1;
  unsigned count = 0;
  for (unsigned free = all & ~(columns | rising | falling); free != 0; free &= free - 1) {
    const unsigned queen = free & (0u - free);
    count += count_on_host(all, columns | queen, (rising | queen) >> 1, (falling | queen) << 1);
  }
  return count;
}

// Solutions for boards of 0 to 14 rows (OEIS A000170).
constexpr unsigned kSolutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};

// `complete`: the boards are all there are, so their solutions are the known number.
std::string check(int n, int first_row, const std::vector<Board>& boards, bool complete,
                  const std::vector<unsigned>& counts) {
  unsigned total = 0;
  const unsigned all = (1u << n) - 1u;
  for (size_t i = 0; i < boards.size(); ++i) {
    const Board& board = boards[i];
    const unsigned expected = count_on_host(all, board.columns, (board.rising >> first_row) & all,
                                            (board.falling >> (n - 1 - first_row)) & all);
    if (counts[i] != expected) {
      return "placement " + std::to_string(i) + " has " + std::to_string(counts[i]) + " solutions, expected " +
             std::to_string(expected);
    }
    total += counts[i];
  }
  std::printf("nqueens-divergent: %d queens: %zu placements of the first %d, %u solutions\n", n, boards.size(),
              first_row, total);
  if (complete && total != kSolutions[n]) return "the solutions are " + std::to_string(kSolutions[n]);
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_grid_options(kProgram, argc, argv, false);
  const int n = workload::by_size(options.size, 9, 13, 14);
  const int first_row = workload::by_size(options.size, 3, 6, 6);
  std::vector<Board> all;
  place_first_rows(n, first_row, 0, Board{0, 0, 0}, all);
  const auto placements = static_cast<unsigned>(all.size());
  const unsigned usual = workload::by_size(options.size, placements, 61440u, placements);  // of 118k, at default
  const workload::Grid grid = workload::grid_of(options, kBlockSize, usual);
  const std::vector<Board> boards = some_of(all, grid.threads);

  const DeviceBuffer<Board> device_boards(boards);
  const DeviceBuffer<unsigned> device_counts(boards.size());
  count_below<<<grid.blocks, kBlockSize>>>(static_cast<int>(boards.size()), n, first_row, device_boards.get(),
                                           device_counts.get());
  workload::check_launch("count_below");
  const bool complete = boards.size() == all.size();
  return workload::verdict(check(n, first_row, boards, complete, device_counts.download()));
}
