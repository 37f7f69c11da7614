// SPDX-License-Identifier: Apache-2.0
// Matches short reads of different lengths against a reference sequence: for every position of a read, the longest
// stretch from there that occurs in the reference, if it has at least twenty bases, and where. One thread follows one
// read through the reference's suffix tree, whose nodes it reads through the read-only path. The problem is that of
// MUMmerGPU (Schatz et al., BMC Bioinformatics 2007); the tree is built by Ukkonen's algorithm (Algorithmica 1995).
//
// TBC's Table 1 and TSTBC's Table 2 have MUM of gpgpu-sim/ispass2009-benchmarks at commit 1716296. At default the sizes
// are those of its README's input: 50,000 reads of 25 bases against a reference of 1,399,930, in blocks of 256; 27 of
// 100 reads occur there, the others stem from the rest of the genome. HARP has a block of 100 reads, and does not say
// which.
//
//   mummer [--size small|default|large] [--seed N] [--block N] [--blocks-per-core N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;
using Base = unsigned char;  // 0 to 3

constexpr const char* kProgram = "mummer";
constexpr int kShortestMatch = 20;
constexpr int kRoot = 0;
constexpr int kNone = 0;  // no child: the root is nobody's

// Node v of the flattened tree: nodes[2 v] holds its children, one for each base; nodes[2 v + 1] the edge into it,
// which spells reference[x, y), and z, its suffix link: the node that spells v without its first base.
__device__ inline int child_of(const int4* __restrict__ nodes, int node, Base base) {
  const int4 children = nodes[2 * node];
  const int low = base == 0 ? children.x : children.y;
  const int high = base == 2 ? children.z : children.w;
  return base < 2 ? low : high;
}

// `matches` has an entry for every base of every read: the length of the match from there and its place. The tree and
// the reference are const and restrict, so the compiler reads them through the read-only path, as __ldg would.
__global__ void match_reads(int reads, int reference_length, const Base* __restrict__ reference,
                            const int4* __restrict__ nodes, const int* offsets, const Base* bases, int2* matches) {
  const int read = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (read >= reads) return;
  bases += offsets[read];
  matches += offsets[read];
  int left = offsets[read + 1] - offsets[read];
  int node = kRoot;  // the deepest node on the way that is matched completely,
  int depth = 0;     // how many bases lead to it,
  int matched = 0;   // how many match altogether,
  int stop = 0;      // and where in the reference such a match ends
  for (; left >= kShortestMatch; --left, ++bases, ++matches) {
    int child = depth < left ? child_of(nodes, node, bases[depth]) : kNone;
    while (child != kNone) {
      const int4 edge = nodes[2 * child + 1];
      // What the previous position has matched need not be compared again, only walked.
      int at = edge.x + matched - depth;
      while (at < edge.y && matched < left && reference[at] == bases[matched]) {
        ++matched;
        ++at;
        stop = at;
      }
      if (at < edge.y || edge.y == reference_length) {
        child = kNone;  // the match ends inside an edge, or at a leaf
      } else {
        node = child;
        depth = matched - (at - edge.y);
        child = depth < left ? child_of(nodes, node, bases[depth]) : kNone;
      }
    }
    if (matched >= kShortestMatch) *matches = int2{matched, stop - matched};
    if (matched > 0) --matched;
    if (node != kRoot) {
      node = nodes[2 * node + 1].z;
      --depth;
    }
  }
}

namespace {

// Ukkonen's on-line construction. There is no end marker: a suffix that is a prefix of another one ends inside the
// tree, which is all that matching needs.
class SuffixTree {
 public:
  explicit SuffixTree(const std::vector<Base>& text) : text_(text), nodes_(1) {
    nodes_.reserve(2 * text.size());
    for (int position = 0; position < static_cast<int>(text.size()); ++position) extend(position);
  }

  // The array the kernel reads, numbered level by level from the root, so that the nodes most visited lie together.
  std::vector<int4> flatten() const {
    std::vector<int> order{kRoot};
    std::vector<int> number(nodes_.size(), 0);
    for (size_t i = 0; i < order.size(); ++i) {
      number[order[i]] = static_cast<int>(i);
      for (const int child : nodes_[order[i]].children) {
        if (child != kNone) order.push_back(child);
      }
    }
    std::vector<int4> flat;
    flat.reserve(2 * order.size());
    for (const int id : order) {
      const Node& node = nodes_[id];
      const int* c = node.children;
      flat.push_back(int4{number[c[0]], number[c[1]], number[c[2]], number[c[3]]});
      flat.push_back(int4{node.begin, end_of(node), number[node.link], 0});
    }
    return flat;
  }

 private:
  static constexpr int kOpen = -1;  // a leaf's edge grows with the text

  struct Node {
    int begin = 0;
    int end = 0;
    int link = kRoot;
    int children[4] = {kNone, kNone, kNone, kNone};
  };

