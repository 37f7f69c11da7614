// SPDX-License-Identifier: Apache-2.0
// Exactly rounded quotients, reciprocals and square roots (PTX ISA §9.7.3: div, rcp, sqrt with a rounding modifier).
#include <cmath>

#include "warpfold/isa/execute/ops/op_registry.h"
#include "warpfold/isa/execute/ops/soft_float.h"

namespace warpfold::isa {
namespace {

template <class F, Round Mode>
F divide(F a, F b) {
  if constexpr (Mode == Round::kNearest)
    return a / b;
  else
    return soft::divide(a, b, Mode);
}
template <class F, Round Mode>
F square_root(F a) {
  if constexpr (Mode == Round::kNearest)
    return std::sqrt(a);
  else
    return soft::square_root(a, Mode);
}

template <class F, Round Mode, bool Ftz>
[[gnu::cold]] void add_rounded(OpRegistry& ops) {
  const std::string suffix = std::string(round_text(Mode)) + ftz_text(Ftz) + type_suffix<F>();
  const Unit unit = sizeof(F) == 8 ? Unit::kFp64 : Unit::kSfu;
  ops.add(
      "div" + suffix,
      [](F a, F b) -> F {
        a = operand<Ftz>(a), b = operand<Ftz>(b);
        return deliver<Ftz, false>(divide<F, Mode>(a, b), a, b);
      },
      unit);
  ops.add(
      "rcp" + suffix,
      [](F a) -> F {
        a = operand<Ftz>(a);
        return deliver<Ftz, false>(divide<F, Mode>(F{1}, a), a);
      },
      unit);
  ops.add(
      "sqrt" + suffix,
      [](F a) -> F {
        a = operand<Ftz>(a);
        return deliver<Ftz, false>(square_root<F, Mode>(a), a);
      },
      unit);
}

template <class F, bool Ftz>
[[gnu::cold]] void add_all_roundings(OpRegistry& ops) {
  add_rounded<F, Round::kNearest, Ftz>(ops);
  add_rounded<F, Round::kZero, Ftz>(ops);
  add_rounded<F, Round::kDown, Ftz>(ops);
  add_rounded<F, Round::kUp, Ftz>(ops);
}

}  // namespace

[[gnu::cold]] void add_float_division_ops(OpRegistry& ops) {
  add_all_roundings<float, false>(ops);
  add_all_roundings<float, true>(ops);
  add_all_roundings<double, false>(ops);
}

}  // namespace warpfold::isa
