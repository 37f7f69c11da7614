// SPDX-License-Identifier: Apache-2.0
#include "warpfold/core/simt_core.h"

#include <algorithm>
#include <bit>

#include "warpfold/common/error.h"

namespace warpfold {

using divergence::WarpId;

namespace {

enum ClockSlot : unsigned {
  kDataCache,
  kTextureCache,
  kConstantCache,
  kInstructionCache,
  kSpills,
  kLoadStore,
  kWriteBack,
  kCompactor,
  kRegisters,
  kIssue,
  kFetch
};
static_assert(kFetch + 1 == SimtCore::kClockSlots);

constexpr unsigned kInstructionClient = LoadStoreUnit::kCaches;  // of the port

LoadStoreUnit::Caches load_store_caches(const CoreCaches& caches) {
  LoadStoreUnit::Caches all{.byte_masks = caches.byte_masks};
  const std::array<const L1Params*, LoadStoreUnit::kCaches> in_order{&caches.data, &caches.texture, &caches.constant};
  for (unsigned i = 0; i < LoadStoreUnit::kCaches; ++i) {
    all.line_bytes[i] = in_order[i]->line_bytes;
    all.banks[i] = in_order[i]->banks;
    all.byte_masks |= in_order[i]->byte_masks();
  }
  return all;
}

}  // namespace

SimtCore::SimtCore(sc_core::sc_module_name name, const CorePlace& place, const CoreParams& params,
                   const CoreCaches& caches, const divergence::Configured& mechanism, StatGroup& stats,
                   std::unique_ptr<StandIns> stand_ins)
    : sc_module(name),
      params_(params),
      data_params_(caches.data),
      cores_(place.cores),
      stand_ins_(std::move(stand_ins)),
      context_{place.core, place.trace, stand_ins_.get()},
      stats_(stats),
      packing_(stand_ins_->lane_packing(params)),
      clock_(place.clock),
      port_("port", caches.packet, clock_, place.port_index, stats_,
            kInstructionClient + (params.fetch.cached ? 1 : 0) + (mechanism.spills ? 1 : 0)),
      data_cache_("l1d", caches.data, clock_, place.first_index + kDataCache, stats_, "l1d",
                  {pool_, place.core, LoadStoreUnit::kData}),
      texture_cache_("texture_cache", caches.texture, clock_, place.first_index + kTextureCache, stats_, "texture",
                     {pool_, place.core, LoadStoreUnit::kTexture}),
      constant_cache_("constant_cache", caches.constant, clock_, place.first_index + kConstantCache, stats_, "constant",
                      {pool_, place.core, LoadStoreUnit::kConstant}),
      load_store_("load_store_unit", params, load_store_caches(caches), *packing_, clock_,
                  place.first_index + kLoadStore, stats_),
      write_back_("write_back", params.register_file.write_port, clock_, place.first_index + kWriteBack),
      compactor_(
          stand_ins_->compactor("thread_compactor", params.compactor, clock_, place.first_index + kCompactor, stats_)),
      warp_unit_("warp_unit", params, context_, mechanism, clock_, stats_),
      issue_("issue_stage", params, warp_unit_.warps(), *packing_, clock_, place.first_index + kIssue, stats_),
      registers_("register_file", params, clock_, place.first_index + kRegisters, stats_) {
  for (unsigned s = 0; s < params.schedulers; ++s) {
    schedulers_.emplace_back(fmt::format("warp_scheduler{}", s).c_str(), params.warp_policy, params.slots(),
                             params.max_blocks);
    issue_.scheduler_sockets[s].bind(schedulers_[s].issue_socket);
  }
  for (unsigned f = 0; f < registers_.files(); ++f) registers_.observe(f, stand_ins_->register_observer(f, params));
  issue_.dispatch_socket.bind(registers_.issue_socket);
  registers_.simd_socket.bind(write_back_.simd_socket);
  registers_.memory_socket.bind(load_store_.issue_socket);
  load_store_.done_socket.bind(write_back_.memory_socket);
  if (write_back_.result_socket != nullptr) write_back_.result_socket->bind(*registers_.result_socket);
  write_back_.release_socket.bind(issue_.release_socket);
  write_back_.commit_socket.bind(warp_unit_.commit_socket);
  warp_unit_.warp_socket.bind(issue_.warp_socket);
  warp_unit_.compact_socket.bind(compactor_->request_socket);
  compactor_->warp_socket.bind(warp_unit_.compacted_socket);
  load_store_.data_socket.bind(data_cache_.cpu_socket);
  load_store_.texture_socket.bind(texture_cache_.cpu_socket);
  load_store_.constant_socket.bind(constant_cache_.cpu_socket);
  data_cache_.memory_socket.bind(port_.client_sockets[LoadStoreUnit::kData]);
  texture_cache_.memory_socket.bind(port_.client_sockets[LoadStoreUnit::kTexture]);
  constant_cache_.memory_socket.bind(port_.client_sockets[LoadStoreUnit::kConstant]);
  if (params.fetch.cached) make_instruction_fetch(caches.instruction, place.first_index);
  if (mechanism.divides) load_store_.tell_of_parts();
  if (warp_unit_.warps().hears_of_lines()) load_store_.tell_of_lines();
  if (mechanism.spills) make_spill_unit(caches.data, place.first_index);
  issue_.watched_by(place.profile, place.watch);
  port_.tell(place.watch);
  warp_unit_.on_block_finished = [this](const divergence::Block& block) { finish_block(block); };
}

void SimtCore::make_instruction_fetch(const L1Params& cache, unsigned first_index) {
  instruction_cache_ = std::make_unique<L1Cache>("instruction_cache", cache, clock_, first_index + kInstructionCache,
                                                 stats_, "l1i", PortClient{pool_, context_.core, kInstructionClient});
  fetch_ = std::make_unique<InstructionFetch>("instruction_fetch", params_, cache.line_bytes, clock_,
                                              first_index + kFetch, stats_);
  issue_.fetch_socket->bind(fetch_->issue_socket);
  fetch_->cache_socket.bind(instruction_cache_->cpu_socket);
  instruction_cache_->memory_socket.bind(port_.client_sockets[kInstructionClient]);
}

// The port's last client.
void SimtCore::make_spill_unit(const L1Params& cache, unsigned first_index) {
  const auto client = static_cast<unsigned>(port_.client_sockets.size()) - 1;
  const unsigned owners = std::max(params_.slots(), params_.max_blocks);
  spills_ = std::make_unique<SpillUnit>("spill_unit", SpillUnit::Place{cores_, cache.line_bytes, owners},
                                        PortClient{pool_, context_.core, client}, clock_, first_index + kSpills);
  warp_unit_.spill_socket->bind(spills_->request_socket);
  spills_->memory_socket.bind(port_.client_sockets[client]);
}

// Most of what a core does for a launch waits for its first block: many launches have fewer blocks than there are
// cores.
void SimtCore::kernel_started(const isa::Launch& launch, DeviceMemory& memory, unsigned rows, unsigned blocks,
                              Cycle start, Address code) {
  check(blocks_ == nullptr || blocks_->empty(), "a kernel starts on an empty core");
  launch_ = &launch;
  memory_ = &memory;
  rows_of_block_ = rows;
  most_blocks_ = blocks;
  start_ = start;
  code_ = code;
  blocks_.reset();
  executor_.reset();
  issue_.launch_started(start);
}

// The instruction cache keeps its lines from kernel to kernel: nothing writes them.
void SimtCore::prepare() {
  blocks_ =
      std::make_unique<ResidentBlocks>(*launch_, rows_of_block_, most_blocks_, context_.core, cores_, params_.lane_map);
  executor_ = std::make_unique<isa::Executor>(*launch_, blocks_->threads(), *memory_);
  executor_->put_shared_memory_off(apart_);
  const bool beside = params_.lsu.shared_memory == SharedPlace::kL1d;
  const std::uint64_t shared_bytes = beside ? std::uint64_t{most_blocks_} * launch_->shared_bytes : 0;
  data_cache_.invalidate(data_params_.ways_beside(shared_bytes, params_.shared_bytes));
  texture_cache_.invalidate();
  constant_cache_.invalidate();
  if (fetch_ != nullptr) fetch_->kernel_started(code_);
  registers_.kernel_started(*launch_->kernel);
  warp_unit_.warps().kernel_started(*launch_->kernel, *executor_);
  issue_.kernel_started(*launch_->kernel, start_);
}

void SimtCore::kernel_ended(Cycle end) {
  check(idle(), "a kernel ends with something in flight");
  issue_.kernel_ended(end);
  warp_unit_.warps().kernel_ended();
}

bool SimtCore::idle() const {
  return load_store_.idle() && write_back_.idle() && compactor_->idle() && (spills_ == nullptr || spills_->idle());
}

Cycle SimtCore::last_activity() const {
  const Cycle spilled = spills_ != nullptr ? spills_->last_answered() : 0;
  return std::max({load_store_.last_retired(), write_back_.last_written(), spilled});
}

tlm::tlm_sync_enum SimtCore::start_block(unsigned /*port*/, BlockMessage& message, tlm::tlm_phase& /*phase*/) {
  if (blocks_ == nullptr) prepare();
  warp_unit_.warps().start_block(blocks_->start(message));
  return tlm::TLM_COMPLETED;
}

void SimtCore::finish_block(const divergence::Block& block) {
  blocks_->finish(block.slot);
  finished_.push_back({{block.id, {0, 0, 0}}, clock_.island().now_ps()});
  if (!apart_) tell_finished();
}

void SimtCore::tell_finished() {
  BlockMessage message = finished_.front().block;
  finished_.pop_front();
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  send_backward(block_socket, message, phase);
}

void SimtCore::watch_spinning(bool on) {
  SpinWatch& watch = warp_unit_.warps().spin();
  if (on && blocks_ != nullptr) {
    watch.start(blocks_->threads(), *launch_->kernel);
  } else {
    watch.stop();
  }
}

SimtCore::Load SimtCore::load() const {
  const Warps::Census warps = warp_unit_.warps().census();
  Load now{warps.live, warps.runnable, 0};
  for (unsigned slot = 0; blocks_ != nullptr && slot < blocks_->slots(); ++slot) {
    if (blocks_->occupied(slot)) ++now.blocks;
  }
  return now;
}

bool SimtCore::only_spins() const {
  const auto starves = [this](WarpId id) { return issue_.starves(id); };
  return warp_unit_.warps().all_repeat(starves) && compactor_->idle() && (spills_ == nullptr || spills_->idle());
}

std::vector<std::string> SimtCore::report() const {
  return warp_unit_.warps().report([this](WarpId id) { return issue_.waits_for(id); });
}

}  // namespace warpfold
