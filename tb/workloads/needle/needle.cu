// SPDX-License-Identifier: Apache-2.0
// Global alignment of two sequences (Needleman and Wunsch, Journal of Molecular Biology 1970): the score matrix in
// tiles of 16 x 16. A launch computes one diagonal of tiles, by one kernel up to the matrix's own diagonal and by
// another beyond it; within its tile a block of 16 threads follows the cells' own diagonals, which grow from one cell
// to sixteen and then shrink again.
//
// TSTBC's Table 2 and HARP's Table 5 have nw of Rodinia (asubah/rodinia at commit c7cb01d). Algorithm, tiles, blocks
// and the matrix of similarities are its own, and at default the size of its file run, 2048 by 2048, which is HARP's
// grids of 1 to 128 blocks.
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
constexpr int kPenalty = 10;  // of a gap

// What a block needs to know of the matrices: `scores` and `similarities` have a row and a column more than the
// sequences have bases, those of the empty prefixes, which the host fills. Rows are `pitch` long.
struct Matrices {
  int pitch;
  const int* similarities;
  int* scores;
};

// Scores the tile whose first cell is right and below of (row, column).
__device__ inline void score_tile(const Matrices& matrices, int row, int column) {
  __shared__ int tile[kTile + 1][kTile + 1];
  __shared__ int similarity[kTile][kTile];
  const int thread = static_cast<int>(threadIdx.x);
  const int pitch = matrices.pitch;
  int* corner = matrices.scores + row * pitch + column;
  const int* similarities = matrices.similarities + (row + 1) * pitch + column + 1;
  if (thread == 0) tile[0][0] = corner[0];
  for (int y = 0; y < kTile; ++y) similarity[y][thread] = similarities[y * pitch + thread];
  tile[thread + 1][0] = corner[(thread + 1) * pitch];
  tile[0][thread + 1] = corner[thread + 1];
  __syncthreads();
  const auto score_cell = [&](int y, int x) {
    const int match = tile[y][x] + similarity[y][x];
    tile[y + 1][x + 1] = max(match, max(tile[y][x + 1], tile[y + 1][x]) - kPenalty);
  };
  for (int last = 0; last < kTile; ++last) {  // of the threads that have a cell of this diagonal
    if (thread <= last) score_cell(last - thread, thread);
    __syncthreads();
  }
  for (int last = kTile - 2; last >= 0; --last) {
    if (thread <= last) score_cell(kTile - 1 - thread, kTile - 1 - last + thread);
    __syncthreads();
  }
  for (int y = 1; y <= kTile; ++y) corner[y * pitch + thread + 1] = tile[y][thread + 1];
}

// The diagonals that begin in the first column of tiles: block 0 is the lowest, in that column.
__global__ void score_growing(Matrices matrices, int diagonal) {
  const int block = static_cast<int>(blockIdx.x);
  score_tile(matrices, (diagonal - block) * kTile, block * kTile);
}

// Those that begin in the last row: block 0 is there.
__global__ void score_shrinking(Matrices matrices, int last_row, int first_column) {
  const int block = static_cast<int>(blockIdx.x);
  score_tile(matrices, (last_row - block) * kTile, (first_column + block) * kTile);
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

// Of every base of `down` with every one of `across`; the empty prefixes have none.
std::vector<int> similarities_of(const std::vector<Base>& across, const std::vector<Base>& down) {
  std::vector<int> similarities(across.size() + 1, 0);
  for (const Base a : down) {
    similarities.push_back(0);
    for (const Base b : across) {
      similarities.push_back(a == b ? kMatch : (a ^ b) == 2 ? kTransition : kTransversion);
    }
  }
  return similarities;
}

// The matrix before the first launch: only the scores of aligning a prefix with nothing.
std::vector<int> start_scores(int bases) {
  std::vector<int> scores(static_cast<size_t>(bases + 1) * (bases + 1), 0);
  for (int i = 1; i <= bases; ++i) {
    scores[i] = -i * kPenalty;
    scores[static_cast<size_t>(i) * (bases + 1)] = -i * kPenalty;
  }
  return scores;
}

// The same recurrence row by row, with two rows and a table of similarities.
std::string check(const std::vector<Base>& across, const std::vector<Base>& down, const std::vector<int>& scores) {
  constexpr int kTable[4][4] = {{5, -4, -1, -4}, {-4, 5, -4, -1}, {-1, -4, 5, -4}, {-4, -1, -4, 5}};
  const size_t width = across.size() + 1;
  std::vector<int> above(width);
  for (size_t x = 0; x < width; ++x) above[x] = -static_cast<int>(x) * kPenalty;
  std::vector<int> here(width);
  for (size_t y = 1; y <= down.size(); ++y) {
    here[0] = -static_cast<int>(y) * kPenalty;
    for (size_t x = 1; x < width; ++x) {
      here[x] =
          std::max({above[x - 1] + kTable[down[y - 1]][across[x - 1]], above[x] - kPenalty, here[x - 1] - kPenalty});
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
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  const int tiles = workload::by_size(options.size, 5, 128, 256);
  const int bases = tiles * kTile;
  Random random(options.seed);
  const std::vector<Base> across = random_sequence(bases, random);
  const std::vector<Base> down = relative_of(across, bases, random);

  const DeviceBuffer<int> similarities(similarities_of(across, down));
  const DeviceBuffer<int> device_scores(start_scores(bases));
  const Matrices matrices{bases + 1, similarities.get(), device_scores.get()};
  for (int diagonal = 0; diagonal < tiles; ++diagonal) {
    score_growing<<<diagonal + 1, kTile>>>(matrices, diagonal);
    workload::check_launch("score_growing");
  }
  for (int first_column = 1; first_column < tiles; ++first_column) {
    score_shrinking<<<tiles - first_column, kTile>>>(matrices, tiles - 1, first_column);
    workload::check_launch("score_shrinking");
  }
  const std::vector<int> scores = device_scores.download();
  std::printf("needle: %zu by %zu bases, score %d\n", down.size(), across.size(), scores.back());
  return workload::verdict(check(across, down, scores));
}
