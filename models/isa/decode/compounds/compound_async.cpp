// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies are a load and a store, complete when the store is: waiting for them is no work. An mbarrier is
// 64 bits of shared memory (execute/mbarrier.h) at which threads arrive with an atomic.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpfold/isa/decode/compounds/code_writer.h"
#include "warpfold/isa/decode/compounds/compound.h"
#include "warpfold/isa/execute/access/mbarrier.h"

namespace warpfold::isa {
namespace {

using Operands = std::vector<ptx::Operand>;
using ptx::Type;

ptx::Operand displaced(ptx::Operand address, std::int64_t by) {
  address.offset += by;
  return address;
}

// --- cp.async ---

class Copy {
 public:
  Copy(CodeWriter& code, const ptx::Instruction& copy, unsigned words)
      : code_(code), to_(copy.operands[0]), from_(copy.operands[1]), words_(words) {
    for (unsigned k = 0; k < words; ++k) values_.push_back(code.new_register(Type::kB32));
    for (const std::string& modifier : copy.modifiers) {
      const bool says = modifier == "cg" || (modifier.starts_with("L2::") && modifier != "L2::cache_hint");
      if (says) to_caches_.push_back(modifier);
    }
  }

  void whole() {
    load_whole(std::nullopt);
    store();
  }

  // Only the first bytes, as many as `count` says, are read; zeros fill up the rest.
  void part(const ptx::Operand& count) {
    const std::uint32_t all = code_.new_register(Type::kPred), none = code_.new_register(Type::kPred);
    const std::size_t filled = code_.new_label();
    for (const std::uint32_t value : values_)
      code_.write("mov", {"b32"}, {register_operand(value), integer_operand(0)});
    code_.write("setp", {"ge", "u32"}, {register_operand(all), count, integer_operand(4 * words_)});
    load_whole(all);
    code_.branch_if(all, false, filled);
    code_.write("setp", {"eq", "u32"}, {register_operand(none), count, integer_operand(0)});
    code_.branch_if(none, false, filled);
    for (unsigned k = 0; k < words_; ++k) load_bytes(k, count);
    code_.place(filled);
    store();
  }

 private:
  std::vector<std::string> type(const char* space) const {
    if (words_ == 1) return {space, "b32"};
    return {space, words_ == 2 ? "v2" : "v4", "b32"};
  }
  // With what the copy says to the caches.
  std::vector<std::string> read(std::vector<std::string> modifiers) const {
    modifiers.insert(modifiers.begin() + 1, to_caches_.begin(), to_caches_.end());
    return modifiers;
  }
  ptx::Operand all_values() const {
    if (words_ == 1) return register_operand(values_[0]);
    ptx::Operand vector;
    vector.kind = ptx::OperandKind::kVector;
    for (const std::uint32_t value : values_) vector.elements.push_back(register_operand(value));
    return vector;
  }
  void load_whole(std::optional<std::uint32_t> guard) {
    ptx::Instruction& load = code_.write("ld", read(type("global")), {all_values(), from_});
    if (guard) load.guard = {true, false, *guard};
  }
  void store() { code_.write("st", type("shared"), {to_, all_values()}); }
  // The bytes of word k that are to be read, if any.
  void load_bytes(unsigned k, const ptx::Operand& count) {
    const std::uint32_t some = code_.new_register(Type::kPred);
    const auto bits = register_operand(code_.new_register(Type::kB32)), value = register_operand(values_[k]);
    code_.write("setp", {"gt", "u32"}, {register_operand(some), count, integer_operand(4 * k)});
    code_.write("ld", read({"global", "b32"}), {value, displaced(from_, 4 * k)}).guard = {true, false, some};
    code_.write("sub", {"u32"}, {bits, count, integer_operand(4 * k)}).guard = {true, false, some};
    code_.write("shl", {"b32"}, {bits, bits, integer_operand(3)});
    code_.write("bfe", {"u32"}, {value, value, integer_operand(0), bits}).guard = {true, false, some};
  }

