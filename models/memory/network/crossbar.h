// SPDX-License-Identifier: Apache-2.0
// One direction of the interconnect: queues at the inputs, a round-robin arbiter per output, queues at the outputs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tlm>
#include <vector>

#include "warpfold/common/clock/clock.h"
#include "warpfold/memory/network/ring.h"

namespace warpfold {

// A packet of f flits granted at edge t holds its input and its output until t + f and reaches the output's queue at
// t + f - 1 + latency; a grant needs a free place in that queue or in the stages before it (one a cycle of latency), so
// nothing is ever dropped and the latency costs no bandwidth. Only the head of an input competes. Order is kept from
// each input to each output.
class Crossbar {
 public:
  struct Shape {
    unsigned inputs;
    unsigned outputs;
    std::uint32_t latency_cycles;
    std::uint32_t queue_entries;
  };
  explicit Crossbar(const Shape& shape)
      : latency_(shape.latency_cycles), words_((shape.inputs + 63) / 64), heads_(std::size_t{words_} * shape.outputs) {
    inputs_.assign(shape.inputs, Input(shape.queue_entries));
    outputs_.assign(shape.outputs, Output{});
    due_.assign(shape.outputs, kNever);
    busy_.assign((shape.outputs + 63) / 64, 0);
  }

  bool full(unsigned input) const { return inputs_[input].queue.full(); }
  // The head of that input's queue is granted no earlier, if there is one.
  Cycle grant_from(unsigned input) const {
    const Input& in = inputs_[input];
    return in.queue.empty() ? 0 : std::max(in.free_at, outputs_[in.queue.front().output].free_at);
  }
  // Places in that input's queue.
  std::size_t room(unsigned input) const { return inputs_[input].queue.capacity() - inputs_[input].queue.size(); }

  void push(unsigned input, tlm::tlm_generic_payload& payload, unsigned output, std::uint32_t flits) {
    Ring<Packet>& queue = inputs_[input].queue;
    if (queue.empty()) compete(input, output);
    queue.push({&payload, output, flits});
  }

  // `ends` have the outputs' queues. deliver(output, now) hands on what has arrived, has_place(output, now) and
  // arrive(output, payload, at) may follow; next(output, now) says when it has something to deliver;
  // has_place_from(now), when a full queue is worth another look, kNever: look_at() comes. popped(input) tells of a
  // place freed in that input's queue. Returns the next edge at which there may be work.
  template <class Ends, class Popped>
  Cycle tick(Cycle now, Ends& ends, Popped&& popped) {
    if (now < next_) return next_;
    Cycle next = kNever;
    again_ = false;
    for_each_busy([&](unsigned output) {
      visited_ = output;
      if (due_[output] <= now) set_due(output, serve(output, now, ends, popped));
      next = std::min(next, due_[output]);
    });
    visited_ = 0;
    if (again_) for_each_busy([&](unsigned output) { next = std::min(next, due_[output]); });
    next_ = next == kNever ? kNever : std::max(next, now + 1);
    return next_;
  }

  // There is something to do at this output: its receiver has taken the packet that it was given.
  void look_at(unsigned output) { set_due(output, 0); }

 private:
  struct Packet {
    tlm::tlm_generic_payload* payload;
    std::uint32_t output;
    std::uint32_t flits;
  };
  struct Input {
    explicit Input(std::uint32_t entries) : queue(entries) {}
    Ring<Packet> queue;
    Cycle free_at = 0;
  };
  struct Output {
    Cycle free_at = 0;
    unsigned next_input = 0;  // round robin
    unsigned contenders = 0;
  };

  void compete(unsigned input, unsigned output) {
    heads_[std::size_t{output} * words_ + input / 64] |= std::uint64_t{1} << (input % 64);
    ++outputs_[output].contenders;
    set_due(output, std::min(due_[output], inputs_[input].free_at));
  }

  void set_due(unsigned output, Cycle at) {
    due_[output] = at;
    again_ |= output < visited_;
    next_ = std::min(next_, at);
    std::uint64_t& busy = busy_[output / 64];
    const std::uint64_t bit = std::uint64_t{1} << (output % 64);
    busy = at != kNever ? busy | bit : busy & ~bit;
  }

  // In ascending order, with those that become busy meanwhile and are still to come.
  template <class Visit>
  void for_each_busy(Visit visit) const {
    for (unsigned word = 0; word < busy_.size(); ++word) {
      for (std::uint64_t rest = busy_[word]; rest != 0;) {
        const auto output = static_cast<unsigned>(std::countr_zero(rest));
        visit(word * 64 + output);
        rest = busy_[word] & (~std::uint64_t{1} << output);
      }
    }
  }

  // One output's work at this edge; returns its next.
  template <class Ends, class Popped>
  Cycle serve(unsigned output, Cycle now, Ends& ends, Popped&& popped) {
    ends.deliver(output, now);
    const Cycle next = outputs_[output].contenders != 0 ? grant(output, now, ends, popped) : kNever;
    return std::min(next, ends.next(output, now));
  }

  // Gives the output to the next contender in turn whose input is free; returns when to look again.
  template <class Ends, class Popped>
  Cycle grant(unsigned output, Cycle now, Ends& ends, Popped&& popped) {
    Output& out = outputs_[output];
    if (!ends.has_place(output, now)) return ends.has_place_from(now);
    if (out.free_at > now) return out.free_at;
    Cycle soonest = kNever;
    unsigned input = out.next_input;
    for (unsigned seen = 0; seen < out.contenders; ++seen) {
      input = next_head(output, input);
      if (inputs_[input].free_at <= now) {
        transfer(input, output, now, ends);
        popped(input);
        return out.contenders != 0 || !inputs_[input].queue.empty() ? out.free_at : kNever;
      }
      soonest = std::min(soonest, inputs_[input].free_at);
      input = input + 1 == inputs_.size() ? 0 : input + 1;
    }
    return soonest;
  }

  template <class Ends>
  void transfer(unsigned input, unsigned output, Cycle now, Ends& ends) {
    Input& in = inputs_[input];
    Output& out = outputs_[output];
    const Packet packet = in.queue.front();
    in.queue.pop();
    heads_[std::size_t{output} * words_ + input / 64] &= ~(std::uint64_t{1} << (input % 64));
    --out.contenders;
    in.free_at = out.free_at = now + packet.flits;
    ends.arrive(output, *packet.payload, now + packet.flits - 1 + latency_);
    out.next_input = input + 1 == inputs_.size() ? 0 : input + 1;
    if (!in.queue.empty()) compete(input, in.queue.front().output);
  }

  // The first contender for the output at or after `from`, wrapping; there is one.
  unsigned next_head(unsigned output, unsigned from) const {
    const std::uint64_t* words = &heads_[std::size_t{output} * words_];
    unsigned word = from / 64;
    std::uint64_t bits = words[word] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      word = word + 1 == words_ ? 0 : word + 1;
      bits = words[word];
    }
    return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
  }

  std::uint32_t latency_;
  unsigned words_;
  std::vector<std::uint64_t> heads_;  // per output: the inputs whose oldest packet goes there
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<Cycle> due_;           // per output: the next edge at which it may have work
  std::vector<std::uint64_t> busy_;  // the outputs that have such an edge, a bit each
  Cycle next_ = kNever;              // none of those edges is before
  unsigned visited_ = 0;             // the output that tick() serves
  bool again_ = false;               // serving it has brought a contender to one before it
};

}  // namespace warpfold
