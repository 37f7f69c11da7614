// SPDX-License-Identifier: Apache-2.0
// Names that stand for nothing, or for the wrong thing.
#include <gtest/gtest.h>

#include "tests/ptx/ptx_text.h"

namespace warpfold::ptx {
namespace resolve_operands_test {

using test::error_in_kernel;

TEST(ResolveOperands, FindsWhatIsDeclaredOutside) {
  const Module module = test::parse_module(
      ".global .u32 g;\n.global .texref t;\n.func f() { ret; }\n"
      ".entry k(.param .u64 p) {\n.reg .b64 %rd<2>;\n.reg .f32 %f<4>;\n"
      "mov.u64 %rd1, g; mov.u64 %rd1, f; ld.param.u64 %rd1, [p]; ld.global.u32 %rd1, [g+4];\n"
      "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [t, {%rd1}]; mov.u64 %rd1, k;\n}");
  const std::vector<Instruction>& code = module.functions.at(1).instructions;
  EXPECT_EQ(code[0].operands[1].refers, Refers::kModuleVariable);
  EXPECT_EQ(code[0].operands[1].index, 0U);
  EXPECT_EQ(code[1].operands[1].refers, Refers::kFunction);
  EXPECT_EQ(code[2].operands[1].refers, Refers::kParameter);
  EXPECT_EQ(code[3].operands[1].refers, Refers::kModuleVariable);
  EXPECT_EQ(code[3].operands[1].name, "g");
  EXPECT_EQ(code[3].operands[1].offset, 4);
  EXPECT_EQ(code[4].operands[1].elements[0].refers, Refers::kModuleVariable);
  EXPECT_EQ(code[4].operands[1].elements[0].index, 1U);
  EXPECT_EQ(code[5].operands[1].index, 1U);  // the kernel itself
}

TEST(ResolveOperands, LocalNamesHideThoseOfTheModule) {
  const Module module = test::parse_module(
      ".shared .b32 s;\n.entry k() {\n.reg .b32 %r<2>;\n.shared .b32 s;\nld.shared.b32 %r1, [s];\n}");
  EXPECT_EQ(module.functions[0].instructions[0].operands[1].refers, Refers::kLocalVariable);
}

TEST(ResolveOperands, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"add.s32 %r1, %r2, %r8;", "t.ptx:6:19: undeclared register, near '%r8'"},
      {"ld.u32 %r1,\n [%rd9+4];", "t.ptx:7:3: undeclared register, near '%rd9'"},
      {"mov.b64 {%r1, %q}, %rd1;", "t.ptx:6:15: undeclared register, near '%q'"},
      {"{ .reg .b32 t; } mov.b32 %r1, t;", "t.ptx:6:31: undeclared name, near 't'"},
      {"bra nowhere;", "t.ptx:6:5: undeclared label, near 'nowhere'"},
      {"bra tile;", "t.ptx:6:5: not a label, near 'tile'"},
      {"bra k;", "t.ptx:6:5: undeclared label, near 'k'"},
      {"{ L: ret; } bra L;", "t.ptx:6:17: undeclared label, near 'L'"},
      {"call f, (%r1);", "t.ptx:6:6: undeclared name, near 'f'"},
      {"mov.b32 %r1, late; .reg .b32 late;", "t.ptx:6:14: register used before its declaration, near 'late'"},
      {"ld.u32 %r1, [nothing];", "t.ptx:6:14: undeclared name, near 'nothing'"},
      {"ld.u32 %r1, [k];", "t.ptx:6:14: not the name of a variable, near 'k'"},
      {"ld.u32 %r1, [%tid.x];", "t.ptx:6:14: not an address, near '%tid'"},
      {"ld.u32 %r1, [1.5];", "t.ptx:6:14: not an address, near '1'"},
      {"ld.u32 %r1, [_];", "t.ptx:6:14: not an address, near '_'"},
      {"add.s32 %r1, %r2+1, 0;", "t.ptx:6:14: an offset to a register needs brackets, near '%r2'"},
      {"mov.u32 %r1, %tid.x+1;", "t.ptx:6:14: a special register takes no offset, near '%tid'"},
      {"mov.u32 %r1, %tid.q;", "t.ptx:6:14: undeclared register, near '%tid'"},
      {"mov.u32 _+1, 0;", "t.ptx:6:9: '_' stands alone, near '_'"},
      {"mov.f32 %f1.x, 0;", "t.ptx:6:13: only a vector register has components, near 'x'"},
      {"mov.f32 tile.x, 0;", "t.ptx:6:14: only a vector register has components, near 'x'"},
      {".reg .v2 .f32 v; mov.f32 v.z, 0;", "t.ptx:6:28: the vector register has no such component, near 'z'"},
      {"@%r1 ret;", "t.ptx:6:2: the guard is not a predicate register, near '%r1'"},
      {"@%p7 ret;", "t.ptx:6:2: undeclared predicate register, near '%p7'"},
      {"and.pred %p1, !%r1, %p2;", "t.ptx:6:15: only a predicate register can be negated, near '!'"},
  };
  for (const auto& expected : cases) EXPECT_EQ(error_in_kernel(expected.text), expected.error) << expected.text;
}

}  // namespace resolve_operands_test
}  // namespace warpfold::ptx
