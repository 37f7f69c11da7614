// SPDX-License-Identifier: Apache-2.0
// Execution of one micro-op over the lanes of a warp: values, addresses, branch outcomes; no time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpfold/common/memory/device_memory.h"
#include "warpfold/isa/execute/row_operands.h"
#include "warpfold/isa/images.h"
#include "warpfold/isa/kernel.h"
#include "warpfold/isa/lane_map.h"
#include "warpfold/isa/services/system_services.h"

namespace warpfold::isa {

class AccessListener;
class MemoryChecker;
struct Finding;
struct Touch;
struct Footprint;
struct MatrixTile;

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

// One kernel launch, as all cores see it. Outlives the launch's execution.
struct Launch {
  const Kernel* kernel = nullptr;
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;  // static + dynamic, per block
  std::vector<std::byte> parameters;
  const ImageTable* images = nullptr;  // null: there are no textures and surfaces
  const std::vector<std::byte>* const_bank = nullptr;
  unsigned warp_size = 32;             // lanes of a row
  SystemServices* services = nullptr;  // of the device, for kernels that print, assert, or take memory
  MemoryChecker* checker = nullptr;    // of the device; null: mistakes with memory are not looked for, and fault
};

// What the threads of a block share. Rows point to it: DWF and HARP merge threads of different blocks.
struct BlockState {
  std::uint64_t id = 0;  // linear, x fastest
  Dim3 ctaid{0, 0, 0};
  std::vector<std::byte> shared;
};

// The lanes that one instruction runs on: lane l executes the thread (row[l], l) iff mask has bit l.
struct Lanes {
  const std::uint16_t* row = nullptr;  // [width]; entries of lanes outside mask are unspecified
  LaneMask mask = 0;
  unsigned width = 32;   // lanes of a warp, ≤ kMaxLanes
  bool one_row = false;  // every lane of mask comes from row[lowest set lane]: vector access instead of gathers
};

// Registers, predicates, specials and local memory of the threads that a core holds, as rows × lanes.
class ThreadStore {
 public:
  // `rows` × `lanes` threads of `launch`, none of which has started.
  ThreadStore(const Launch& launch, unsigned rows, unsigned lanes, unsigned core_index, unsigned cores,
              LaneMap map = LaneMap::kIdentity);

  // Starts threads [first_thread, first_thread + lanes) ∩ block of `block` in `row`; returns the mask of lanes that
  // exist. Registers and local memory of the row read zero again. `block` must stay where it is while the row runs.
  LaneMask start_row(unsigned row, BlockState& block, unsigned first_thread);

  std::uint32_t* words(unsigned row, Word word) {
    return store_.get() + std::size_t{row} * row_stride_ + word * stride_;
  }
  unsigned rows() const { return rows_; }
  BlockState& block_of(unsigned row) { return *row_[row].block; }
  // Linear index in its block of the thread in a lane.
  unsigned thread_of(unsigned row, unsigned lane) const { return row_[row].first_thread + (lane ^ row_[row].flip); }
  unsigned flip_of(unsigned row) const { return row_[row].flip; }  // lane_map.h
  std::byte* local(unsigned row, unsigned lane) {
    return local_.get() + (std::size_t{row} * lanes_ + lane) * local_bytes_;
  }

 private:
  friend class Executor;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Row {
    BlockState* block = nullptr;
    unsigned first_thread = 0;
    unsigned flip = 0;
    LaneMask exists = 0;
    std::size_t local_used =
        0;  // bytes of the local memory of each thread, from its begin, that may be other than zero
  };
  void set_specials(unsigned row, const BlockState& block);
  std::uint32_t special(Special which, const BlockState& block, unsigned thread) const;

