// SPDX-License-Identifier: Apache-2.0
// `warpfold timeline`: a run's time trace as a page that needs no viewer and no network (docs/tracing.md).
#include "tb/study/timeline.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "tb/sim/commands/commands.h"
#include "tb/study/report_data.h"
#include "warpfold/common/error.h"
#include "warpfold/gpu/record/time_trace_options.h"

namespace warpfold::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSlices = 500'000;  // more than a trace of the usual limit has; 8 MB of the page

}  // namespace

int timeline(const TimelineCommand& command) {
  fs::path file = command.trace;
  if (fs::is_directory(file)) file /= kTimeTraceFile;
  if (!fs::exists(file))
    user_error("{}: there is no such file: warpfold run --trace perfetto writes it", file.string());
  std::optional<Json> read = study::read_timeline(file, study::kStretches, kMostSlices);
  if (!read) {
    user_error("{}: no cycles with counters are in it: name a trace.json of warpfold run --trace perfetto",
               file.string());
  }
  const std::string title = (*read)["title"];
  Json page =
      study::page_without_points("timeline", title.empty() ? "A run over time" : title,
                                 fmt::format("Cycles of the core clock, from {}.", file.string()), Json::array());
  page["timelines"] = Json::array({std::move(*read)});
  PageOptions to = command.page;
  if (to.file.empty()) to.file = file.parent_path() / "timeline.html";
  fmt::print("{}", study::write_page(page, to));
  return 0;
}

}  // namespace warpfold::sim
