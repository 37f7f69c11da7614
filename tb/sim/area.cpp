// SPDX-License-Identifier: Apache-2.0
// `warpfold area`: what structures cost.
#include <fmt/format.h>

#include "models/area/points.h"
#include "models/common/error.h"
#include "models/common/results.h"
#include "tb/sim/commands.h"

namespace warpfold::sim {

int area(const AreaCommand& command) {
  if (command.points.empty()) user_error("warpfold area: give --points TABLE.csv");
  const std::string text = area::read_points(command.points).with_model();
  if (command.out.empty()) {
    fmt::print("{}", text);
  } else {
    write_whole_file(command.out, text);
  }
  return 0;
}

}  // namespace warpfold::sim
