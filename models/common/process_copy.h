// SPDX-License-Identifier: Apache-2.0
// A copy of this process, as it stands, that finds something out and changes nothing here.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace warpfold {

// Calls `prepare`, if there is one, before this process goes on; waits to be let go, calls `act`, hands back the text
// that it returns, and ends without any clean-up: neither destructors nor what is registered for the process's end
// runs, and nothing that was printed and not flushed appears. Only the calling thread is in the copy. It ends with this
// process, whatever becomes of that.
class ProcessCopy {
 public:
  // UserError: the host has no room for it
  explicit ProcessCopy(const std::function<std::string()>& act, const std::function<void()>& prepare = {});
  ProcessCopy(const ProcessCopy&) = delete;
  ProcessCopy& operator=(const ProcessCopy&) = delete;
  ~ProcessCopy();  // gives up what it has not said yet

  void go();
  // What `act` has returned, as soon as it has. Throws the UserError that has left it; InternalError: it has died.
  std::string result();

 private:
  [[noreturn]] void live(const std::function<std::string()>& act, int start, int answer) const;
  void bury();

  pid_t parent_, copy_ = -1;
  int start_ = -1, answer_ = -1;  // pipes to and from it
};

}  // namespace warpfold