  const Launch* launch_;
  unsigned rows_, lanes_;
  std::size_t stride_;  // words from one lane array to the next: lanes, padded to whole cache lines where that is cheap
  std::size_t row_stride_;  // words from one row to the next
  std::unique_ptr<std::uint32_t[], Free>
      store_;                // [row][word][lane]: a warp's registers are neighbours in the host's cache
  std::size_t local_bytes_;  // per thread, a multiple of 16
  // [row][lane][byte]; the host has no memory behind what nobody writes, of stacks most.
  std::unique_ptr<std::byte[], Free> local_;
  std::vector<Row> row_;
  LaneMap map_;
  unsigned core_index_, cores_;
};

// What an instruction did, for whoever models its time. Reused from one instruction to the next.
struct Outcome {
  LaneMask executed = 0;  // lanes of the warp whose guard held
  LaneMask taken = 0;     // kBranch: lanes that go to target
  // kLoad, kStore, kAtomic, kSystemCall: one address per lane of `executed`, resolved: `space` is never kGeneric.
  // Global, texture: device address as the memory system has it (DeviceMemory::on_machine()); shared: offset in the
  // block's shared memory; const, param: offset; local: address in kLocalBacking.
  Space space = Space::kGlobal;
  unsigned access_bytes = 0;  // per lane: element_bytes × vector count
  alignas(64) std::array<Address, kMaxLanes> address;
  // Texture fetches and surface accesses instead: every texel that is read or written, in the order of the lanes, as
  // the memory system has it. There may be none, where all lie outside.
  struct Texel {
    Address address = 0;
    unsigned bytes = 0;
  };
  std::vector<Texel> texels;
};

// Encodings that decoding and execution share, where the micro-op's fields say less than the instruction:
// - kVote, element_type: 'a' all, 'n' any, 'u' uni (d[0] a predicate), 'b' ballot (d[0] 32 bits), 'm' activemask (no
//   source), 'l' elect (d[0] 32 bits, d[1] the predicate), 'e' match.any, 'q' match.all (d[0] 32 bits, optional d[1]
//   the predicate), 'x' one step of mma (`offset`: matrix_step.h; s = registers of A, B, C), 'r' redux (`atomic` says
//   which; sign_extend: of signed numbers), 'f' the same of floats (offset: 1 of magnitudes + 2 NaN stays). s[0] = the
//   predicate or value (s_wide bit 0 for match's .b64). offset = 1: the source predicate is negated.
// - kShuffle, element_type: 'u' up, 'd' down, 'b' bfly, 'i' idx. s[0] = a, s[1] = b, s[2] = c; d[0], optional d[1] the
//   predicate. A source lane that does not execute together with the reader gives the reader its own value.
// - A `.sync` form (MicroOp::collective) has its membermask as the last source. Lanes that execute it see those of
//   their architectural warp with the same membermask; where these are not all of the mask, the core brings them
//   together first (models/core/warps/rendezvous.h). Other forms see the lanes of their architectural warp whose guard
//   holds.
// - kBarrier, element_type: 0, 'v' bar.arrive, which does not wait, or of bar.red 'p' popc (d[0] 32 bits), 'a' and,
//   'o' or (d[0] a predicate); s[0] = the predicate, offset as for votes; s[1] = which barrier, s[2] = of how many
//   threads, where s_count says that they are given. The core counts (holding, give).
// - kLoad, kStore: a vector's elements are d[0..d_count) / s[0..s_count), element_bytes 1, 2, 4 or 8 each, wide when
//   8; an element whose word is kNoWord (`_`) is neither written nor read. Loads of 1 and 2 bytes extend to 32 bits by
//   sign_extend (and, when wide, to 64).
// - kAtomic: element_type 'u', 's', 'f', 'b', or 'h' f16, 'g' bf16, 'H', 'G' two of them; d[0] or kNoWord (red);
//   s[0] = b, s[1] = c (cas: b compare, c new value), wide when element_bytes is 8. Where it is 16 each of these is two
//   wide ones, the low one first: d[0], d[1]; s[0], s[1] = b; s[2], s[3] = c.
// - kClock: d[0], wide for 64 bits; offset = 1: the upper half of them.
// - kParam: offset into Launch::parameters; loads only. kConst: offset into Launch::const_bank; loads only.
// - A base of 32 bits is zero-extended before the offset is added. Fetches: offset = 1: behind the coordinates, theirs.
// `Word` operands that are kNoWord in d are results nobody wants.
class Executor {
 public:
  // For one launch: allocations must not be released while it lives.
  Executor(const Launch& launch, ThreadStore& threads, DeviceMemory& memory);
  const ThreadStore& threads() const { return *threads_; }

