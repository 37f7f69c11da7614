// SPDX-License-Identifier: Apache-2.0
#include "block.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <vector>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_twin {
namespace {

constexpr std::size_t kStackBytes = 1 << 20;  // for walks that recurse
constexpr unsigned kWarp = 32;

[[noreturn]] void fail(const char* what, const char* operation, unsigned thread) {
  std::fprintf(stderr, "cuda twin: %s: %s, thread %u of block (%u, %u, %u)\n", operation, what, thread, blockIdx.x,
               blockIdx.y, blockIdx.z);
  std::exit(3);
}

// One meeting of threads of a warp, or of a block: open until all who can come are there.
struct Meeting {
  const char* operation;
  std::uint32_t mask;                    // of a warp's; 0: a block's
  unsigned barrier = 0, of_threads = 0;  // of a block's
  std::vector<std::uint32_t> arrived{};  // by warp, likewise
  WarpMeeting warp{};
  BlockMeeting block{};
  unsigned inside = 0;  // who came and have not left yet
  bool closed = false;
};

struct Thread {
  ucontext_t context;
  uint3 index;
  bool ended = false;
  Meeting* waits_for = nullptr;
};

// Stacks are kept from block to block.
class Stacks {
 public:
  void* of(unsigned thread) {
    while (stacks_.size() <= thread) {
      void* const stack =
          ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (stack == MAP_FAILED) fail("no memory for stacks", "launch", thread);
      stacks_.push_back(stack);
    }
    return stacks_[thread];
  }

 private:
  std::vector<void*> stacks_;
};

class Block {
 public:
  Block(dim3 shape, const std::function<void()>& body);
  void run(bool backwards);

  WarpMeeting meet_warp(const char* operation, std::uint32_t mask, std::uint64_t value);
  BlockMeeting meet_block(const char* operation, bool value, BarrierName name);
  unsigned lane() const { return current_ % kWarp; }

 private:
  void prepare(unsigned thread);
  static void enter();
  bool resume(unsigned thread);
  void wait(Meeting& meeting);
  bool complete(unsigned thread, const Meeting& meeting) const;
  std::list<Meeting>::iterator open(std::list<Meeting>& meetings, const Meeting& wanted);

