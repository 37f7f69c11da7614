// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/co_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "tb/cosim/observed_core.h"
#include "tb/cosim/shadows/adequacy.h"
#include "tb/cosim/shadows/barriers.h"
#include "tb/cosim/shadows/compactor.h"
#include "tb/cosim/shadows/crossbar_shadow.h"
#include "tb/cosim/shadows/custom_shadow.h"
#include "tb/cosim/shadows/lookup_shadow.h"
#include "tb/cosim/shadows/mask_fit_shadow.h"
#include "tb/cosim/shadows/packer_shadow.h"
#include "tb/cosim/shadows/pool_shadow.h"
#include "tb/cosim/shadows/register_shadow.h"
#include "tb/cosim/shadows/sorter.h"
#include "tb/cosim/shadows/swizzle.h"
#include "tb/cosim/stacks/stack.h"
#include "tb/cosim/stacks/token_stack_shadow.h"
#include "tb/cosim/stacks/warp_stack_shadow.h"
#include "tb/cosim/tables/ignore_list_shadow.h"
#include "tb/cosim/tables/pool_table_shadow.h"
#include "tb/cosim/tables/predictor_shadow.h"
#include "tb/cosim/tables/split_table_shadow.h"
#include "warpfold/common/error.h"
#include "warpfold/divergence/parts/warp/stack_spills.h"

namespace warpfold::cosim {
namespace {

// A file of one bank a lane has nobody to choose between.
bool has_lane_addresses(const CoreParams& params) {
  return params.register_file.decoder == BankDecoder::kLane && params.register_banks > 1;
}

bool has_hung_block(const RtlOptions& options) {
  const auto hung = [](const RtlOptions::Block& block) { return is_hung(block.name); };
  return std::any_of(options.blocks.begin(), options.blocks.end(), hung);
}

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
        clock_(clock) {
    if (has_hung_block(session_->options())) observed_.emplace(*session_, clock, core, params);
  }

  CoreWatch* watch() override { return observed_ ? &*observed_ : nullptr; }
  ObservedCore* observed() { return observed_ ? &*observed_ : nullptr; }

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
    std::unique_ptr<divergence::LanePacking> packing;
    if (session_->asked_for("swizzle")) {
      packing = std::make_unique<RtlPacking>(params, *session_, clock_, core_);
    } else {
      packing = StandIns::lane_packing(params);
    }
    if (!session_->asked_for("operand-crossbar") && !session_->asked_for("result-crossbar")) return packing;
    return std::make_unique<CrossbarShadow>(std::move(packing), params, *session_, clock_, core_);
  }

  bool plays(divergence::Unit unit) const override {
    static constexpr std::array kNames{"stack", "barriers", "adequacy", "sorter", "swizzle"};
    return session_->asked_for(kNames[static_cast<unsigned>(unit)]);
  }

  divergence::StackPlayer* stack_player(unsigned slot, const divergence::BlockStackShape& shape) override {
    if (!session_->asked_for("stack")) return nullptr;
    const RtlStack::Size size{lanes_, rows_};
    return &stacks_.try_emplace(slot, *session_, clock_, core_, slot, size, shape).first->second;
  }

  divergence::BarrierPlayer* barrier_player(unsigned scheduler, const divergence::BarrierTableShape& shape) override {
    if (!session_->asked_for("barriers")) return nullptr;
    return &barriers_.try_emplace(scheduler, *session_, clock_, core_, scheduler, lanes_, rows_, shape).first->second;
  }

  divergence::WarpPoolObserver* warp_pool_observer(unsigned scheduler, unsigned entries) override {
    if (!session_->asked_for("pool")) return nullptr;
    const PoolShadow::Size size{lanes_, entries, slots_, threads_};
    return &pools_.try_emplace(scheduler, *session_, clock_, core_, scheduler, size).first->second;
  }

  divergence::MaskFitObserver* mask_fit_observer(unsigned scheduler, const divergence::MaskFitShape& shape) override {
    if (!session_->asked_for("mask-fit")) return nullptr;
    const MaskFitShadow::Size size{lanes_, shape};
    return &pickers_.try_emplace(scheduler, *session_, clock_, core_, scheduler, size).first->second;
  }

  divergence::PackerObserver* packer_observer(unsigned scheduler) override {
    if (!session_->asked_for("packer")) return nullptr;
    const PackerShadow::Size size{lanes_, rows_};
    return &packers_.try_emplace(scheduler, *session_, clock_, core_, scheduler, size).first->second;
  }

