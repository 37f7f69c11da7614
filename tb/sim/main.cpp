// SPDX-License-Identifier: Apache-2.0
// The `warpfold` program: its exit statuses, and what it says of what went wrong.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tb/sim/commands/command_line.h"
#include "tb/sim/console/output.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"
#include "warpfold/common/memory/out_of_memory.h"
#include "warpfold/common/one_line.h"

namespace {

constexpr int kFailed = 1, kUsage = 2;

int fail(const std::string& what, int status) {
  warpfold::sim::tell("warpfold: error: {}\n", warpfold::one_line(what));
  return status;
}

// Says it without wanting memory, and ends at once: whatever is left to destroy may want some.
[[noreturn]] void end_of_memory() {
  std::fputs("warpfold: error: out of memory\n", stderr);
  std::_Exit(kFailed);
}

// For exceptions that nobody can catch: those of objects that are made before main().
__attribute__((constructor(101))) void tell_uncaught() {
  std::set_terminate([] {
    try {
      if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
      std::fputs("warpfold: error: a library has given up, as when memory runs out\n", stderr);
    } catch (const std::exception& error) {
      if (warpfold::is_out_of_memory(error)) end_of_memory();
      std::fprintf(stderr, "warpfold: error: %s\n", error.what());
    } catch (...) {
    }
    std::_Exit(kFailed);
  });
}

int run_main(std::vector<std::string> words) {
  warpfold::sim::CommandLine line;
  try {
    line.parse(std::move(words));
  } catch (const CLI::Success& help) {
    return line.app().exit(help);
  }
  return line.dispatch();
}

}  // namespace

int main(int argc, char** argv) {
  warpfold::sim::open_closed_streams();
  try {
    return warpfold::sim::written(run_main(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const warpfold::WriteError& error) {
    return fail(error.what(), kFailed);
  } catch (const warpfold::UserError& error) {
    return fail(error.what(), kUsage);
  } catch (const std::system_error& error) {
    const bool output = std::ferror(stdout) != 0;  // a table that was longer than the stream's buffer
    return fail(output ? "cannot write standard output: " + error.code().message() : error.what(), kFailed);
  } catch (const std::exception& error) {
    if (warpfold::is_out_of_memory(error)) end_of_memory();
    return fail(error.what(), kFailed);
  }
}

// libsystemc has a main of its own, which asks for this.
extern "C" int sc_main(int, char**) { return 0; }