  static Stacks stacks_;
  const std::function<void()>& body_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> live_;  // of each warp
  std::vector<std::list<Meeting>> warp_meetings_;
  std::list<Meeting> block_meetings_;
  unsigned live_threads_;
  unsigned current_ = 0;
  ucontext_t scheduler_;
};

Stacks Block::stacks_;
Block* running = nullptr;
bool backwards_now = false;
std::vector<std::max_align_t> dynamic_memory;

Block::Block(dim3 shape, const std::function<void()>& body)
    : body_(body), threads_(shape.x * shape.y * shape.z), live_threads_(shape.x * shape.y * shape.z) {
  live_.resize((live_threads_ + kWarp - 1) / kWarp);
  warp_meetings_.resize(live_.size());
  for (unsigned thread = 0; thread < live_threads_; ++thread) {
    threads_[thread].index = {thread % shape.x, thread / shape.x % shape.y, thread / (shape.x * shape.y)};
    live_[thread / kWarp] |= 1u << thread % kWarp;
    prepare(thread);
  }
}

void Block::prepare(unsigned thread) {
  ucontext_t& context = threads_[thread].context;
  if (::getcontext(&context) != 0) fail("no context", "launch", thread);
  context.uc_stack.ss_sp = stacks_.of(thread);
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  ::makecontext(&context, &Block::enter, 0);
}

void Block::enter() {
  running->body_();
  const unsigned thread = running->current_;
  running->threads_[thread].ended = true;
  running->live_[thread / kWarp] &= ~(1u << thread % kWarp);
  --running->live_threads_;
  ::setcontext(&running->scheduler_);
}

bool Block::complete(unsigned thread, const Meeting& meeting) const {
  if (meeting.closed) return true;
  if (meeting.mask == 0 && meeting.of_threads == 0) return meeting.block.threads == live_threads_;
  if (meeting.mask == 0) {
    unsigned threads = 0;
    for (std::size_t warp = 0; warp < live_.size(); ++warp) {
      if (meeting.arrived[warp] != 0 && (live_[warp] & ~meeting.arrived[warp]) == 0) threads += kWarp;
    }
    return threads == meeting.of_threads;
  }
  return (meeting.mask & live_[thread / kWarp] & ~meeting.warp.members) == 0;
}

// Whether the thread could go on.
bool Block::resume(unsigned thread) {
  Thread& chosen = threads_[thread];
  if (chosen.ended) return false;
  if (chosen.waits_for != nullptr && !complete(thread, *chosen.waits_for)) return false;
  if (chosen.waits_for != nullptr) chosen.waits_for->closed = true;
  current_ = thread;
  threadIdx = chosen.index;
  ::swapcontext(&scheduler_, &chosen.context);
  return true;
}

void Block::run(bool backwards) {
  running = this;
  const unsigned count = static_cast<unsigned>(threads_.size());
  while (live_threads_ > 0) {
    bool progress = false;
    for (unsigned i = 0; i < count; ++i) progress |= resume(backwards ? count - 1 - i : i);
    if (progress) continue;
    for (unsigned thread = 0; thread < count; ++thread) {
      if (!threads_[thread].ended) fail("waits for ever", threads_[thread].waits_for->operation, thread);
    }
  }
  running = nullptr;
}

std::list<Meeting>::iterator Block::open(std::list<Meeting>& meetings, const Meeting& wanted) {
  for (auto meeting = meetings.begin(); meeting != meetings.end(); ++meeting) {
    if (!meeting->closed && std::strcmp(meeting->operation, wanted.operation) == 0 && meeting->mask == wanted.mask &&
        meeting->barrier == wanted.barrier && meeting->of_threads == wanted.of_threads) {
      return meeting;
    }
  }
  return meetings.insert(meetings.end(), wanted);
}

void Block::wait(Meeting& meeting) {
  if (complete(current_, meeting)) {
    meeting.closed = true;
    return;
  }
  Thread& self = threads_[current_];
  self.waits_for = &meeting;
  ::swapcontext(&self.context, &scheduler_);
  self.waits_for = nullptr;
}

// The last to leave closes the door.
template <class Result>
Result leave(std::list<Meeting>& meetings, std::list<Meeting>::iterator meeting, Result Meeting::*result) {
  const Result copy = (*meeting).*result;
  if (--meeting->inside == 0) meetings.erase(meeting);
  return copy;
}

WarpMeeting Block::meet_warp(const char* operation, std::uint32_t mask, std::uint64_t value) {
  const std::uint32_t self = 1u << lane();
  if ((mask & self) == 0) fail("a thread that its own mask does not name", operation, current_);
  std::list<Meeting>& meetings = warp_meetings_[current_ / kWarp];
  const auto meeting = open(meetings, {operation, mask});
  meeting->warp.members |= self;
  meeting->warp.values[lane()] = value;
  ++meeting->inside;
  wait(*meeting);
  return leave(meetings, meeting, &Meeting::warp);
}

BlockMeeting Block::meet_block(const char* operation, bool value, BarrierName name) {
  const auto meeting = open(block_meetings_, {operation, 0, name.barrier, name.threads, {}});
  ++meeting->block.threads;
  meeting->block.agreeing += value ? 1 : 0;
  meeting->arrived.resize(live_.size());
  meeting->arrived[current_ / kWarp] |= 1u << lane();
  if (!name.waits) {
    meeting->closed = complete(current_, *meeting);
    return {};
  }
  ++meeting->inside;
  wait(*meeting);
  return leave(block_meetings_, meeting, &Meeting::block);
}

}  // namespace

void run_backwards(bool backwards) { backwards_now = backwards; }

void launch(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const std::function<void()>& thread) {
  gridDim = grid;
  blockDim = block;
  const unsigned blocks = grid.x * grid.y * grid.z;
  for (unsigned i = 0; i < blocks; ++i) {
    const unsigned at = backwards_now ? blocks - 1 - i : i;
    blockIdx = {at % grid.x, at / grid.x % grid.y, at / (grid.x * grid.y)};
    dynamic_memory.assign(dynamic_shared_bytes / sizeof(std::max_align_t) + 1, {});
    Block(block, thread).run(backwards_now);
  }
}

void* dynamic_shared() { return dynamic_memory.data(); }
unsigned lane() { return running->lane(); }
WarpMeeting meet_warp(const char* operation, std::uint32_t mask, std::uint64_t value) {
  return running->meet_warp(operation, mask, value);
}
BlockMeeting meet_block(const char* operation, bool value, BarrierName name) {
  return running->meet_block(operation, value, name);
}

}  // namespace cuda_twin