  RegisterObserver* register_observer(unsigned file, const CoreParams& params) override {
    if (!session_->asked_for("registers") || !has_lane_addresses(params)) return nullptr;
    return &registers_.try_emplace(file, *session_, clock_, core_, file, params).first->second;
  }

  divergence::LookupObserver* lookup_observer(unsigned scheduler, unsigned ready, unsigned waiting) override {
    if (!session_->asked_for("ready") && !session_->asked_for("waiting")) return nullptr;
    return &lookups_.try_emplace(scheduler, *session_, clock_, core_, scheduler, lanes_, rows_, ready, waiting)
                .first->second;
  }

  divergence::WarpStackObserver* warp_stack_observer(unsigned slot) override {
    if (!session_->asked_for("warp-stack")) return nullptr;
    if (warp_stacks_ == nullptr) {
      warp_stacks_ = std::make_unique<WarpStackShadow>(*session_, clock_, core_, lanes_, rows_);
    }
    return warp_stacks_->of_warp(slot);
  }

  divergence::TokenStackObserver* token_stack_observer(unsigned slot, unsigned entries) override {
    if (!session_->asked_for("token-stack")) return nullptr;
    if (token_stacks_ == nullptr) {
      token_stacks_ = std::make_unique<TokenStackShadow>(*session_, clock_, core_, lanes_, rows_, entries);
    }
    return token_stacks_->of_warp(slot);
  }

  divergence::PredictorObserver* predictor_observer(unsigned entries) override {
    if (!session_->asked_for("predictor")) return nullptr;
    predictor_ = std::make_unique<PredictorShadow>(*session_, clock_, core_, entries);
    return predictor_.get();
  }

  divergence::IgnoreListObserver* ignore_list_observer(unsigned entries) override {
    if (!session_->asked_for("ignore-list")) return nullptr;
    ignore_list_ = std::make_unique<IgnoreListShadow>(*session_, clock_, core_, entries);
    return ignore_list_.get();
  }

  divergence::SplitTableObserver* split_table_observer(unsigned entries) override {
    if (!session_->asked_for("split-table")) return nullptr;
    const SplitTableShadow::Size size{lanes_, rows_, entries};
    split_table_ = std::make_unique<SplitTableShadow>(*session_, clock_, core_, size);
    return split_table_.get();
  }

  divergence::PoolTableObserver* pool_table_observer(const divergence::PoolTableShape& shape) override {
    if (!session_->asked_for("pool-table")) return nullptr;
    const PoolTableShadow::Size size{lanes_, rows_, shape};
    pool_table_ = std::make_unique<PoolTableShadow>(*session_, clock_, core_, size);
    return pool_table_.get();
  }

 private:
  std::shared_ptr<Session> session_;
  unsigned core_, lanes_, rows_, slots_, threads_;
  const ClockDomain& clock_;
  std::optional<ObservedCore> observed_;
  std::unique_ptr<RtlAdequacy> adequacy_;
  std::unique_ptr<RtlSorter> sorter_;
  std::map<unsigned, RtlStack> stacks_;
  std::map<unsigned, RtlBarriers> barriers_;
  std::map<unsigned, PoolShadow> pools_;
  std::map<unsigned, PackerShadow> packers_;
  std::map<unsigned, MaskFitShadow> pickers_;
  std::map<unsigned, LookupShadow> lookups_;
  std::unique_ptr<WarpStackShadow> warp_stacks_;
  std::unique_ptr<TokenStackShadow> token_stacks_;
  std::unique_ptr<PredictorShadow> predictor_;
  std::unique_ptr<IgnoreListShadow> ignore_list_;
  std::unique_ptr<SplitTableShadow> split_table_;
  std::unique_ptr<PoolTableShadow> pool_table_;
  std::map<unsigned, RegisterShadow> registers_;
};

class Source final : public StandInSource {
 public:
  explicit Source(RtlOptions options) : options_(std::move(options)) {}

  std::unique_ptr<StandIns> make(unsigned core, const CoreParams& params, const ClockDomain& clock) override {
    if (session_ == nullptr) {
      session_ = std::make_shared<Session>(options_, clock.edge_ps(1), &clock);
      custom_ = std::make_unique<CustomShadow>(*session_, clock, params);
    }
    auto made = std::make_unique<RtlStandIns>(session_, core, params, clock);
    if (made->observed() != nullptr) observed_.add(*made->observed());
    return made;
  }
  TraceSink* sink() override { return has_hung_block(options_) ? &observed_ : nullptr; }
  std::string report() const override {
    observed_.settle();
    return session_ != nullptr ? session_->json() : "{}";
  }
  void finish() override {
    if (session_ != nullptr) session_->finish_waves();
  }

