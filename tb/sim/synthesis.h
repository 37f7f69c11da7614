// SPDX-License-Identifier: Apache-2.0
// RTL blocks through synthesis and timing analysis (scripts/rtl-synth), once: results are kept where those of
// co-simulation are.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "warpfold/divergence/hardware.h"

namespace warpfold::sim {

struct Ram {
  unsigned width = 0, depth = 0;
  auto operator<=>(const Ram&) const = default;
};

// A block on a library, at the library's node.
struct Synthesis {
  std::string missing;  // why there are no figures: tools that are not installed, a block without RTL
  double cells = 0, flip_flops = 0, area_um2 = 0, nand2 = 0;
  std::vector<Ram> rams;  // that the figures leave out
  double path_ns = 0;
  std::string start, end;  // of the critical path
  std::string library;
  double nand2_um2 = 0;
};

class Synthesizer {
 public:
  // `lib`: a Liberty file, or "" for the one that scripts/rtl-synth takes by default. UserError if it cannot be read.
  explicit Synthesizer(const std::string& lib);

  // All of them, several at a time, with the time that an access to each RAM takes. UserError, one line, for a library
  // or parameters that the tools refuse.
  struct Request {
    divergence::RtlUse use;
    std::map<Ram, double> ram_ns;
  };
  std::vector<Synthesis> run(const std::vector<Request>& requests) const;

 private:
  Synthesis one(const Request& request) const;
  std::vector<std::string> command_for(const Request& request) const;

  std::string lib_;
};

}  // namespace warpfold::sim
