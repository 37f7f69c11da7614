// SPDX-License-Identifier: Apache-2.0
// Matches short queries of different lengths against a reference sequence: from the first base on, the longest stretch
// of a query that occurs in the reference, if it has at least twenty bases, and where; then on behind it, or from eight
// bases further. One thread searches for one query in the reference's suffix array (Manber and Myers, SIAM Journal on
// Computing 1993), as MUMmerGPU++ does (Gharaibeh and Ripeanu, SC 2010); the workload mummer has a suffix tree.
//
//   mummer-pp [--size small|default|large] [--seed N] [--block N] [--blocks-per-core N]
#include <algorithm>
#include <numeric>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;
using Base = unsigned char;  // 0 to 3

constexpr const char* kProgram = "mummer-pp";
constexpr int kShortestMatch = 20;
constexpr int kStride = 8;

struct Match {
  int length;
  int position;
};

// Finds the longest prefix of bases[0, length) in the reference. Of the suffixes between the last ones found to be less
// and greater, all share with the bases at least what both of those do, so that is not compared again.
__device__ inline Match longest_match(int reference_length, const Base* __restrict__ reference,
                                      const int* __restrict__ suffixes, const Base* bases, int length) {
  Match longest{0, 0};
  int low = 0;
  int high = reference_length;
  int matched_below = 0;
  int matched_above = 0;
  while (low < high && longest.length < length) {
    const int middle = (low + high) / 2;
    const int position = suffixes[middle];
    const int most = min(length, reference_length - position);
    int matched = min(matched_below, matched_above);
    while (matched < most && reference[position + matched] == bases[matched]) ++matched;
    if (matched > longest.length) longest = Match{matched, position};
    if (matched == most || reference[position + matched] < bases[matched]) {
      low = middle + 1;  // a suffix that ends is less than its continuations
      matched_below = matched;
    } else {
      high = middle;
      matched_above = matched;
    }
  }
  return longest;
}

// `matches` has an entry for every base of every query. The array and the reference are const and restrict, so the
// compiler reads them through the read-only path, as __ldg would.
__global__ void match_queries(int queries, int reference_length, const Base* __restrict__ reference,
                              const int* __restrict__ suffixes, const int* offsets, const Base* bases, Match* matches) {
  const int query = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (query >= queries) return;
  const int end = offsets[query + 1];
  int begin = offsets[query];
  while (begin + kShortestMatch <= end) {
    const Match match = longest_match(reference_length, reference, suffixes, bases + begin, end - begin);
    const bool enough = match.length >= kShortestMatch;
    if (enough) matches[begin] = match;
    begin += enough ? match.length : kStride;
  }
}

namespace {

// Prefix doubling (Manber and Myers): once the suffixes are ordered by their first k bases, the pair of the ranks of a
// suffix and of the one k further on orders them by 2 k.
std::vector<int> suffix_array(const std::vector<Base>& text) {
  const int length = static_cast<int>(text.size());
  std::vector<int> suffixes(length);
  std::iota(suffixes.begin(), suffixes.end(), 0);
  std::vector<int> rank(text.begin(), text.end());
  std::vector<int> next_rank(length);
  for (int known = 1;; known *= 2) {
    const auto key = [&](int suffix) {
      return std::make_pair(rank[suffix], suffix + known < length ? rank[suffix + known] : -1);
    };
    std::sort(suffixes.begin(), suffixes.end(), [&](int a, int b) { return key(a) < key(b); });
    next_rank[suffixes[0]] = 0;
    for (int i = 1; i < length; ++i) {
      next_rank[suffixes[i]] = next_rank[suffixes[i - 1]] + (key(suffixes[i - 1]) < key(suffixes[i]) ? 1 : 0);
    }
    rank.swap(next_rank);
    if (rank[suffixes[length - 1]] == length - 1) return suffixes;
  }
}

// A sequence that repeats earlier stretches of itself, as genomes do: one in three of its stretches is a copy.
std::vector<Base> random_reference(int length, Random& random) {
  std::vector<Base> reference(length);
  for (Base& base : reference) base = static_cast<Base>(random.below(4));
  for (int to = 500; to + 300 < length; to += 300) {
    if (random.below(3) != 0) continue;
    const int from = static_cast<int>(random.below(static_cast<uint32_t>(to - 200)));
    std::copy_n(reference.begin() + from, 20 + random.below(180), reference.begin() + to);
  }
  return reference;
}

struct Queries {
  std::vector<int> offsets{0};
  std::vector<Base> bases;
};

// Queries of 20 to 50 bases. Seven of eight stem from the reference, and up to three of their bases are misread.
Queries random_queries(int count, const std::vector<Base>& reference, Random& random) {
  Queries queries;
  for (int i = 0; i < count; ++i) {
    const uint32_t length = 20 + random.below(31);
    const uint32_t from = random.below(static_cast<uint32_t>(reference.size()) - length);
    std::vector<Base> query(reference.begin() + from, reference.begin() + from + length);
    const bool foreign = random.below(8) == 0;
    const uint32_t misread = foreign ? length : random.below(4);
    for (uint32_t k = 0; k < misread; ++k)
      query[foreign ? k : random.below(length)] = static_cast<Base>(random.below(4));
    queries.bases.insert(queries.bases.end(), query.begin(), query.end());
    queries.offsets.push_back(static_cast<int>(queries.bases.size()));
  }
  return queries;
}

// The check's own index: every stretch of kShortestMatch bases of the reference as a number, with where it begins.
class StretchIndex {
 public:
  explicit StretchIndex(const std::vector<Base>& reference) : reference_(reference) {
    for (size_t begin = 0; begin + kShortestMatch <= reference.size(); ++begin) {
      stretches_.emplace_back(code(&reference[begin]), static_cast<int>(begin));
    }
    std::sort(stretches_.begin(), stretches_.end());
  }