  int end_of(const Node& node) const { return node.end == kOpen ? static_cast<int>(text_.size()) : node.end; }

  int add_node(int begin, int end) {
    nodes_.push_back(Node());
    nodes_.back().begin = begin;
    nodes_.back().end = end;
    return static_cast<int>(nodes_.size()) - 1;
  }

  void link_last_split_to(int node) {
    if (last_split_ != kNone) nodes_[last_split_].link = node;
    last_split_ = kNone;
  }

  // Moves the active point down if it lies at or beyond the end of the edge to `child`.
  bool walked_down(int child, int position) {
    const int length = std::min(end_of(nodes_[child]), position + 1) - nodes_[child].begin;
    if (active_length_ < length) return false;
    active_edge_ += length;
    active_length_ -= length;
    active_node_ = child;
    return true;
  }

  // Cuts the edge to `child` at the active point and hangs a leaf for text[position] there.
  int split(int child, int position) {
    const int begin = nodes_[child].begin;
    const int middle = add_node(begin, begin + active_length_);
    const int leaf = add_node(position, kOpen);
    nodes_[active_node_].children[text_[active_edge_]] = middle;
    nodes_[middle].children[text_[position]] = leaf;
    nodes_[child].begin += active_length_;
    nodes_[middle].children[text_[nodes_[child].begin]] = child;
    return middle;
  }

  // One phase: adds text[position] to every suffix that still has to be made explicit.
  void extend(int position) {
    last_split_ = kNone;
    ++pending_;
    while (pending_ > 0) {
      if (active_length_ == 0) active_edge_ = position;
      const int child = nodes_[active_node_].children[text_[active_edge_]];
      if (child == kNone) {
        const int leaf = add_node(position, kOpen);
        nodes_[active_node_].children[text_[active_edge_]] = leaf;
        link_last_split_to(active_node_);
      } else {
        if (walked_down(child, position)) continue;
        if (text_[nodes_[child].begin + active_length_] == text_[position]) {
          ++active_length_;
          link_last_split_to(active_node_);
          return;
        }
        const int middle = split(child, position);
        link_last_split_to(middle);
        last_split_ = middle;
      }
      --pending_;
      if (active_node_ == kRoot && active_length_ > 0) {
        --active_length_;
        active_edge_ = position - pending_ + 1;
      } else {
        active_node_ = nodes_[active_node_].link;
      }
    }
  }

  const std::vector<Base>& text_;
  std::vector<Node> nodes_;
  int active_node_ = kRoot;
  int active_edge_ = 0;
  int active_length_ = 0;
  int pending_ = 0;
  int last_split_ = kNone;
};

// The check's own index of the reference: its suffix automaton (Blumer et al., TCS 1985).
class SuffixAutomaton {
 public:
  explicit SuffixAutomaton(const std::vector<Base>& text) : states_(1) {
    states_.reserve(2 * text.size() + 1);
    for (const Base base : text) append(base);
  }

  // For every position of a read, the length of the longest match from there: the automaton gives the longest match up
  // to every position, and the matches' first bases only move forward.
  void match(const Base* read, int length, std::vector<int>& longest) const {
    longest.assign(length, 0);
    int state = 0;
    int matched = 0;
    int first = 0;
    for (int end = 0; end < length; ++end) {
      while (state != 0 && states_[state].next[read[end]] == kMissing) {
        state = states_[state].link;
        matched = states_[state].length;
      }
      if (states_[state].next[read[end]] != kMissing) {
        state = states_[state].next[read[end]];
        ++matched;
      }
      for (; first < end + 1 - matched; ++first) longest[first] = end - first;
    }
    for (; first < length; ++first) longest[first] = length - first;
  }

 private:
  static constexpr int kMissing = -1;

  struct State {
    int length = 0;
    int link = kMissing;
    int next[4] = {kMissing, kMissing, kMissing, kMissing};
  };

  void append(int base) {
    const int added = static_cast<int>(states_.size());
    states_.push_back(State());
    states_[added].length = states_[last_].length + 1;
    int at = last_;
    for (; at != kMissing && states_[at].next[base] == kMissing; at = states_[at].link) states_[at].next[base] = added;
    last_ = added;
    if (at == kMissing) {
      states_[added].link = 0;
      return;
    }
    const int target = states_[at].next[base];
    if (states_[target].length == states_[at].length + 1) {
      states_[added].link = target;
      return;
    }
    const int copy = static_cast<int>(states_.size());
    states_.push_back(State(states_[target]));
    states_[copy].length = states_[at].length + 1;
    for (; at != kMissing && states_[at].next[base] == target; at = states_[at].link) states_[at].next[base] = copy;
    states_[target].link = copy;
    states_[added].link = copy;
  }