  CodeWriter& code_;
  const ptx::Operand to_, from_;
  const unsigned words_;
  std::vector<std::uint32_t> values_;
  std::vector<std::string> to_caches_;
};

// cp.async.ca.shared.global [to], [from], bytes{, count or ignored}{, policy}
bool lower_copy(CodeWriter& code, const ptx::Instruction& copy) {
  const bool hinted = copy.has("L2::cache_hint");
  const std::size_t operands = copy.operands.size() - (hinted ? 1 : 0);
  if (copy.operands.size() < 3 || operands < 3 || operands > 4 || !copy.has("global")) return false;
  for (const std::size_t k : {0, 1}) {
    if (copy.operands[k].kind != ptx::OperandKind::kAddress) return false;
  }
  const std::uint64_t bytes = copy.operands[2].bits;
  if (copy.operands[2].kind != ptx::OperandKind::kInteger || (bytes != 4 && bytes != 8 && bytes != 16)) return false;
  Copy lowered(code, copy, static_cast<unsigned>(bytes / 4));
  if (operands == 3) {
    lowered.whole();
    return true;
  }
  ptx::Operand count = copy.operands[3];
  if (count.kind == ptx::OperandKind::kInteger) {
    if (count.bits > bytes) return false;
    if (count.bits == bytes) {
      lowered.whole();
      return true;
    }
  } else if (count.refers != ptx::Refers::kRegister) {
    return false;
  }
  if (code.type_of(count) == Type::kPred) {  // ignore-src: where it holds, nothing is read
    const auto read = register_operand(code.new_register(Type::kB32));
    const bool negated = std::exchange(count.negated, false);
    const auto none = integer_operand(0), all = integer_operand(bytes);
    code.write("selp", {"b32"}, {read, negated ? all : none, negated ? none : all, count});
    count = read;
  }
  lowered.part(count);
  return true;
}

bool lower_cp_async(CodeWriter& code, const ptx::Instruction& instruction) {
  if (!instruction.has("async") || instruction.has("bulk")) return false;
  if (instruction.has("mbarrier")) {  // cp.async.mbarrier.arrive: the copies before it are done
    if (instruction.operands.size() != 1) return false;
    if (!instruction.has("noinc")) {  // expects one arrival more, which is this one
      code.write("fence", {"sc", "cta"}, {});
      return true;
    }
    code.write("red", {"shared", "mbarrier::arrive", "b64"}, {instruction.operands[0], integer_operand(1)});
    return true;
  }
  if (instruction.has("commit_group") || instruction.has("wait_group") || instruction.has("wait_all")) {
    code.write("fence", {"sc", "cta"}, {});
    return true;
  }
  return lower_copy(code, instruction);
}

// --- mbarrier ---

std::string space_of(const ptx::Instruction& instruction) {
  const bool shared = instruction.has("shared") || instruction.has("shared::cta");
  return shared ? "shared" : "";
}

std::vector<std::string> in_space(const ptx::Instruction& instruction, std::vector<std::string> modifiers) {
  const std::string space = space_of(instruction);
  if (!space.empty()) modifiers.insert(modifiers.begin(), space);
  return modifiers;
}

// `count` in 64 bits.
ptx::Operand widened(CodeWriter& code, const ptx::Operand& count) {
  if (count.kind == ptx::OperandKind::kInteger) return count;
  const auto wide = register_operand(code.new_register(Type::kB64));
  code.write("cvt", {"u64", "u32"}, {wide, count});
  return wide;
}

bool lower_init(CodeWriter& code, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  const auto state = register_operand(code.new_register(Type::kB64));
  code.write("mul", {"lo", "u64"},
             {state, widened(code, instruction.operands[1]), integer_operand(mbarrier::kInitial)});
  code.write("st", in_space(instruction, {"b64"}), {instruction.operands[0], state});
  return true;
}

// mbarrier.arrive.b64 state, [address]{, count}: the state as it was.
bool lower_arrive(CodeWriter& code, const ptx::Instruction& instruction) {
  const Operands& operands = instruction.operands;
  const bool expects_bytes = instruction.has("expect_tx") || instruction.has("shared::cluster");
  if (expects_bytes || operands.size() < 2 || operands.size() > 3) return false;
  const std::string how = instruction.has("arrive_drop") ? "mbarrier::arrive_drop" : "mbarrier::arrive";
  const auto count = operands.size() == 3 ? widened(code, operands[2]) : integer_operand(1);
  code.write("atom", in_space(instruction, {how, "b64"}), {operands[0], operands[1], count});
  return true;
}

// mbarrier.test_wait.b64 p, [address], state; with .parity: whether the phase of that parity is over.
bool lower_wait(CodeWriter& code, const ptx::Instruction& instruction) {
  const Operands& operands = instruction.operands;
  if (operands.size() < 3) return false;
  const auto state = register_operand(code.new_register(Type::kB64));
  std::vector<std::string> modifiers = in_space(instruction, {"b64"});
  modifiers.insert(modifiers.begin(), {"acquire", "cta"});
  code.write("ld", modifiers, {state, operands[1]});
  if (!instruction.has("parity")) {
    code.write("xor", {"b64"}, {state, state, operands[2]});
    code.write("setp", {"ge", "u64"}, {operands[0], state, integer_operand(mbarrier::kOnePhase)});
    return true;
  }
  const auto phase = register_operand(code.new_register(Type::kB32));
  code.write("bfe", {"u64"}, {state, state, integer_operand(mbarrier::kPhaseShift), integer_operand(1)});
  code.write("cvt", {"u32", "u64"}, {phase, state});
  code.write("setp", {"ne", "u32"}, {operands[0], phase, operands[2]});
  return true;
}

bool lower_pending_count(CodeWriter& code, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  const auto count = register_operand(code.new_register(Type::kB64));
  code.write("and", {"b64"}, {count, instruction.operands[1], integer_operand(mbarrier::kCountMask)});
  code.write("cvt", {"u32", "u64"}, {instruction.operands[0], count});
  return true;
}

bool lower_mbarrier(CodeWriter& code, const ptx::Instruction& instruction) {
  if (instruction.modifiers.empty() || !instruction.has("b64")) return false;
  const std::string& which = instruction.modifiers[0];
  if (which == "init") return lower_init(code, instruction);
  if (which == "arrive" || which == "arrive_drop") return lower_arrive(code, instruction);
  if (which == "test_wait" || which == "try_wait") return lower_wait(code, instruction);
  if (which == "pending_count") return lower_pending_count(code, instruction);
  if (which != "inval") return false;
  code.write("st", in_space(instruction, {"b64"}), {instruction.operands[0], integer_operand(0)});
  return true;
}

}  // namespace

bool lower_asynchronous(CodeWriter& code) {
  const ptx::Instruction instruction = code.old();
  if (instruction.name == "cp") return lower_cp_async(code, instruction);
  return instruction.name == "mbarrier" && lower_mbarrier(code, instruction);
}

}  // namespace warpfold::isa
