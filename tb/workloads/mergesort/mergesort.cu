// SPDX-License-Identifier: Apache-2.0
// Merge sort of keys with values. A block sorts 1024 pairs in shared memory, by merging runs that double in length.
// From there on, every 128th key of two runs is a sample; the places of all samples in both runs cut their merge into
// pieces of at most 128 keys of either, and a block merges a piece. Everywhere a thread finds the place of its key by
// binary search in the other run, of as many steps in every thread (Satish, Harris, Garland: Designing Efficient
// Sorting Algorithms for Manycore GPUs, IPDPS 2009, section 5).
//
// TSTBC's Table 2 has mergeSort of the CUDA SDK. Algorithm, sizes of blocks and keys, equal numbers below 65,536, are
// those of Samples/mergeSort of NVIDIA/cuda-samples, release 11.5: at large its 4,194,304 keys, at default a sixteenth
// of them, since all take minutes.
//
//   mergesort [--size small|default|large] [--seed N]
#include <algorithm>
#include <numeric>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "mergesort";
constexpr unsigned kSorted = 1024;  // pairs that a block sorts, two a thread
constexpr unsigned kSortThreads = kSorted / 2;
constexpr unsigned kPiece = 128;  // between two samples
constexpr unsigned kSampleThreads = 256;
constexpr unsigned kKeyBound = 65536;

// Pairs in two arrays.
struct Pairs {
  unsigned* keys;
  unsigned* values;
};

// Which of two equal keys comes first: that of the left run.
enum class From { kLeft, kRight };

// How many of the `count` sorted keys of the other run, from `begin` on, stand before `key` in the merge. The first
// step is `width`, a power of two not below `count`, so that all threads take equally many.
template <From kFrom>
__device__ inline unsigned rank_of(unsigned key, const unsigned* keys, unsigned begin, unsigned count, unsigned width) {
  if (count == 0) return 0;
  unsigned rank = 0;
  for (unsigned step = width; step > 0; step /= 2) {
    const unsigned probe = min(rank + step, count);
    const unsigned last = keys[begin + probe - 1];
    const bool before = kFrom == From::kLeft ? last < key : last <= key;
    rank = before ? probe : rank;
  }
  return rank;
}

__global__ void sort_blocks(Pairs from, Pairs to) {
  __shared__ unsigned keys[kSorted];
  __shared__ unsigned values[kSorted];
  const unsigned thread = threadIdx.x;
  const size_t first = blockIdx.x * kSorted + thread;
  keys[thread] = from.keys[first];
  values[thread] = from.values[first];
  keys[thread + kSortThreads] = from.keys[first + kSortThreads];
  values[thread + kSortThreads] = from.values[first + kSortThreads];
  for (unsigned width = 1; width < kSorted; width *= 2) {
    const unsigned place = thread & (width - 1);
    const unsigned left_run = 2 * (thread - place);  // of the two that this thread helps to merge
    const unsigned right_run = left_run + width;
    __syncthreads();
    const unsigned left = keys[left_run + place];
    const unsigned left_value = values[left_run + place];
    const unsigned right = keys[right_run + place];
    const unsigned right_value = values[right_run + place];
    const unsigned left_place = left_run + place + rank_of<From::kLeft>(left, keys, right_run, width, width);
    const unsigned right_place = left_run + place + rank_of<From::kRight>(right, keys, left_run, width, width);
    __syncthreads();
    keys[left_place] = left;
    values[left_place] = left_value;
    keys[right_place] = right;
    values[right_place] = right_value;
  }
  __syncthreads();
  to.keys[first] = keys[thread];
  to.values[first] = values[thread];
  to.keys[first + kSortThreads] = keys[thread + kSortThreads];
  to.values[first + kSortThreads] = values[thread + kSortThreads];
}

// A thread has a sample of either run of a pair. For all samples of a pair, first those of its left run, `in_left` and
// `in_right` get how many keys of the left and of the right run stand before it.
__global__ void rank_samples(unsigned threads, unsigned width, const unsigned* keys, unsigned* in_left,
                             unsigned* in_right) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  const unsigned samples = width / kPiece;  // of a run
  const unsigned sample = thread & (samples - 1);
  const unsigned pair = 2 * (thread - sample);  // where its samples begin
  const unsigned* left = keys + pair * kPiece;
  const unsigned* right = left + width;
  const unsigned own = sample * kPiece;
  in_left[pair + sample] = own;
  in_right[pair + sample] = rank_of<From::kLeft>(left[own], right, 0, width, width);
  in_left[pair + samples + sample] = rank_of<From::kRight>(right[own], left, 0, width, width);
  in_right[pair + samples + sample] = own;
}

// Merges the ranks of both runs' samples in one of the runs: these are where its pieces begin.
__global__ void merge_ranks(unsigned threads, unsigned width, const unsigned* ranks, unsigned* begins) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  const unsigned samples = width / kPiece;
  const unsigned sample = thread & (samples - 1);
  const unsigned* left = ranks + 2 * (thread - sample);
  const unsigned* right = left + samples;
  begins += 2 * (thread - sample);
  begins[sample + rank_of<From::kLeft>(left[sample], right, 0, samples, samples)] = left[sample];
  begins[sample + rank_of<From::kRight>(right[sample], left, 0, samples, samples)] = right[sample];
}

