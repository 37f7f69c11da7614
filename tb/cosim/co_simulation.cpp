// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/co_simulation.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "tb/cosim/adequacy.h"
#include "tb/cosim/barrier_shadow.h"
#include "tb/cosim/compactor.h"
#include "tb/cosim/packer_shadow.h"
#include "tb/cosim/pool_shadow.h"
#include "tb/cosim/sorter.h"
#include "tb/cosim/stack_shadow.h"
#include "tb/cosim/swizzle.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/stack_spills.h"

namespace warpfold::cosim {
namespace {

// A core's blocks: RTL for those that the run asks for, made when they are first used; the model's for the others.
class RtlStandIns final : public StandIns {
 public:
  RtlStandIns(std::shared_ptr<Session> session, unsigned core, const CoreParams& params, const ClockDomain& clock)
      : session_(std::move(session)),
        core_(core),
        lanes_(params.warp_size),
        rows_(params.rows()),
        slots_(params.slots()),
        threads_(params.max_threads),
        clock_(clock) {}

  std::unique_ptr<ThreadCompactor> compactor(const char* name, const CompactorParams& params, ClockDomain& clock,
                                             unsigned index, StatGroup& stats) override {
    if (!session_->asked_for("compactor")) return StandIns::compactor(name, params, clock, index, stats);
    return std::make_unique<RtlCompactor>(name, params, clock, index, stats, *session_, core_, lanes_, rows_);
  }

  divergence::AdequacyUnit& adequacy_unit() override {
    if (!session_->asked_for("adequacy")) return StandIns::adequacy_unit();
    if (adequacy_ == nullptr) adequacy_ = std::make_unique<RtlAdequacy>(*session_, clock_, core_, lanes_, rows_);
    return *adequacy_;
  }

  divergence::ContextSorter& context_sorter() override {
    if (!session_->asked_for("sorter")) return StandIns::context_sorter();
    if (sorter_ == nullptr) sorter_ = std::make_unique<RtlSorter>(*session_, clock_, core_, lanes_);
    return *sorter_;
  }

  std::unique_ptr<divergence::LanePacking> lane_packing(const CoreParams& params) override {
    if (!session_->asked_for("swizzle")) return StandIns::lane_packing(params);
    return std::make_unique<RtlPacking>(params, *session_, clock_, core_);
  }

  divergence::StackObserver* stack_observer(unsigned slot, unsigned entries) override {
    if (!session_->asked_for("stack")) return nullptr;
    const StackShadow::Size size{lanes_, rows_, entries};
    return &stacks_.try_emplace(slot, *session_, clock_, core_, slot, size).first->second;
  }

  divergence::BarrierObserver* barrier_observer(unsigned scheduler,
                                                const divergence::BarrierTableShape& shape) override {
    if (!session_->asked_for("barriers")) return nullptr;
    return &barriers_.try_emplace(scheduler, *session_, clock_, core_, scheduler, lanes_, rows_, shape).first->second;
  }

  divergence::WarpPoolObserver* warp_pool_observer(unsigned scheduler, unsigned entries) override {
    if (!session_->asked_for("pool")) return nullptr;
    const PoolShadow::Size size{lanes_, entries, slots_, threads_};
    return &pools_.try_emplace(scheduler, *session_, clock_, core_, scheduler, size).first->second;
  }

  divergence::PackerObserver* packer_observer(unsigned scheduler) override {
    if (!session_->asked_for("packer")) return nullptr;
    const PackerShadow::Size size{lanes_, rows_};
    return &packers_.try_emplace(scheduler, *session_, clock_, core_, scheduler, size).first->second;
  }

 private:
  std::shared_ptr<Session> session_;
  unsigned core_, lanes_, rows_, slots_, threads_;
  const ClockDomain& clock_;
  std::unique_ptr<RtlAdequacy> adequacy_;
  std::unique_ptr<RtlSorter> sorter_;
  std::map<unsigned, StackShadow> stacks_;
  std::map<unsigned, BarrierShadow> barriers_;
  std::map<unsigned, PoolShadow> pools_;
  std::map<unsigned, PackerShadow> packers_;
};

class Source final : public StandInSource {
 public:
  explicit Source(RtlOptions options) : options_(std::move(options)) {}

  std::unique_ptr<StandIns> make(unsigned core, const CoreParams& params, const ClockDomain& clock) override {
    if (session_ == nullptr) session_ = std::make_shared<Session>(options_, clock.edge_ps(1));
    return std::make_unique<RtlStandIns>(session_, core, params, clock);
  }
  std::string report() const override { return session_ != nullptr ? session_->json() : "{}"; }
  void finish() override {
    if (session_ != nullptr) session_->finish_waves();
  }

 private:
  RtlOptions options_;
  std::shared_ptr<Session> session_;
};

// The parameter of a block that the mechanism has; it need not have one.
unsigned parameter_of(const divergence::Hardware& mechanism, std::string_view module, std::string_view name,
                      unsigned otherwise) {
  for (const divergence::RtlUse& use : mechanism.logic) {
    if (use.module != module) continue;
    for (const auto& [parameter, value] : use.parameters) {
      if (parameter == name) return value;
    }
  }
  return otherwise;
}

}  // namespace

std::shared_ptr<StandInSource> stand_ins(const RtlOptions& options) {
  return options.blocks.empty() ? nullptr : std::make_shared<Source>(options);
}

std::vector<std::string> build_blocks(const RtlOptions& options, const CoreParams& params,
                                      const divergence::Hardware& mechanism) {
  std::vector<std::string> built;
  if (!options.waves.empty()) Waves::require_writable(options.waves);
  const RtlParameters matrix{{"Lanes", params.warp_size}, {"Rows", params.rows()}};
  for (const RtlOptions::Block& block : options.blocks) {
    const std::string& name = rtl_block(block.name).name;
    const auto build = [&](const RtlParameters& parameters) {
      built.push_back(std::filesystem::path(build_rtl(rtl_source(name, parameters, block.file))).stem());
    };
    if (name == "compactor" || name == "adequacy" || name == "packer") build(matrix);
    if (name == "pool") {
      const unsigned entries =
          parameter_of(mechanism, "warp_pool", "Entries", divergence::WarpPoolParams().lut_entries);
      build(PoolShadow::parameters({params.warp_size, entries, params.slots(), params.max_threads}));
    }
    if (name == "sorter") {
      build({{"Lanes", params.warp_size}, {"PcWidth", RtlSorter::kPcBits}, {"DepthWidth", RtlSorter::kDepthBits}});
    }
    if (name == "stack") {
      RtlParameters parameters = matrix;
      parameters.emplace_back("Depth",
                              parameter_of(mechanism, "block_stack", "Depth", divergence::BlockStackSpills::kEntries));
      parameters.emplace_back("PcWidth", StackShadow::kPcBits);
      build(parameters);
    }
    if (name == "swizzle" && rtl_packs(params.lane_packing, params.warp_size, params.simd_width)) {
      const unsigned swizzles = divergence::info_of(params.lane_packing).swizzles ? 1 : 0;
      build({{"Lanes", params.warp_size}, {"Width", params.simd_width}, {"Swizzle", swizzles}});
    }
  }
  return built;
}

}  // namespace warpfold::cosim
