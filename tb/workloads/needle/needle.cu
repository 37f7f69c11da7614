// SPDX-License-Identifier: Apache-2.0
// Global alignment of two sequences (Needleman and Wunsch, Journal of Molecular Biology 1970): the score matrix in
// tiles of 16 x 16. A launch computes one diagonal of tiles; within its tile a block of 16 threads follows the cells'
// own diagonals, which grow from one cell to sixteen and shrink again.
//
//   needle [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;
using Base = unsigned char;  // 0 to 3: A, C, G, T

constexpr const char* kProgram = "needle";
constexpr int kTile = 16;
constexpr int kMatch = 5;
constexpr int kTransition = -1;  // A for G or C for T, the likelier mutations
constexpr int kTransversion = -4;
constexpr int kGap = -7;

// Where the tiles of a diagonal are: block 0 is the uppermost, right in the matrix.
struct Diagonal {
  int row;
  int column;
};

__device__ inline int similarity(Base a, Base b) {
  if (a == b) return kMatch;
  return (a ^ b) == 2 ? kTransition : kTransversion;
}

// `scores` has a row and a column more than the sequences have bases: those of the empty prefixes, which the host
// fills. Its rows are `columns` + 1 long.
__global__ void score_tiles(Diagonal first, int columns, const Base* across, const Base* down, int* scores) {
  __shared__ int tile[kTile + 1][kTile + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int row = (first.row + static_cast<int>(blockIdx.x)) * kTile;
  const int column = (first.column - static_cast<int>(blockIdx.x)) * kTile;
  const int pitch = columns + 1;
  int* corner = scores + row * pitch + column;
  const Base own = across[column + thread];  // a thread owns a column of the tile
  tile[0][thread + 1] = corner[thread + 1];
  tile[thread + 1][0] = corner[(thread + 1) * pitch];
  if (thread == 0) tile[0][0] = corner[0];
  __syncthreads();
  for (int step = 0; step < 2 * kTile - 1; ++step) {
    const int y = step - thread;
    if (y >= 0 && y < kTile) {
      const int diagonal = tile[y][thread] + similarity(own, down[row + y]);
      const int gap = max(tile[y][thread + 1], tile[y + 1][thread]) + kGap;
      tile[y + 1][thread + 1] = max(diagonal, gap);
    }
    __syncthreads();
  }
  for (int y = 1; y <= kTile; ++y) corner[y * pitch + thread + 1] = tile[y][thread + 1];
}

namespace {

std::vector<Base> random_sequence(int length, Random& random) {
  std::vector<Base> sequence(length);
  for (Base& base : sequence) base = static_cast<Base>(random.below(4));
  return sequence;
}

// A relative of `sequence`: one base in ten is mutated, one in forty is left out, and before one in forty stands a new
// one. Cut or filled up to `length`.
std::vector<Base> relative_of(const std::vector<Base>& sequence, int length, Random& random) {
  std::vector<Base> relative;
  for (const Base base : sequence) {
    const uint32_t draw = random.below(40);
    if (draw == 0) continue;
    if (draw == 1) relative.push_back(static_cast<Base>(random.below(4)));
    relative.push_back(draw < 6 ? static_cast<Base>(random.below(4)) : base);
  }
  while (static_cast<int>(relative.size()) < length) relative.push_back(static_cast<Base>(random.below(4)));
  relative.resize(length);
  return relative;
}

// The matrix before the first launch: only the scores of aligning a prefix with nothing.
std::vector<int> start_scores(int rows, int columns) {
  std::vector<int> scores(static_cast<size_t>(rows + 1) * (columns + 1), 0);
  for (int column = 1; column <= columns; ++column) scores[column] = column * kGap;
  for (int row = 1; row <= rows; ++row) scores[static_cast<size_t>(row) * (columns + 1)] = row * kGap;
  return scores;
}

// The same recurrence row by row, with two rows and a table of similarities.
std::string check(const std::vector<Base>& across, const std::vector<Base>& down, const std::vector<int>& scores) {
  constexpr int kTable[4][4] = {{5, -4, -1, -4}, {-4, 5, -4, -1}, {-1, -4, 5, -4}, {-4, -1, -4, 5}};
  const size_t width = across.size() + 1;
  std::vector<int> above(width);
  for (size_t x = 0; x < width; ++x) above[x] = static_cast<int>(x) * kGap;
  std::vector<int> here(width);
  for (size_t y = 1; y <= down.size(); ++y) {
    here[0] = static_cast<int>(y) * kGap;
    for (size_t x = 1; x < width; ++x) {
      here[x] = std::max({above[x - 1] + kTable[down[y - 1]][across[x - 1]], above[x] + kGap, here[x - 1] + kGap});
      if (scores[y * width + x] != here[x]) {
        return "row " + std::to_string(y) + ", column " + std::to_string(x) + " scores " +
               std::to_string(scores[y * width + x]) + ", expected " + std::to_string(here[x]);
      }
    }
    above.swap(here);
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_grid_options(kProgram, argc, argv, false);
  const unsigned usual_rows = workload::by_size(options.size, 5u, 64u, 200u);
  const int tile_rows = static_cast<int>(workload::grid_of(options, kTile, usual_rows * kTile).blocks);
  const int tile_columns = workload::by_size(options.size, 4, 64, 200);
  Random random(options.seed);
  const std::vector<Base> across = random_sequence(tile_columns * kTile, random);
  const std::vector<Base> down = relative_of(across, tile_rows * kTile, random);

  const DeviceBuffer<Base> device_across(across);
  const DeviceBuffer<Base> device_down(down);
  const DeviceBuffer<int> device_scores(start_scores(tile_rows * kTile, tile_columns * kTile));
  for (int diagonal = 0; diagonal < tile_rows + tile_columns - 1; ++diagonal) {
    const int top = std::max(0, diagonal - (tile_columns - 1));
    const int bottom = std::min(diagonal, tile_rows - 1);
    score_tiles<<<bottom - top + 1, kTile>>>({top, diagonal - top}, tile_columns * kTile, device_across.get(),
                                             device_down.get(), device_scores.get());
    workload::check_launch("score_tiles");
  }
  const std::vector<int> scores = device_scores.download();
  std::printf("needle: %zu by %zu bases, score %d\n", down.size(), across.size(), scores.back());
  return workload::verdict(check(across, down, scores));
}
