// SPDX-License-Identifier: Apache-2.0
#include "warpfold/gpu/record/core_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <string_view>

#include "warpfold/memory/dram/payload_pool.h"
#include "warpfold/ptx/source_lines.h"

namespace warpfold {

using divergence::WarpId;

namespace {

constexpr std::array<std::string_view, 8> kCategoryNames{
    "load", "store", "atomic", "call", "read request", "write request", "atomic request", "compaction"};
constexpr unsigned kIdBits = 24;  // of what is under way in a core at once

// Where an instruction is in the source, if that is known: the file's name without its folders.
std::string source_of(const isa::Kernel& kernel, const isa::MicroOp& op) {
  if (kernel.sources == nullptr) return "";
  const ptx::SourceLine source = kernel.sources->at(op.line);
  if (source.line == 0) return "";
  const std::string_view file = source.file;
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return ",\"source\":" + json_string(fmt::format("{}:{}", name, source.line));
}

}  // namespace

CoreSlices::CoreSlices(TraceEventFile& file, const TraceScope& scope, const CoreParams& params, unsigned process)
    : file_(file), scope_(scope), params_(params), process_(process), slots_(params.slots()), ids_(kCategories) {
  static_assert(kCategories == kCategoryNames.size());
  for (WarpId id = 0; id < slots_.size(); ++id) {
    file_.name_thread(track_of(id), fmt::format("warp slot {:02}", id), params.max_blocks + id);
  }
  for (unsigned place = 0; place < params.max_blocks; ++place) {
    file_.name_thread(track_of_block(place), fmt::format("block slot {:02}", place), place);
  }
}

TraceEventFile::Track CoreSlices::track_of_block(std::size_t place) const {
  return {process_, static_cast<unsigned>(1 + slots_.size() + place)};
}

void CoreSlices::launch_started(const isa::Kernel& kernel) {
  kernel_ = &kernel;
  texts_.clear();
  for (std::size_t pc = 0; pc < kernel.ops.size(); ++pc) {
    const isa::MicroOp& op = kernel.ops[pc];
    texts_.push_back(fmt::format(R"("name":{},"cat":"issue","args":{{"pc":{},"ptx_line":{}{},)",
                                 json_string(kernel.opcodes[op.text]), pc, op.line, source_of(kernel, op)));
  }
}

void CoreSlices::launch_ended(Cycle end_at) {
  for (WarpId id = 0; id < slots_.size(); ++id) {
    end_wait(id, end_at);
    if (slots_[id].live) close_warp(id, end_at);
  }
  for (std::size_t place = 0; place < blocks_.size(); ++place) {
    if (blocks_[place].live) close_block(place, end_at);
  }
  for (const auto& [key, access] : accesses_) end(access, end_at);
  accesses_.clear();
  std::vector<Pending> packets;  // in an order that does not hang on addresses
  for (const auto& [payload, packet] : packets_) packets.push_back(packet);
  std::sort(packets.begin(), packets.end(), [](const Pending& a, const Pending& b) {
    return std::pair(a.category, a.id) < std::pair(b.category, b.id);
  });
  for (const Pending& packet : packets) end(packet, end_at);
  packets_.clear();
  for (const Compaction& compaction : compactions_) end(compaction.pending, end_at);
  compactions_.clear();
}

void CoreSlices::record(const TraceRecord& record) {
  const Cycle at = scope_.of_run(record.cycle);
  Slot* const slot = record.warp < slots_.size() ? &slots_[record.warp] : nullptr;
  switch (record.event) {
    case TraceEvent::kBlockStart:
      start_block(record.block, at);
      break;
    case TraceEvent::kBlockEnd:
      if (Block* const block = block_of(record.block))
        close_block(static_cast<std::size_t>(block - blocks_.data()), at + 1);
      break;
    case TraceEvent::kBarrierOpen:
      if (Block* const block = block_of(record.block); block != nullptr && scope_.shows(at)) {
        const auto place = static_cast<std::size_t>(block - blocks_.data());
        open_block(place);
        file_.instant(track_of_block(place), at, trace_event("barrier opens", "barrier"));
      }
      break;
    case TraceEvent::kWarpInsert:
      slot->live = true;
      slot->opened = false;
      slot->since = at;
      slot->block = record.block;
      slot->mask = record.mask;
      if (scope_.shows(at)) open_warp(record.warp);
      break;
    case TraceEvent::kWarpRemove:
      end_wait(record.warp, at);
      close_warp(record.warp, at);
      break;
    case TraceEvent::kIssue:
      slot->stack = record.stack;
      break;
    case TraceEvent::kCompact:
      compactions_.push_back({begin(kCompaction, at, fmt::format("\"block\":{},\"pc\":{}", record.block, record.pc))});
      break;
    case TraceEvent::kCompacted:
      if (compactions_.empty()) break;
      ++compactions_.front().warps;
      if (record.other == 0) break;
      end(compactions_.front().pending, at + 1, fmt::format("\"warps\":{}", compactions_.front().warps));
      compactions_.pop_front();
      break;
    case TraceEvent::kBranch:
    case TraceEvent::kBarrierWait:
      break;
  }
}

// --- Warps -----------------------------------------------------------------------------------------

void CoreSlices::open_warp(WarpId warp) {
  Slot& slot = slots_[warp];
  if (slot.opened || !slot.live) return;
  slot.opened = true;
  file_.begin(track_of(warp), std::max(scope_.clip(slot.since), slot.busy_until),
              fmt::format(R"("name":"warp of block {}","cat":"warp","args":{{"block":{},"mask":"{:#x}"}})", slot.block,
                          slot.block, slot.mask));
}

void CoreSlices::close_warp(WarpId warp, Cycle at) {
  Slot& slot = slots_[warp];
  const Cycle until = scope_.clip(at);
  if (scope_.shown() && scope_.clip(slot.since) < until) open_warp(warp);
  slot.live = false;
  if (!slot.opened) return;
  slot.opened = false;
  slot.busy_until = std::max({until, slot.busy_until, scope_.clip(slot.since)});
  file_.end(track_of(warp), slot.busy_until);
}

void CoreSlices::end_wait(WarpId warp, Cycle at) {
  Slot& slot = slots_[warp];
  if (!slot.waits) return;
  slot.waits = false;
  const Cycle from = scope_.clip(slot.waits_since), until = scope_.clip(at);
  if (!scope_.shown() || from >= until) return;
  open_warp(warp);
  file_.slice(track_of(warp), from, until - from,
              fmt::format(R"("name":"{}","cat":"wait","args":{{"pc":{}}})",
                          kWaitNames[static_cast<std::size_t>(slot.why)], slot.pc));
  slot.busy_until = until;
}

void CoreSlices::waits(WarpId warp, isa::Pc pc, Wait why, Cycle now) {
  Slot& slot = slots_[warp];
  if (slot.waits && slot.why == why && slot.pc == pc) return;
  const Cycle at = scope_.of_run(now);
  end_wait(warp, at);
  if (!scope_.shown() || at >= scope_.last()) return;
  slot.waits = true;
  slot.why = why;
  slot.pc = pc;
  slot.waits_since = std::max(at, slot.busy_until);
}

void CoreSlices::issued(const Instruction& instruction, Cycle now, Cycle cycles) {
  const Cycle at = scope_.of_run(now);
  const WarpId warp = instruction.warp;
  end_wait(warp, at);
  if (!scope_.shows(at)) return;
  Slot& slot = slots_[warp];
  open_warp(warp);
  const Cycle until = scope_.clip(at + cycles);
  std::string& what = texts_[instruction.pc];
  const std::size_t length = what.size();
  fmt::format_to(std::back_inserter(what), "\"lanes\":{},\"mask\":\"{:#x}\"", std::popcount(instruction.active),
                 instruction.active);
  if (slot.stack != 0) fmt::format_to(std::back_inserter(what), ",\"stack\":{}", slot.stack);
  what += '}';
  file_.slice(track_of(warp), at, until - at, what);
  what.resize(length);
  slot.busy_until = until;
  if (!waits_on_memory(*instruction.op)) return;
  const isa::Kind kind = instruction.op->kind;
  const Category category = kind == isa::Kind::kLoad     ? kLoad
                            : kind == isa::Kind::kStore  ? kStore
                            : kind == isa::Kind::kAtomic ? kAtomic
                                                         : kCall;
  accesses_[{instruction.issued_at, warp}] =
      begin(category, at,
            fmt::format("\"warp\":{},\"pc\":{},\"lanes\":{},\"lines\":{}", warp, instruction.pc,
                        std::popcount(instruction.executed), instruction.lines));
}

// --- Blocks ----------------------------------------------------------------------------------------

CoreSlices::Block* CoreSlices::block_of(std::uint64_t id) {
  const auto found =
      std::find_if(blocks_.begin(), blocks_.end(), [id](const Block& block) { return block.live && block.id == id; });
  return found == blocks_.end() ? nullptr : &*found;
}

void CoreSlices::start_block(std::uint64_t id, Cycle at) {
  auto place = std::find_if(blocks_.begin(), blocks_.end(), [](const Block& block) { return !block.live; });
  if (place == blocks_.end()) place = blocks_.emplace(blocks_.end());
  *place = {true, false, id, std::max(at, place->busy_until), place->busy_until};
  if (scope_.shows(at)) open_block(static_cast<std::size_t>(place - blocks_.begin()));
}

void CoreSlices::open_block(std::size_t place) {
  Block& block = blocks_[place];
  if (block.opened) return;
  block.opened = true;
  file_.begin(track_of_block(place), scope_.clip(block.since),
              fmt::format(R"("name":"block {}","cat":"block","args":{{"block":{}}})", block.id, block.id));
}

void CoreSlices::close_block(std::size_t place, Cycle at) {
  Block& block = blocks_[place];
  const Cycle until = scope_.clip(at);
  if (scope_.shown() && scope_.clip(block.since) < until) open_block(place);
  block.live = false;
  if (!block.opened) return;
  block.busy_until = until;
  file_.end(track_of_block(place), until);
}

// --- What begins and ends apart --------------------------------------------------------------------

CoreSlices::Pending CoreSlices::begin(Category category, Cycle at, const std::string& arguments) {
  Pending pending{scope_.shows(at), 0, category};
  if (!pending.shown) return pending;
  pending.id = ids_[category].take();
  file_.async_begin(process_, std::uint64_t{process_} << kIdBits | pending.id, at,
                    trace_event(kCategoryNames[category], kCategoryNames[category], arguments));
  return pending;
}

void CoreSlices::end(const Pending& pending, Cycle at, const std::string& arguments) {
  if (!pending.shown) return;
  ids_[pending.category].give_back(pending.id);
  const std::string_view name = kCategoryNames[pending.category];
  file_.async_end(process_, std::uint64_t{process_} << kIdBits | pending.id, scope_.clip(at),
                  trace_event(name, name, arguments));
}

void CoreSlices::completed(const Instruction& instruction, Cycle now) {
  const auto access = accesses_.find({instruction.issued_at, instruction.warp});
  if (access == accesses_.end()) return;
  end(access->second, scope_.of_run(now));
  accesses_.erase(access);
}

void CoreSlices::sent(const tlm::tlm_generic_payload& request, Cycle now) {
  const Cycle at = scope_.of_run(now);
  if (!scope_.shows(at)) return;
  const Category category = extension_of(request).atomic ? kReadModifyWrite : request.is_read() ? kRead : kWrite;
  packets_[&request] =
      begin(category, at,
            fmt::format("\"address\":\"{:#x}\",\"bytes\":{}", request.get_address(), request.get_data_length()));
}

void CoreSlices::answered(const tlm::tlm_generic_payload& request, Cycle now) {
  const auto packet = packets_.find(&request);
  if (packet == packets_.end()) return;
  end(packet->second, scope_.of_run(now));
  packets_.erase(packet);
}

}  // namespace warpfold
