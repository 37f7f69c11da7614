// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/console/launch_progress.h"

#include <fmt/format.h>

#include <utility>

#include "tb/sim/console/labels.h"

namespace warpfold::sim {
namespace {

Progress::Stage without_terminal(Progress::Stage stage) {
  stage.columns = [] { return 0U; };
  return stage;
}

}  // namespace

LaunchProgress::LaunchProgress(Progress::Stage stage)
    : stage_(std::move(stage)), launches_("launches", 0, without_terminal(stage_)), begin_(stage_.now()) {}

void LaunchProgress::launch_started(const std::string& kernel, std::uint64_t blocks) {
  kernel_ = kernel;
  begin_ = stage_.now();
  blocks_.emplace("blocks", blocks, stage_);
}

void LaunchProgress::launch_goes_on(std::uint64_t blocks_finished, std::uint64_t cycles) {
  if (!blocks_->due()) return;
  blocks_->advance_to(blocks_finished);
  std::string doing = fmt::format("launch {}, {}", launches_.done(), readable_kernel(kernel_));
  if (cycles != 0) {
    const std::chrono::duration<double> seconds = stage_.now() - begin_;
    doing += fmt::format(": {:.1f} M cycles", static_cast<double>(cycles) * 1e-6);
    if (seconds.count() > 0) doing += fmt::format(", {:.0f} k/s", static_cast<double>(cycles) * 1e-3 / seconds.count());
  }
  blocks_->show(doing);
}

void LaunchProgress::launch_ended() {
  blocks_.reset();
  launches_.advance();
  if (launches_.due()) launches_.show(readable_kernel(kernel_));
}

}  // namespace warpfold::sim
