// SPDX-License-Identifier: Apache-2.0
// Stop watches of wall-clock time in milliseconds, as sample programs use them.
#ifndef COMMON_HELPER_TIMER_H_
#define COMMON_HELPER_TIMER_H_

#include <stddef.h>
#include <time.h>

class StopWatchInterface {
 public:
  virtual ~StopWatchInterface() {}
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual void reset() = 0;
  virtual float getTime() = 0;
  virtual float getAverageTime() = 0;
};

class StopWatchLinux : public StopWatchInterface {
 public:
  StopWatchLinux() : started_(0), total_(0), sessions_(0), running_(false) {}
  void start() {
    started_ = now();
    running_ = true;
  }
  void stop() {
    total_ += now() - started_;
    running_ = false;
    ++sessions_;
  }
  void reset() {
    total_ = 0;
    sessions_ = 0;
    if (running_) started_ = now();
  }
  float getTime() { return static_cast<float>(running_ ? total_ + now() - started_ : total_); }
  float getAverageTime() { return sessions_ > 0 ? static_cast<float>(total_ / sessions_) : 0.0f; }

 private:
  static double now() {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
  }
  double started_, total_;
  int sessions_;
  bool running_;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchLinux;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = NULL;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
  if (*timer != NULL) (*timer)->start();
  return *timer != NULL;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
  if (*timer != NULL) (*timer)->stop();
  return *timer != NULL;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
  if (*timer != NULL) (*timer)->reset();
  return *timer != NULL;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) { return *timer != NULL ? (*timer)->getTime() : 0.0f; }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  return *timer != NULL ? (*timer)->getAverageTime() : 0.0f;
}

#endif  // COMMON_HELPER_TIMER_H_
