// SPDX-License-Identifier: Apache-2.0
// Atomic read-modify-write, lane by lane in lane order (PTX ISA §9.7.12, atom, red).
#include <array>
#include <bit>
#include <cstring>

#include "warpfold/common/error.h"
#include "warpfold/isa/execute/access/atomic_value.h"
#include "warpfold/isa/execute/access/generic_window.h"
#include "warpfold/isa/execute/access/mbarrier.h"
#include "warpfold/isa/execute/execute.h"
#include "warpfold/isa/execute/ops/float_types.h"
#include "warpfold/isa/execute/ops/narrow/half.h"

namespace warpfold::isa {
namespace {

template <class T>
T pick(Atomic which, T old, T b) {
  return which == Atomic::kMin ? (b < old ? b : old) : (b > old ? b : old);
}

Half sum_of(Half a, Half b) { return round_to_half(a.value() + b.value(), Round::kNearest); }
Bfloat sum_of(Bfloat a, Bfloat b) { return fused(a, Bfloat(0x3f80), b); }

// 16 bits: 'h' f16, 'g' bf16; in pairs 'H', 'G'.
bool is_narrow(std::uint8_t type) { return type == 'h' || type == 'g' || type == 'H' || type == 'G'; }

// Of each of them.
template <class F>
u64 of_narrow(std::uint8_t type, u32 old, u32 b, F f) {
  switch (type) {
    case 'h':
      return static_cast<u32>(f(Half(old), Half(b)));
    case 'g':
      return static_cast<u32>(f(Bfloat(old), Bfloat(b)));
    case 'H':
      return HalfPair::of(f(Half(old), Half(b)), f(Half(old >> 16), Half(b >> 16))).bits;
    default:
      return BfloatPair::of(f(Bfloat(old), Bfloat(b)), f(Bfloat(old >> 16), Bfloat(b >> 16))).bits;
  }
}

u64 minimum_or_maximum(const AtomicForm& form, u64 old, u64 b) {
  if (is_narrow(form.type)) {
    return of_narrow(form.type, static_cast<u32>(old), static_cast<u32>(b),
                     [&](auto x, auto y) { return extreme_of(x, y, form.atomic == Atomic::kMax); });
  }
  const bool is_signed = form.type == 's';
  if (form.bytes == 8) {
    return is_signed ? static_cast<u64>(pick(form.atomic, static_cast<s64>(old), static_cast<s64>(b)))
                     : pick(form.atomic, old, b);
  }
  return is_signed ? static_cast<u32>(pick(form.atomic, static_cast<s32>(old), static_cast<s32>(b)))
                   : pick(form.atomic, static_cast<u32>(old), static_cast<u32>(b));
}

// Single precision flushes subnormals in global memory, not in shared (PTX ISA §9.7.12, atom).
u64 floating_sum(const AtomicForm& form, Space space, u64 old, u64 b) {
  if (form.bytes == 8) {
    const auto x = from_bits<double>(old), y = from_bits<double>(b);
    return bits_of(deliver<false, false>(x + y, x, y));
  }
  const auto x = from_bits<float>(static_cast<u32>(old)), y = from_bits<float>(static_cast<u32>(b));
  if (space == Space::kShared) return bits_of(deliver<false, false>(x + y));
  return bits_of(deliver<true, false>(flush(x) + flush(y)));
}

u64 sum(const AtomicForm& form, Space space, u64 old, u64 b) {
  if (form.type == 'f') return floating_sum(form, space, old, b);
  if (!is_narrow(form.type)) return old + b;
  return of_narrow(form.type, static_cast<u32>(old), static_cast<u32>(b), [](auto x, auto y) { return sum_of(x, y); });
}

}  // namespace

u64 combined(const AtomicForm& form, Space space, u64 old, u64 b, u64 c) {
  switch (form.atomic) {
    case Atomic::kAdd:
      return sum(form, space, old, b);
    case Atomic::kMin:
    case Atomic::kMax:
      return minimum_or_maximum(form, old, b);
    case Atomic::kInc:
      return static_cast<u32>(old) >= static_cast<u32>(b) ? 0 : old + 1;
    case Atomic::kDec:
      return old == 0 || static_cast<u32>(old) > static_cast<u32>(b) ? b : old - 1;
    case Atomic::kAnd:
      return old & b;
    case Atomic::kOr:
      return old | b;
    case Atomic::kXor:
      return old ^ b;
    case Atomic::kExch:
      return b;
    case Atomic::kCas:
      return old == b ? c : old;
    case Atomic::kArrive:
    case Atomic::kArriveAndDrop:
      return mbarrier::arrived(old, b, form.atomic == Atomic::kArriveAndDrop);
  }
  return old;
}

void Executor::atomic(const MicroOp& op, Outcome& outcome) {
  Access access = access_of(op, outcome);
  check(op.element_bytes >= 2 && op.element_bytes <= 16 && std::has_single_bit(op.element_bytes),
        "atomics have 2, 4, 8 or 16 bytes");
  resolve(access);
  if (is_read_only(outcome.space)) fault(access, first_, outcome.space, outcome.address[first_]);
  if (op.element_bytes == 16) return exchange_pairs(access);
  const AtomicForm form{op.atomic, op.element_type, op.element_bytes};
  const bool wide = op.element_bytes == 8;
  const u64 field = wide ? ~u64{0} : (u64{1} << 8 * op.element_bytes) - 1;
  std::array<const std::uint32_t*, 4> operand{};
  for (unsigned k = 0; k < op.s_count; ++k) {
    operand[2 * k] = source(op.s[k], source_[2 * k]);
    if (wide) operand[2 * k + 1] = source(static_cast<Word>(op.s[k] + 1), source_[2 * k + 1]);
  }
  const auto value = [&](unsigned k, unsigned lane) -> u64 {
    if (operand[2 * k] == nullptr) return 0;
    return (u64{operand[2 * k][lane]} | (wide ? u64{operand[2 * k + 1][lane]} << 32 : 0)) & field;
  };
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    auto* const at = reinterpret_cast<std::byte*>(access.where[lane] + access.delta);
    u64 old = 0;
    std::memcpy(&old, at, op.element_bytes);
    const u64 updated = combined(form, outcome.space, old, value(0, lane), value(1, lane));
    std::memcpy(at, &updated, op.element_bytes);
    memory_changes_ += (updated & field) != old ? 1 : 0;
    result_[0][lane] = static_cast<std::uint32_t>(old);
    result_[1][lane] = static_cast<std::uint32_t>(old >> 32);
  }
  write_back(op.d[0], result_[0].data());
  if (wide && op.d[0] != kNoWord) write_back(static_cast<Word>(op.d[0] + 1), result_[1].data());
}