  // Executes `op` (= kernel.ops[pc]) for `lanes`, memory effects included. `cycle` is what %clock reads.
  // A generic access whose lanes fall into different spaces is resolved lane by lane; Outcome::space is then that of
  // the lowest lane (decision: such mixtures are timed as if all went there).
  // Throws UserError on a fault: kernel, PTX line, thread, address, nearest allocation; misaligned accesses likewise.
  // With a checker the lanes that would fault access nothing, and are none of Outcome::executed.
  void execute(Pc pc, const Lanes& lanes, std::uint64_t cycle, Outcome& outcome);

  // Of several executors on threads of their own that run what is one instant to the model: off from now on, an
  // instruction that may read or write what threads of other cores share says where it does, and does it in settle(),
  // with the operands that it had then. Until settle() nobody may read its results. Not with a checker or system calls.
  void put_shared_memory_off(bool off) { puts_off_ = off; }
  // Cycle of the oldest that has been put off; kNothing: none is.
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
  std::uint64_t oldest() const { return first_later_ != last_later_ ? later_[place_of(first_later_)].cycle : kNothing; }
  // Does what has been put off in cycles before this one, in the order in which it came.
  void settle(std::uint64_t before);
  // Is anything of that more than a load?
  bool settles_writes(std::uint64_t before) const;

  // Straight runs (straight_run.cpp): instructions one after the other, without what a model of time asks about each.
  void prepare_runs();  // before any of the next
  // One past the last instruction from `pc` on that may be in the same run, which ends with a branch if it comes to
  // one; pc: it may be in none.
  Pc run_end(Pc pc) const { return run_end_[pc]; }
  struct Run {
    Pc next = 0;  // executed are those before it, also where the next one faults
    struct Guarded {
      Pc pc = 0;
      LaneMask executed = 0;
    };
    std::vector<Guarded> guarded;  // of those, but for branches
    LaneMask taken = 0;            // lanes that take the branch at the end
  };
  // Executes [begin, end), which lies in one run, for `lanes`, at least one and of one row, as execute() does
  // instruction by instruction.
  void run(Pc begin, Pc end, const Lanes& lanes, Run& run);
  // Is told of what straight runs do beyond the block's own memory; null: nobody.
  void tell_of_accesses(AccessListener* listener) { listener_ = listener; }

  // Who takes part in a `.sync` collective.
  struct Attendance {
    LaneMask lanes = 0;                              // whose guard holds
    std::array<std::uint32_t, kMaxLanes> members{};  // their membermasks
  };
  void attend(Pc pc, const Lanes& lanes, Attendance& attendance);
  // Threads of one architectural warp that wait in different places, each at a collective of the same kind.
  struct Part {
    Pc pc = 0;
    Lanes lanes;
  };
  // They execute it together.
  void meet(std::span<const Part> parts);
  // bar.red: the lanes whose predicate holds, and what the barrier gives each of them.
  LaneMask holding(Pc pc, const Lanes& lanes);
  void give(Pc pc, const Lanes& lanes, std::uint32_t value);
  // A source of 32 bits of the instruction at pc, by lane.
  std::array<std::uint32_t, kMaxLanes> values_of(Pc pc, const Lanes& lanes, unsigned operand);