  std::vector<State> states_;
  int last_ = 0;
};

// New bases with copies of earlier stretches between them, one base in twenty changed, as genomes have repeats.
std::vector<Base> random_reference(int length, Random& random) {
  std::vector<Base> reference;
  while (static_cast<int>(reference.size()) < length) {
    const uint32_t stretch = 50 + random.below(450);
    const bool repeat = reference.size() > 1000 && random.below(4) == 0;
    const uint32_t from = repeat ? random.below(static_cast<uint32_t>(reference.size()) - stretch) : 0;
    for (uint32_t i = 0; i < stretch; ++i) {
      const bool copied = repeat && random.below(20) != 0;
      reference.push_back(copied ? reference[from + i] : static_cast<Base>(random.below(4)));
    }
  }
  reference.resize(length);
  return reference;
}

struct Reads {
  std::vector<int> offsets{0};
  std::vector<Base> bases;
};

// What reads are like: their lengths, how many of a hundred are foreign to the reference, and how many bases of the
// others there are for one that is misread (0: none is).
struct Kind {
  unsigned shortest, longest, foreign, bases_per_error;
};

Reads random_reads(int count, const Kind& kind, const std::vector<Base>& reference, Random& random) {
  Reads reads;
  for (int i = 0; i < count; ++i) {
    const uint32_t length = kind.shortest + random.below(kind.longest - kind.shortest + 1);
    const bool foreign = random.below(100) < kind.foreign;
    const uint32_t from = random.below(static_cast<uint32_t>(reference.size()) - length);
    for (uint32_t k = 0; k < length; ++k) {
      const bool right = !foreign && (kind.bases_per_error == 0 || random.below(kind.bases_per_error) != 0);
      reads.bases.push_back(right ? reference[from + k] : static_cast<Base>(random.below(4)));
    }
    reads.offsets.push_back(static_cast<int>(reads.bases.size()));
  }
  return reads;
}

std::string where(size_t read, int base) {
  return "read " + std::to_string(read) + " from base " + std::to_string(base);
}

// Every length must be what the automaton says, and every position must really hold that match.
std::string check(const std::vector<Base>& reference, const Reads& reads, const std::vector<int2>& matches) {
  const SuffixAutomaton automaton(reference);
  std::vector<int> longest;
  for (size_t read = 0; read + 1 < reads.offsets.size(); ++read) {
    const int begin = reads.offsets[read];
    const int length = reads.offsets[read + 1] - begin;
    automaton.match(&reads.bases[begin], length, longest);
    for (int i = 0; i < length; ++i) {
      const int expected = longest[i] >= kShortestMatch ? longest[i] : 0;
      const int2 match = matches[begin + i];
      if (match.x != expected) {
        return where(read, i) + " matches " + std::to_string(match.x) + " bases, expected " + std::to_string(expected);
      }
      const int position = match.y;
      if (expected == 0 && position == 0) continue;  // as cleared before the launch
      if (expected == 0 || position < 0 || position + expected > static_cast<int>(reference.size()) ||
          !std::equal(&reference[position], &reference[position] + expected, &reads.bases[begin + i])) {
        return where(read, i) + " does not match at position " + std::to_string(position);
      }
    }
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_grid_options(kProgram, argc, argv, true);
  Random random(options.seed);
  const std::vector<Base> reference = random_reference(workload::by_size(options.size, 4096, 1399930, 1399930), random);
  const workload::Grid grid = workload::grid_of(options, 256, workload::by_size(options.size, 400u, 50000u, 500000u));
  const int count = static_cast<int>(grid.threads);
  const Kind usual{25, 25, 73, 0};
  const Kind kind = workload::by_size(options.size, Kind{24, 48, 10, 30}, usual, usual);
  const Reads reads = random_reads(count, kind, reference, random);
  const std::vector<int4> nodes = SuffixTree(reference).flatten();

  const DeviceBuffer<Base> device_reference(reference);
  const DeviceBuffer<int4> device_nodes(nodes);
  const DeviceBuffer<int> offsets(reads.offsets);
  const DeviceBuffer<Base> bases(reads.bases);
  DeviceBuffer<int2> matches(reads.bases.size());
  matches.fill_bytes(0);
  match_reads<<<grid.blocks, grid.block>>>(count, static_cast<int>(reference.size()), device_reference.get(),
                                           device_nodes.get(), offsets.get(), bases.get(), matches.get());
  workload::check_launch("match_reads");

  const std::vector<int2> found = matches.download();
  const auto matched = std::count_if(found.begin(), found.end(), [](const int2& match) { return match.x > 0; });
  std::printf("mummer: %zu bases, %zu tree nodes, %d reads of %zu bases in all, %zu matches\n", reference.size(),
              nodes.size() / 2, count, reads.bases.size(), static_cast<size_t>(matched));
  return workload::verdict(check(reference, reads, found));
}