// exch and cas of 16 bytes, each operand two of 8.
void Executor::exchange_pairs(const Access& access) {
  using Value = std::array<std::uint32_t, 4>;
  const MicroOp& op = access.op;
  std::array<const std::uint32_t*, 8> operand{};  // words of b, then of c
  for (unsigned k = 0; k < op.s_count; ++k) {
    operand[2 * k] = source(op.s[k], source_[2 * k]);
    operand[2 * k + 1] = source(static_cast<Word>(op.s[k] + 1), source_[2 * k + 1]);
  }
  const auto value = [&](unsigned first, unsigned lane) {
    return Value{operand[first][lane], operand[first + 1][lane], operand[first + 2][lane], operand[first + 3][lane]};
  };
  for (LaneMask rest = active_; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    auto* const at = reinterpret_cast<std::byte*>(access.where[lane] + access.delta);
    Value old;
    std::memcpy(old.data(), at, sizeof(old));
    Value updated = value(0, lane);
    if (op.atomic == Atomic::kCas) updated = old == updated ? value(4, lane) : old;
    std::memcpy(at, updated.data(), sizeof(updated));
    memory_changes_ += updated != old ? 1 : 0;
    for (unsigned k = 0; k < old.size(); ++k) result_[k][lane] = old[k];
  }
  for (unsigned k = 0; k < op.d_count; ++k) {
    if (op.d[k] == kNoWord) continue;
    write_back(op.d[k], result_[2 * k].data());
    write_back(static_cast<Word>(op.d[k] + 1), result_[2 * k + 1].data());
  }
}

}  // namespace warpfold::isa