 private:
  RtlOptions options_;
  std::shared_ptr<Session> session_;
  std::unique_ptr<CustomShadow> custom_;  // of all cores
  ObservedCores observed_;
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
  const auto build_source = [&](RtlSource source) {
    built.push_back(std::filesystem::path(build_rtl(counted(std::move(source), options))).stem());
  };
  for (const RtlOptions::Block& block : options.blocks) {
    if (is_hung(block.name)) {
      build_source(hung_block(block, params.warp_size).source);
      continue;
    }
    const std::string& name = rtl_block(block.name).name;
    const auto build = [&](const RtlParameters& parameters) {
      build_source(rtl_source(name, parameters, block.files));
    };
    if (rtl_block(name).of_plugin) build({});
    if (name == "adequacy" || name == "packer") build(matrix);
    if (name == "compactor") {
      RtlParameters parameters = matrix;
      parameters.emplace_back("Stages", params.compactor.stages);
      build(parameters);
    }
    if (name == "pool") {
      const unsigned entries =
          parameter_of(mechanism, "warp_pool", "Entries", divergence::WarpPoolParams().lut_entries);
      build(PoolShadow::parameters({params.warp_size, entries, params.slots(), params.max_threads}));
    }
    if (name == "ignore-list") {
      const unsigned entries = parameter_of(mechanism, "ignore_list", "Entries", 0);
      if (entries != 0) build({{"Entries", entries}, {"PcWidth", IgnoreListShadow::kPcBits}});
    }
    if (name == "split-table") {
      const unsigned entries = parameter_of(mechanism, "split_table", "Entries", 0);
      if (entries != 0) build(SplitTableShadow::parameters({params.warp_size, params.rows(), entries}));
    }
    if (name == "pool-table") {
      const auto of = [&](std::string_view parameter) { return parameter_of(mechanism, "pool_table", parameter, 0); };
      const divergence::PoolTableShape shape{of("Pools"), of("Groups"), of("LongestWait")};
      if (shape.pools != 0) build(PoolTableShadow::parameters({params.warp_size, params.rows(), shape}));
    }
    if (name == "mask-fit") {
      const auto of = [&](std::string_view parameter) {
        return parameter_of(mechanism, "mask_fit_picker", parameter, 0);
      };
      if (of("Sets") != 0) build({{"Lanes", params.warp_size}, {"Warps", of("Warps")}, {"Sets", of("Sets")}});
    }
    if (name == "sorter") {
      build({{"Lanes", params.warp_size}, {"PcWidth", RtlSorter::kPcBits}, {"DepthWidth", RtlSorter::kDepthBits}});
    }
    if (name == "stack") {
      RtlParameters parameters = matrix;
      parameters.emplace_back("Depth",
                              parameter_of(mechanism, "block_stack", "Depth", divergence::BlockStackSpills::kEntries));
      parameters.emplace_back("Stages", parameter_of(mechanism, "block_stack", "Stages", 1));
      parameters.emplace_back("PcWidth", RtlStack::kPcBits);
      build(parameters);
    }
    if (name == "ready" || name == "waiting") {
      const unsigned entries = parameter_of(mechanism, rtl_block(name).top, "Entries", 0);
      if (entries != 0) {
        RtlParameters parameters = matrix;
        parameters.emplace_back("Entries", entries);
        parameters.emplace_back("PcWidth", LookupShadow::kPcBits);
        build(parameters);
      }
    }
    if (name == "warp-stack") build(WarpStackShadow::parameters(params.warp_size, params.rows()));
    if (name == "token-stack") {
      const TokenStackShadow::Tokens tokens{parameter_of(mechanism, "token_stack", "Entries", 0),
                                            parameter_of(mechanism, "token_stack", "Chunk", 0)};
      if (tokens.entries != 0) build(TokenStackShadow::parameters(params.warp_size, params.rows(), tokens));
    }
    if (name == "registers" && has_lane_addresses(params)) build(RegisterShadow::sizes(params));
    if (name == "swizzle" && divergence::has_control(params.lane_packing, params.warp_size, params.simd_width)) {
      const unsigned swizzles = divergence::info_of(params.lane_packing).swizzles ? 1 : 0;
      build({{"Lanes", params.warp_size}, {"Width", params.simd_width}, {"Swizzle", swizzles}});
    }
    if ((name == "operand-crossbar" || name == "result-crossbar") &&
        CrossbarShadow::moves(params.lane_packing, params.warp_size, params.simd_width)) {
      build(CrossbarShadow::sizes(params.warp_size, params.simd_width));
    }
  }
  return built;
}

}  // namespace warpfold::cosim