// A block merges the piece of its number.
__global__ void merge_pieces(unsigned width, const unsigned* left_begins, const unsigned* right_begins, Pairs from,
                             Pairs to) {
  __shared__ unsigned keys[2 * kPiece];
  __shared__ unsigned values[2 * kPiece];
  __shared__ unsigned left_begin, right_begin, left_count, right_count;
  const unsigned thread = threadIdx.x;
  const unsigned pieces = 2 * width / kPiece;  // of a pair of runs
  const unsigned piece = blockIdx.x & (pieces - 1);
  const unsigned pair = (blockIdx.x - piece) * kPiece;  // where its keys begin
  if (thread == 0) {
    const bool last = piece + 1 == pieces;
    left_begin = left_begins[blockIdx.x];
    right_begin = right_begins[blockIdx.x];
    left_count = (last ? width : left_begins[blockIdx.x + 1]) - left_begin;
    right_count = (last ? width : right_begins[blockIdx.x + 1]) - right_begin;
  }
  __syncthreads();
  if (thread < left_count) {
    keys[thread] = from.keys[pair + left_begin + thread];
    values[thread] = from.values[pair + left_begin + thread];
  }
  if (thread < right_count) {
    keys[kPiece + thread] = from.keys[pair + width + right_begin + thread];
    values[kPiece + thread] = from.values[pair + width + right_begin + thread];
  }
  __syncthreads();
  unsigned left_key = 0;
  unsigned left_value = 0;
  unsigned left_place = 0;
  unsigned right_key = 0;
  unsigned right_value = 0;
  unsigned right_place = 0;
  if (thread < left_count) {
    left_key = keys[thread];
    left_value = values[thread];
    left_place = thread + rank_of<From::kLeft>(left_key, keys, kPiece, right_count, kPiece);
  }
  if (thread < right_count) {
    right_key = keys[kPiece + thread];
    right_value = values[kPiece + thread];
    right_place = thread + rank_of<From::kRight>(right_key, keys, 0, left_count, kPiece);
  }
  __syncthreads();
  if (thread < left_count) {
    keys[left_place] = left_key;
    values[left_place] = left_value;
  }
  if (thread < right_count) {
    keys[right_place] = right_key;
    values[right_place] = right_value;
  }
  __syncthreads();
  const unsigned begin = pair + left_begin + right_begin;
  if (thread < left_count) {
    to.keys[begin + thread] = keys[thread];
    to.values[begin + thread] = values[thread];
  }
  if (thread < right_count) {
    to.keys[begin + left_count + thread] = keys[left_count + thread];
    to.values[begin + left_count + thread] = values[left_count + thread];
  }
}

namespace {

struct Sorted {
  std::vector<unsigned> keys;
  std::vector<unsigned> values;
};

// The values are the keys' places in the input.
Sorted sort_on_device(const std::vector<unsigned>& input) {
  const auto count = static_cast<unsigned>(input.size());  // kSorted times a power of two
  std::vector<unsigned> places(count);
  std::iota(places.begin(), places.end(), 0u);
  const DeviceBuffer<unsigned> keys(input);
  const DeviceBuffer<unsigned> values(places);
  const DeviceBuffer<unsigned> other_keys(count);
  const DeviceBuffer<unsigned> other_values(count);
  const DeviceBuffer<unsigned> in_left(count / kPiece);
  const DeviceBuffer<unsigned> in_right(count / kPiece);
  const DeviceBuffer<unsigned> left_begins(count / kPiece);
  const DeviceBuffer<unsigned> right_begins(count / kPiece);
  Pairs from{other_keys.get(), other_values.get()};
  Pairs to{keys.get(), values.get()};
  sort_blocks<<<count / kSorted, kSortThreads>>>(to, from);
  workload::check_launch("sort_blocks");
  const unsigned threads = count / (2 * kPiece);
  const unsigned blocks = (threads + kSampleThreads - 1) / kSampleThreads;
  for (unsigned width = kSorted; width < count; width *= 2) {
    rank_samples<<<blocks, kSampleThreads>>>(threads, width, from.keys, in_left.get(), in_right.get());
    workload::check_launch("rank_samples");
    merge_ranks<<<blocks, kSampleThreads>>>(threads, width, in_left.get(), left_begins.get());
    merge_ranks<<<blocks, kSampleThreads>>>(threads, width, in_right.get(), right_begins.get());
    workload::check_launch("merge_ranks");
    merge_pieces<<<count / kPiece, kPiece>>>(width, left_begins.get(), right_begins.get(), from, to);
    workload::check_launch("merge_pieces");
    std::swap(from, to);
  }
  return from.keys == keys.get() ? Sorted{keys.download(), values.download()}
                                 : Sorted{other_keys.download(), other_values.download()};
}

// Keys in order, equal ones in the order of the input.
std::string check(const std::vector<unsigned>& input, const Sorted& sorted) {
  std::vector<unsigned> values(input.size());
  std::iota(values.begin(), values.end(), 0u);
  std::stable_sort(values.begin(), values.end(), [&](unsigned a, unsigned b) { return input[a] < input[b]; });
  std::vector<unsigned> keys;
  for (const unsigned value : values) keys.push_back(input[value]);
  const std::string wrong = workload::compare_equal(sorted.keys, keys);
  return wrong.empty() ? workload::compare_equal(sorted.values, values) : "among the keys, " + wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  Random random(options.seed);
  std::vector<unsigned> keys(workload::by_size(options.size, 8 * kSorted, 256 * kSorted, 4096 * kSorted));
  for (unsigned& key : keys) key = random.below(kKeyBound);
  const Sorted sorted = sort_on_device(keys);
  std::printf("mergesort: %zu keys, least %u, greatest %u\n", keys.size(), sorted.keys.front(), sorted.keys.back());
  return workload::verdict(check(keys, sorted));
}