  // The length of the longest match of bases[0, length): tries all places where its first kShortestMatch occur.
  int longest(const Base* bases, int length) const {
    const uint64_t wanted = code(bases);
    int longest = 0;
    for (auto it = std::lower_bound(stretches_.begin(), stretches_.end(), std::make_pair(wanted, 0));
         it != stretches_.end() && it->first == wanted; ++it) {
      const int most = std::min(length, static_cast<int>(reference_.size()) - it->second);
      const Base* there = &reference_[it->second];
      longest = std::max(longest, static_cast<int>(std::mismatch(there, there + most, bases).first - there));
    }
    return longest;
  }

 private:
  static uint64_t code(const Base* bases) {
    return std::accumulate(bases, bases + kShortestMatch, uint64_t{0},
                           [](uint64_t code, Base base) { return 4 * code + base; });
  }

  const std::vector<Base>& reference_;
  std::vector<std::pair<uint64_t, int>> stretches_;
};

// Every length must be what the index says, and every position must really hold that match.
std::string check(const std::vector<Base>& reference, const Queries& queries, const std::vector<Match>& matches) {
  const StretchIndex index(reference);
  const int size = static_cast<int>(reference.size());
  for (size_t query = 0; query + 1 < queries.offsets.size(); ++query) {
    const int end = queries.offsets[query + 1];
    int next = queries.offsets[query];  // where a match can begin
    for (int i = next; i < end; ++i) {
      const std::string where = "query " + std::to_string(query) + ", base " + std::to_string(i) + " of all";
      const Base* bases = &queries.bases[i];
      const int expected = i < next || end - i < kShortestMatch ? 0 : index.longest(bases, end - i);
      if (i == next) next += expected > 0 ? expected : kStride;
      const Match& match = matches[i];
      if (match.length != expected) {
        return where + ": matches " + std::to_string(match.length) + " bases, expected " + std::to_string(expected);
      }
      const bool inside = match.position >= 0 && match.position + expected <= size;
      if (!inside || !std::equal(bases, bases + expected, reference.begin() + match.position)) {
        return where + ": no match at position " + std::to_string(match.position);
      }
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_grid_options(kProgram, argc, argv, true);
  Random random(options.seed);
  const std::vector<Base> reference = random_reference(workload::by_size(options.size, 3000, 100000, 500000), random);
  const workload::Grid grid = workload::grid_of(options, workload::by_size(options.size, 256u, 192u, 192u),
                                                workload::by_size(options.size, 300u, 69120u, 691200u));
  const int count = static_cast<int>(grid.threads);
  const Queries queries = random_queries(count, reference, random);

  const DeviceBuffer<Base> device_reference(reference);
  const DeviceBuffer<int> suffixes(suffix_array(reference));
  const DeviceBuffer<int> offsets(queries.offsets);
  const DeviceBuffer<Base> bases(queries.bases);
  DeviceBuffer<Match> matches(queries.bases.size());
  matches.fill_bytes(0);
  match_queries<<<grid.blocks, grid.block>>>(count, static_cast<int>(reference.size()), device_reference.get(),
                                             suffixes.get(), offsets.get(), bases.get(), matches.get());
  workload::check_launch("match_queries");

  const std::vector<Match> found = matches.download();
  const auto matched = std::count_if(found.begin(), found.end(), [](const Match& match) { return match.length > 0; });
  std::printf("mummer-pp: %zu bases, %d queries of %zu bases in all, %zu matches\n", reference.size(), count,
              queries.bases.size(), static_cast<size_t>(matched));
  return workload::verdict(check(reference, queries, found));
}
