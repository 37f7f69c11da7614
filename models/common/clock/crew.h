// SPDX-License-Identifier: Apache-2.0
// Host threads that share out pieces of work of less than a microsecond each.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>

namespace warpfold {

// The caller is one of the crew. The others begin with the first run, look out for work without a pause for some
// microseconds and then sleep;
// what a thread has not begun when the caller has nothing left to do, the caller does, so that a busy host costs time
// only.
class Crew {
 public:
  explicit Crew(unsigned threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  unsigned threads() const { return static_cast<unsigned>(shares_.size()); }

  // Calls work(i) once for each i in [0, pieces), on any thread, and returns when all are done: what they did is seen
  // by the caller, what the caller did before by them. `work` throws nothing. One run at a time.
  template <class Work>
  void run(std::uint32_t pieces, const Work& work) {
    context_ = &work;
    call_ = [](const void* context, std::uint32_t piece) { (*static_cast<const Work*>(context))(piece); };
    run(pieces);
  }

 private:
  // Pieces of a run that nobody has begun: [first, end), in halves of one word. A thread takes its own from the front,
  // others' from the back.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> pieces{0};
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static std::uint32_t take(Share& share, bool own);

  void run(std::uint32_t pieces);
  void begin();
  void take_part(unsigned number);
  void look_out(unsigned number, int seen);
  int wait_after(int seen) const;

  std::deque<Share> shares_;       // of each thread
  const void* context_ = nullptr;  // of the run
  void (*call_)(const void*, std::uint32_t) = nullptr;
  alignas(64) std::atomic<std::uint32_t> left_{0};  // pieces of the run that are not done
  alignas(64) std::atomic<int> runs_{0};            // so many have begun
  std::atomic<bool> over_{false};
  int process_ = 0;  // whose threads they are
  std::deque<std::thread> others_;
};

}  // namespace warpfold