  // For the checker: a barrier of all of the block that has `row`; of some of it, by architectural warp: whoever has
  // arrived there, and whom of these it has let go on.
  bool checked() const { return checker_ != nullptr; }
  void barrier_opened(unsigned row) {
    if (checked()) note_barrier(row);
  }
  void barrier_opened(unsigned row, std::span<const std::uint32_t> arrived, std::span<const std::uint32_t> waited) {
    if (checked()) note_barrier(row, arrived, waited);
  }

  // Grows when memory may have changed: with every store, and with every atomic that wrote another value than it found.
  std::uint64_t memory_changes() const { return memory_changes_; }

 private:
  using LaneArray = std::array<std::uint32_t, kMaxLanes>;

  // One memory micro-op in progress: the host byte of lane l is at where[l] + delta.
  struct Access {
    const MicroOp& op;
    Outcome& outcome;
    const char* verb;    // "reads", "writes", "updates"
    unsigned bytes = 0;  // per lane
    const Address* where = nullptr;
    Address delta = 0;
  };

  // Bytes that the lanes of an access have in common: addresses [begin, begin + bytes) of `space`, where `window` was
  // taken off generic addresses. No bytes: there is nothing in common, or nothing there.
  struct Region {
    Space space;
    Address window = 0, begin = 0;
    std::uint64_t bytes = 0;
    const std::byte* host = nullptr;
  };

  // Operands (execute.cpp)
  void begin(const Lanes& lanes);
  LaneMask guard(const MicroOp& op);
  LaneMask mask_of(const std::uint32_t* lane_values) const;
  const std::uint32_t* source(Word word, LaneArray& temporary);
  bool writes_through(Word word) const { return word != kNoWord && write_through_; }
  std::uint32_t* result(Word word, LaneArray& temporary);
  void write_back(Word word, const std::uint32_t* values);
  void compute(const MicroOp& op);
  inline void compute_in_row(Pc pc, const MicroOp& op);

  // Rows of kRowLanes (straight_run.cpp)
  // An instruction with what is known of it before it runs: where its operands lie.
  struct alignas(64) Step {
    RowOperands operands;
    bool known = false;
    RowCompute compute = nullptr;    // where it takes no more
    RowCompute unguarded = nullptr;  // the same of what has no guard
    bool in_place = false;  // a load or store whose `operands` are its base, and from the third on its elements
  };
  Step step_of(const MicroOp& op) const;
  void put(RowOperands& operands, unsigned operand, Word word, bool wide) const;
  void take_lanes(LaneMask active);
  void select_lanes();
  void execute_one(const MicroOp& op, const Step& step, Run& run);
  bool heard(const MicroOp& op);  // execute_heard.cpp
  struct InPlace;                 // where the lanes of an access find their bytes (straight_access.cpp)
  bool in_one_place(const MicroOp& op, const Step& step, unsigned bytes, InPlace& places);
  bool load_in_place(const MicroOp& op, const Step& step);
  bool store_in_place(const MicroOp& op, const Step& step);

  // Collectives (warp_ops.cpp)
  struct Exchange;
  unsigned architectural_lane(unsigned lane) const;
  LaneMask warp_mates(LaneMask lanes) const;
  const std::uint32_t* membermask(const MicroOp& op);
  void collective(const MicroOp& op);
  void gather(const MicroOp& op, LaneMask lanes, Exchange& exchange);
  void deliver(const MicroOp& op, const LaneArray& d, const LaneArray& p);
  static void evaluate(const MicroOp& op, Exchange& exchange);
  static void vote(const MicroOp& op, Exchange& exchange);
  static void match(const MicroOp& op, Exchange& exchange);
  static void reduce(const MicroOp& op, Exchange& exchange);
  static void reduce_floats(const MicroOp& op, Exchange& exchange);
  static void shuffle(const MicroOp& op, Exchange& exchange);
  void matrix_steps(const MicroOp& op);
  void matrix_step(std::span<const Part> parts);
  void gather(const MicroOp& op, LaneMask lanes, MatrixTile& tile);
  void deliver(const MicroOp& op, const MatrixTile& tile, LaneMask lanes);

