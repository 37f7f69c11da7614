// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/clock/crew.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

namespace warpfold {
namespace {

constexpr int kLooks = 4000;  // before a thread sleeps, or lets others have the processor: some 50 us

std::uint64_t range(std::uint64_t first, std::uint64_t end) { return end << 32 | first; }

void pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

// Signals are for the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Crew::Crew(unsigned threads) : shares_(threads) {}

void Crew::begin() {
  const SignalsBlocked blocked;
  process_ = getpid();
  const int seen = runs_.load(std::memory_order_relaxed);
  for (unsigned number = 1; number < threads(); ++number) {
    others_.emplace_back([this, number, seen] { look_out(number, seen); });
  }
}

Crew::~Crew() {
  over_.store(true, std::memory_order_relaxed);
  runs_.fetch_add(1, std::memory_order_release);
  runs_.notify_all();
  // A process that the program forked has a copy of this one, but none of the threads.
  for (std::thread& other : others_) process_ == getpid() ? other.join() : other.detach();
}

std::uint32_t Crew::take(Share& share, bool own) {
  std::uint64_t now = share.pieces.load(std::memory_order_acquire);
  for (;;) {
    const std::uint64_t first = now & 0xffff'ffff, end = now >> 32;
    if (first >= end) return kNone;
    const std::uint64_t rest = own ? range(first + 1, end) : range(first, end - 1);
    if (!share.pieces.compare_exchange_weak(now, rest, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    return static_cast<std::uint32_t>(own ? first : end - 1);
  }
}

// What a thread has done it says once, since all write that word. The next run waits for it.
void Crew::take_part(unsigned number) {
  std::uint32_t done = 0;
  for (unsigned i = 0; i < shares_.size(); ++i) {
    Share& share = shares_[(number + i) % shares_.size()];
    for (std::uint32_t piece = take(share, i == 0); piece != kNone; piece = take(share, i == 0)) {
      call_(context_, piece);
      ++done;
    }
  }
  if (done != 0) left_.fetch_sub(done, std::memory_order_acq_rel);
}

// All pieces of the run before are done, so nobody holds any; who is late and finds pieces of this run is welcome.
void Crew::run(std::uint32_t pieces) {
  if (others_.size() + 1 < threads()) begin();
  left_.store(pieces, std::memory_order_relaxed);
  const std::uint64_t threads = shares_.size();
  for (std::uint64_t t = 0; t < threads; ++t) {
    shares_[t].pieces.store(range(pieces * t / threads, pieces * (t + 1) / threads), std::memory_order_release);
  }
  runs_.fetch_add(1, std::memory_order_release);
  runs_.notify_all();
  take_part(0);
  for (int looks = 0; left_.load(std::memory_order_acquire) != 0; ++looks) {
    looks < kLooks ? pause() : std::this_thread::yield();
  }
}

void Crew::look_out(unsigned number, int seen) {
  for (;;) {
    seen = wait_after(seen);
    if (over_.load(std::memory_order_relaxed)) return;
    take_part(number);
  }
}

// The number of the latest run, when there is a later one than `seen`.
int Crew::wait_after(int seen) const {
  for (int looks = 0; looks < kLooks; ++looks) {
    const int now = runs_.load(std::memory_order_acquire);
    if (now != seen) return now;
    pause();
  }
  runs_.wait(seen, std::memory_order_acquire);
  return runs_.load(std::memory_order_acquire);
}

}  // namespace warpfold