  void clock(const MicroOp& op, std::uint64_t cycle);
  [[noreturn]] void trap(const MicroOp& op);

  // Memory (memory_access.cpp, atomics.cpp)
  static Access access_of(const MicroOp& op, Outcome& outcome);
  void access(const MicroOp& op, Outcome& outcome);
  void load(const MicroOp& op, Outcome& outcome);
  void prefetch(const MicroOp& op, Outcome& outcome);
  void store(const MicroOp& op, Outcome& outcome);
  void atomic(const MicroOp& op, Outcome& outcome);
  void exchange_pairs(const Access& access);
  void resolve(Access& access);
  Region region_of(Space space, Address address);
  void check_alignment(const Access& access, Address window) const;
  void resolve_lane_by_lane(Access& access, Space space, const Region& region);
  Address in_one_space(unsigned lane, Space space, Space of_all, Address address) const;
  void place_on_machine(const MicroOp& op, Outcome& outcome) const {
    if (memory_->shares()) [[unlikely]]
      place_shared_on_machine(op, outcome);
  }
  void place_shared_on_machine(const MicroOp& op, Outcome& outcome) const;
  std::byte* locate(Access& access, unsigned lane, Space space, Address address);
  std::byte* find(Access& access, unsigned lane, Space space, Address address);
  std::byte* locate_generic(Access& access, unsigned lane, Address address);
  BlockState* common_block() const;
  Address local_backing(unsigned lane, Address offset) const;
  unsigned row_of(unsigned lane) const { return one_row_ ? row_index_ : lanes_->row[lane]; }

  // The checker (checked_access.cpp)
  struct StoredValues;
  void resolve_checked(Access& access);
  std::byte* stand_in(const Access& access, unsigned lane, Space space, Address address, Address asked);
  void tell(const Access& access, unsigned lane, Space space, std::byte* at, const StoredValues& stored, Touch& touch);
  Finding finding(const Access& access, unsigned lane, Space space, Address address) const;
  void note_fence(const MicroOp& op);
  void note_warp_syncs(const MicroOp& op);
  void note_warp_sync(unsigned lane, std::uint32_t threads);
  void note_barrier(unsigned row);
  void note_barrier(unsigned row, std::span<const std::uint32_t> arrived, std::span<const std::uint32_t> waited);

  // System calls (system_calls.cpp)
  class Calls;
  void system_call(const MicroOp& op, Outcome& outcome);

  // Textures and surfaces (image_access.cpp)
  struct ImageOperands;
  ImageOperands image_operands(const MicroOp& op);
  void access_image(const MicroOp& op, Outcome& outcome);
  void find_texels(const MicroOp& op, Outcome& outcome);
  Footprint touched_texels(const MicroOp& op, const ImageOperands& operands, unsigned lane, Outcome& outcome);
  void fetch(const MicroOp& op, const ImageOperands& operands, Outcome& outcome);
  void load_surface(const MicroOp& op, const ImageOperands& operands, Outcome& outcome);
  void store_surface(const MicroOp& op, const ImageOperands& operands, Outcome& outcome);
  void query_image(const MicroOp& op, const ImageOperands& operands);
  // What a handle stands for; of the shape that the instruction is for.
  const Texture& known_texture(const MicroOp& op, unsigned lane, std::uint64_t handle);
  const Image& known_surface(const MicroOp& op, unsigned lane, std::uint64_t handle);
  const Texture& texture_of(const MicroOp& op, unsigned lane, std::uint64_t handle);
  const Image& surface_of(const MicroOp& op, unsigned lane, std::uint64_t handle);
  std::byte* surface_element(const MicroOp& op, const ImageOperands& operands, unsigned lane, unsigned bytes,
                             Outcome& outcome);
  void check_image(const MicroOp& op, unsigned lane, std::uint64_t handle, const Image& image) const;
  [[noreturn]] void image_fault(const MicroOp& op, unsigned lane, const std::string& what) const;

  // Accesses that are put off (later_access.cpp)
  struct Later {
    MicroOp op;  // its sources are constants behind the kernel's: its operands
    Lanes lanes;
    std::array<std::uint16_t, kMaxLanes> rows{};
    LaneMask active = 0;
    std::uint64_t cycle = 0;
    std::vector<LaneArray> operands;  // of `op`, the first so many
    unsigned kept = 0;
  };
  std::size_t place_of(std::size_t n) const { return n & (later_.size() - 1); }  // in the ring, of a power of two
  bool put_off(const MicroOp& op, std::uint64_t cycle, Outcome& outcome);
  bool stays_here(const MicroOp& op, Outcome& outcome);
  void keep(Later& later, Word& word, bool wide);

  // Faults (faults.cpp)
  struct ThreadPlace {
    Dim3 block, thread;
  };
  ThreadPlace thread_place(unsigned lane) const;
  std::string place(const MicroOp& op) const;
  std::string source_text(const MicroOp& op) const;
  std::string ptx_text(const MicroOp& op) const;
  std::string thread_text(unsigned lane) const;
  std::string thread_text(Dim3 block, unsigned thread) const;
  std::string act_text(const Access& access, Address address) const;
  static std::string inside_text(const Allocation& allocation, Address address);
  std::string outside_text(const Access& access, unsigned lane, Space space, Address address) const;
  [[noreturn]] void fault(const Access& access, unsigned lane, Space space, Address address) const;
  [[noreturn]] void misaligned(const Access& access, unsigned lane, Address address) const;

  const Launch* launch_;
  ThreadStore* threads_;
  DeviceMemory* memory_;
  MemoryChecker* checker_;
  const Allocation* last_allocation_ = nullptr;
  const Texture* last_texture_ = nullptr;  // whose handle is
  const Image* last_surface_ = nullptr;
  std::uint64_t last_texture_handle_ = 0, last_surface_handle_ = 0;
  std::uint64_t memory_changes_ = 0;
  struct alignas(64) Constant : LaneArray {};
  std::vector<Constant> constants_;  // each in all lanes

  // The instruction in progress.
  const Lanes* lanes_ = nullptr;
  unsigned width_ = 0;   // lanes of the warp
  LaneMask active_ = 0;  // lanes that execute
  unsigned first_ = 0;   // lowest of them
  bool one_row_ = false;
  unsigned row_index_ = 0;        // the row when one_row_
  std::uint32_t* row_ = nullptr;  // its words
  bool write_through_ = false;    // results may go straight into the row: every lane that exists is active
  std::array<std::uint32_t, kMaxLanes> index_;  // otherwise where lane l's thread lies: row × row_stride + l

  alignas(64) std::array<Address, kMaxLanes> host_;  // host addresses, where lanes have no common displacement
  alignas(64) std::array<LaneArray, 8> source_;
  alignas(64) std::array<LaneArray, 8> result_;

  // Put off
  bool puts_off_ = false;
  std::vector<Later> later_;  // a ring
  std::size_t first_later_ = 0, last_later_ = 0;
  bool mixed_later_ = false;  // some are for shared or local memory, too
  // Of an access that is resolved lane by lane: are lanes for global memory, for shared or local memory?
  bool reaches_others_ = false, reaches_own_ = false;

  std::vector<Step> steps_;  // by pc, as the next
  // Of straight runs
  std::vector<Pc> run_end_;                                      // empty until asked for
  alignas(64) std::array<std::uint32_t, kRowLanes> selected_{};  // the lanes that are active, where not all are
  LaneMask selected_of_ = 0;                                     // the mask from which that was made
  const std::uint32_t* select_ = nullptr;                        // row_operands.h: those that take results
  Outcome unseen_;                                               // what nobody asks for
  AccessListener* listener_ = nullptr;
};

}  // namespace warpfold::isa
