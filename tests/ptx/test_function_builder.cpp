// SPDX-License-Identifier: Apache-2.0
// Function headers, and bodies with their scopes flattened and names resolved.
#include <gtest/gtest.h>

#include "tests/ptx/ptx_text.h"
#include "warpfold/ptx/function_builder.h"

namespace warpfold::ptx {
namespace function_builder_test {

using test::error_in_kernel;
using test::error_of;
using test::kHead;
using test::parse_kernel;

Function parse_function(std::string_view text) { return test::parse_module(text).functions.back(); }

TEST(FunctionHeader, EntryWithParametersAndDirectives) {
  const Function kernel = parse_function(
      ".visible .entry k(\n.param .u64 .ptr .global .align 4 p,\n.param .align 8 .b8 q[24]\n)\n"
      ".maxntid 128, 2\n.reqntid 64\n.minnctapersm 4\n.maxnreg 32\n.pragma \"x;{\";\n{ ret; }");
  EXPECT_TRUE(kernel.is_entry);
  EXPECT_TRUE(kernel.has_body);
  EXPECT_EQ(kernel.linkage, Linkage::kVisible);
  EXPECT_EQ(kernel.name, "k");
  ASSERT_EQ(kernel.params.size(), 2U);
  EXPECT_EQ(kernel.params[0].space, Space::kParam);
  EXPECT_EQ(kernel.params[0].type, Type::kU64);
  EXPECT_EQ(kernel.params[0].align, 8U);
  EXPECT_TRUE(kernel.params[0].is_pointer);
  EXPECT_EQ(kernel.params[0].pointee_space, Space::kGlobal);
  EXPECT_EQ(kernel.params[0].pointee_align, 4U);
  EXPECT_EQ(kernel.params[1].bytes, 24U);
  EXPECT_EQ(kernel.params[1].align, 8U);
  EXPECT_FALSE(kernel.params[1].is_pointer);
  EXPECT_EQ(kernel.max_threads.x, 128U);
  EXPECT_EQ(kernel.max_threads.y, 2U);
  EXPECT_EQ(kernel.max_threads.z, 1U);
  EXPECT_EQ(kernel.required_threads.x, 64U);
  EXPECT_EQ(kernel.min_blocks_per_core, 4U);
  EXPECT_EQ(kernel.max_registers, 32U);
  EXPECT_EQ(parse_function(".entry k { ret; }").max_threads.x, 0U);
}

TEST(FunctionHeader, DeviceFunctions) {
  const Module module = test::parse_module(
      ".extern .func (.param .b32 r) f(.param .b64 a) .noreturn;\n"
      ".func g(.reg .b32 x, .reg .pred p) { @p mov.b32 x, 1; ret; }\n"
      ".weak .func (.param .b32 r) f(.param .b64 b) { st.param.b32 [r], 0; ret; }\n"
      ".entry k() { call f, (0); ret; }\n");
  ASSERT_EQ(module.functions.size(), 3U);
  const Function& f = module.functions[0];  // the definition took the declaration's place
  EXPECT_TRUE(f.has_body);
  EXPECT_FALSE(f.is_entry);
  EXPECT_EQ(f.linkage, Linkage::kWeak);
  ASSERT_EQ(f.returns.size(), 1U);
  EXPECT_EQ(f.params.at(0).name, "b");
  EXPECT_EQ(f.instructions.at(0).operands.at(0).refers, Refers::kReturnParameter);
  const Function& g = module.functions[1];
  ASSERT_EQ(g.params.size(), 2U);
  EXPECT_EQ(g.params[1].type, Type::kPred);
  EXPECT_EQ(g.registers.at(0).name, "x");
  EXPECT_EQ(g.instructions.at(0).guard.reg, 1U);
  const Operand& callee = module.functions[2].instructions.at(0).operands.at(0);
  EXPECT_EQ(callee.refers, Refers::kFunction);
  EXPECT_EQ(callee.index, 0U);
  EXPECT_TRUE(parse_function(".extern .func f() .noreturn;").no_return);
  EXPECT_FALSE(parse_function(".extern .func f();").has_body);
}

TEST(FunctionHeader, MayGoWithoutASemicolonWhereItDeclaresADeviceFunction) {
  const Module module = test::parse_module(
      ".visible .func (.param .u32 r) f (.param .u32 a)\n\n.func g .noreturn\n.global .u32 v;\n"
      ".func (.reg .u32 r) h (.reg .u32 a)\n.file 1 \"a.cu\"\n.entry k() { ret; }\n.func g { ret; }\n.func last");
  ASSERT_EQ(module.functions.size(), 5U);
  const bool bodies[] = {false, true, false, true, false};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(module.functions[i].has_body, bodies[i]) << module.functions[i].name;
  EXPECT_EQ(module.variables.size(), 1U);
}

TEST(FunctionHeader, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {".entry (.param .u64 x) { }", "t.ptx:4:24: expected a function name, near '{'"},
      {".entry k(.param .u64 x .param .u64 y) { }", "t.ptx:4:24: expected ',' or ')', near '.param'"},
      {".entry k(x) { }", "t.ptx:4:10: expected a state space, near 'x'"},
      {".entry k(.shared .u32 x) { }", "t.ptx:4:10: parameters are .param or .reg, near '.shared'"},
      {".entry k(.param .u32 x, .param .u32 x) { }", "t.ptx:4:37: x is already declared in line 4, near 'x'"},
      {".entry k(.param .u32 x = 1) { }", "t.ptx:4:22: a parameter has no initial value, near 'x'"},
      {".entry k() ret;", "t.ptx:4:12: expected '{' or ';', near 'ret'"},
      {".entry k()\n.func f() { ret; }", "t.ptx:5:1: expected '{' or ';', near '.func'"},
      {".func f() ret;", "t.ptx:4:11: expected '{' or ';', near 'ret'"},
      {".entry k() .maxntid { }", "t.ptx:4:12: one to three numbers belong to this directive, near '.maxntid'"},
      {".entry k() .maxntid 1,2,3,4 { }", "t.ptx:4:12: one to three numbers belong to this directive, near '.maxntid'"},
      {".entry k() .maxnreg 1,2 { }", "t.ptx:4:12: one number belongs to this directive, near '.maxnreg'"},
      {".entry k() .maxnreg 4294967296 { }", "t.ptx:4:12: number is too large, near '.maxnreg'"},
      {".entry k() .maxnrex 1 { }", "t.ptx:4:12: unknown directive of a function, near '.maxnrex'"},
      {".func f() { ret; }\n.func f() { ret; }", "t.ptx:5:7: f is already defined in line 4, near 'f'"},
      {".global .u32 f;\n.func f() { ret; }", "t.ptx:5:7: name is already that of a variable, near 'f'"},
      {".func f;\n.global .u32 f;", "t.ptx:5:14: name is already that of a function, near 'f'"},
      {".entry k() { ret;", "t.ptx:4:18: the body of k is never closed, near 'end of file'"},
  };
  for (const auto& expected : cases) EXPECT_EQ(error_of(kHead + expected.text), expected.error) << expected.text;
  EXPECT_EQ(error_of(kHead + ".entry k() .maxnreg 4294967295 { }"), "accepted");
}

TEST(FunctionBody, DeclaresRegisters) {
  const Function function =
      parse_function(".entry k() {\n.reg .b32 %r<3>;\n.reg .pred p, q;\n.reg .v4 .f32 %v;\nmov.f32 %v.y, %v.b;\n}");
  ASSERT_EQ(function.registers.size(), 6U);
  EXPECT_EQ(function.registers[0].name, "%r0");
  EXPECT_EQ(function.registers[2].name, "%r2");
  EXPECT_EQ(function.registers[2].where.line, 5U);
  EXPECT_EQ(function.registers[4].name, "q");
  EXPECT_EQ(function.registers[4].type, Type::kPred);
  EXPECT_EQ(function.registers[5].vector_width, 4U);
  EXPECT_EQ(function.instructions[0].operands[0].component, 'y');
  EXPECT_EQ(function.instructions[0].operands[1].component, 'z');
}

TEST(FunctionBody, DeclaresLocalVariables) {
  const Function function =
      parse_kernel(".local .align 16 .b8 __local_depot0[40];\n.shared .align 4 .f32 s[4][4];\nmov.u64 %rd1, s+16;");
  ASSERT_EQ(function.variables.size(), 3U);
  EXPECT_EQ(function.variables[1].space, Space::kLocal);
  EXPECT_EQ(function.variables[1].bytes, 40U);
  EXPECT_EQ(function.variables[2].bytes, 64U);
  const Operand& symbol = function.instructions[0].operands[1];
  EXPECT_EQ(symbol.kind, OperandKind::kSymbol);
  EXPECT_EQ(symbol.refers, Refers::kLocalVariable);
  EXPECT_EQ(symbol.index, 2U);
  EXPECT_EQ(symbol.offset, 16);
}

TEST(FunctionBody, VariablesThatOutliveACallAreTheModules) {
  const Module module = test::parse_module(
      ".global .u32 from = 9;\n.func f() { .global .u32 from[] = {1, 2}; .shared .u32 box; ret; }\n"
      ".entry k() { .reg .u64 to; .shared .u32 box; mov.u64 to, from; .const .u64 from[2] = {k, from+4};\n"
      "{ .global .u32 from; .global .u64 at = generic(from); mov.u64 to, from+4; } mov.u64 to, from; }");
  std::vector<std::string> names;
  for (const Variable& variable : module.variables) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"from", "f.from", "f.box", "k.from", "k.from@1", "k.at@1"}));
  EXPECT_EQ(module.variables[3].source_name, "from");
  EXPECT_EQ(module.variables[3].initialiser.at(0).symbol, "k");
  EXPECT_EQ(module.variables[3].initialiser.at(1).symbol, "from");
  EXPECT_EQ(module.variables[5].initialiser.at(0).symbol, "k.from@1");
  const Function& kernel = module.functions.back();
  ASSERT_EQ(kernel.variables.size(), 1U);
  const std::uint32_t indices[] = {0, 4, 3};  // before its declaration a name is the module's
  for (std::size_t i = 0; i < 3; ++i) {
    const Operand& operand = kernel.instructions.at(i).operands.at(1);
    EXPECT_EQ(operand.refers, Refers::kModuleVariable);
    EXPECT_EQ(operand.index, indices[i]);
    EXPECT_EQ(operand.name, module.variables[indices[i]].name);
  }
}

TEST(FunctionBody, ResolvesLabelsBothWays) {
  const Function function = parse_kernel("bra $L__BB0_1;\nback: ret;\n$L__BB0_1:\nbra.uni back;\nend:");
  ASSERT_EQ(function.labels.size(), 3U);
  EXPECT_EQ(function.labels[0].name, "back");
  EXPECT_EQ(function.labels[0].instruction, 1U);
  EXPECT_EQ(function.labels[1].instruction, 2U);
  EXPECT_EQ(function.labels[2].instruction, 3U);  // behind the last instruction
  EXPECT_EQ(function.instructions[0].operands[0].refers, Refers::kLabel);
  EXPECT_EQ(function.instructions[0].operands[0].index, 1U);
  EXPECT_EQ(function.instructions[2].operands[0].index, 0U);
}

TEST(FunctionBody, BranchTablesOfNumberedLabels) {
  const Function function = parse_kernel("ts: .branchtargets L<2>, M;\nbrx.idx %r1, ts;\nM: ret;\nL1: ret;\nL0: ret;");
  EXPECT_EQ(function.branch_tables.at(0).labels, (std::vector<std::size_t>{2, 1, 0}));
}

TEST(FunctionBody, PrototypesSayWhatACallTakes) {
  const Function function = parse_kernel(
      "f: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[24], .reg .pred _);\n"
      "g: .callprototype _ () .noreturn;\nh: .calltargets k;");
  ASSERT_EQ(function.prototypes.size(), 3U);
  EXPECT_EQ(function.prototypes[0].returns.at(0).bytes, 4U);
  EXPECT_EQ(function.prototypes[0].params.at(0).bytes, 24U);
  EXPECT_EQ(function.prototypes[0].params.at(1).type, Type::kPred);
  EXPECT_TRUE(function.prototypes[1].is_known);
  EXPECT_TRUE(function.prototypes[1].params.empty());
  EXPECT_FALSE(function.prototypes[2].is_known);
}

TEST(FunctionBody, FlattensScopesWithUniqueNames) {
  const Function function = parse_kernel(
      "{ .reg .b32 t; .param .b32 param0; mov.b32 t, %r1; st.param.b32 [param0], t; bra L; L: ret; }\n"
      "{ .reg .b32 t; .param .b32 param0; mov.b32 t, %r1; { .reg .b32 %r1; mov.b32 %r1, t; } bra L; }\n"
      "L: ret;");
  const std::vector<Instruction>& code = function.instructions;
  ASSERT_EQ(code.size(), 8U);
  EXPECT_EQ(code[0].operands[0].name, "t@1");
  EXPECT_EQ(code[1].operands[0].name, "param0@1");
  EXPECT_EQ(code[2].operands[0].name, "L@1");  // the inner label, though the outer one comes later
  EXPECT_EQ(code[4].operands[0].name, "t@2");
  EXPECT_EQ(code[4].operands[1].name, "%r1");
  EXPECT_EQ(code[5].operands[0].name, "%r1@3");
  EXPECT_EQ(code[5].operands[1].name, "t@2");
  EXPECT_EQ(code[6].operands[0].name, "L");
  EXPECT_NE(code[0].operands[0].index, code[4].operands[0].index);
  EXPECT_EQ(function.registers[code[5].operands[0].index].source_name, "%r1");
  EXPECT_EQ(function.variables.at(2).name, "param0@2");
  EXPECT_EQ(function.variables.at(2).source_name, "param0");
}

TEST(FunctionBody, InnerLabelWinsOverAnEarlierOuterOne) {
  const Function function = parse_kernel("L: { bra L; L: ret; } bra L;");
  EXPECT_EQ(function.instructions[0].operands[0].name, "L@1");
  EXPECT_EQ(function.instructions[2].operands[0].name, "L");
}

TEST(FunctionBody, ReadsCallsTablesAndPrototypes) {
  const Function function = parse_kernel(
      "call.uni (%r1), k, (%r2, tile);\n"
      "proto : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b8 _[]);\n"
      "call (%r1), %rd1, (%r2), proto;\n"
      "ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: ret;\nB: ret;");
  const Instruction& direct = function.instructions[0];
  EXPECT_EQ(direct.modifiers, std::vector<std::string>{"uni"});
  ASSERT_EQ(direct.operands.size(), 3U);
  EXPECT_EQ(direct.operands[0].kind, OperandKind::kList);
  EXPECT_EQ(direct.operands[1].refers, Refers::kFunction);
  EXPECT_EQ(direct.operands[2].elements.at(1).refers, Refers::kLocalVariable);
  EXPECT_EQ(function.instructions[1].operands.at(1).kind, OperandKind::kRegister);
  EXPECT_EQ(function.instructions[1].operands.at(3).refers, Refers::kPrototype);
  ASSERT_EQ(function.branch_tables.size(), 1U);
  EXPECT_EQ(function.branch_tables[0].labels, (std::vector<std::size_t>{0, 1, 0}));
  EXPECT_EQ(function.instructions[2].operands.at(1).refers, Refers::kBranchTable);
}

TEST(FunctionBody, SkipsDebuggingLinesAndPragmas) {
  const Function function =
      parse_kernel(".loc 1 12 5\n.loc 1 10 3, function_name $L__x, inlined_at 1 12 5\n.pragma \"nounroll;\";\n;ret;\n");
  EXPECT_EQ(function.instructions.size(), 1U);
}

TEST(FunctionBody, SaysWhatIsWrong) {
  const std::string deep(300, '{');
  const struct {
    std::string text;
    const char* error;
  } cases[] = {
      {".reg .b32 %r3;", "t.ptx:6:11: %r3 is already declared in line 5, near '%r3'"},
      {".reg .b32 %s<3>, %s2;", "t.ptx:6:18: %s2 is already declared in line 6, near '%s2'"},
      {".reg .b32 tile;", "t.ptx:6:11: tile is already declared in line 5, near 'tile'"},
      {"L:\nL: ret;", "t.ptx:7:1: L is already declared in line 6, near 'L'"},
      {".reg .b32 %s<5;", "t.ptx:6:15: expected '>', near ';'"},
      {".reg .b32 %s<262145>;", "t.ptx:6:11: too many registers, near '%s'"},
      {".global .u32 g; .global .u32 g;", "t.ptx:6:30: g is already declared in line 6, near 'g'"},
      {".global .u32 tile;", "t.ptx:6:14: tile is already declared in line 5, near 'tile'"},
      {".global .u64 p = q; .global .u64 q;", "t.ptx:6:18: undeclared name, near 'q'"},
      {".global .u64 p = %rd1;", "t.ptx:6:18: not the name of a variable whose address is known here, near '%rd1'"},
      {".global .texref t;", "t.ptx:6:17: textures, samplers and surfaces are declared outside of functions, near 't'"},
      {".reg %s;", "t.ptx:6:6: register without a type, near '%s'"},
      {".reg .b32 s[4];", "t.ptx:6:11: a register is neither an array nor has it an initial value, near 's'"},
      {".rex .b32 s;", "t.ptx:6:1: unknown directive in a function body, near '.rex'"},
      {".pragma \"x\"", "t.ptx:8:1: expected ';', near 'end of file'"},
      {"ts: .branchtargets A, B;\nA: ret;", "t.ptx:6:23: undeclared label, near 'B'"},
      {"ts: .branchtargets A<2>;\nA0: ret;", "t.ptx:6:20: undeclared label, near 'A'"},
      {"f: .callprototype (.param .b32 _) (.param .b32 _);", "t.ptx:6:35: expected '_', near '('"},
      {deep, "t.ptx:6:257: scopes are nested too deeply, near '{'"},
  };
  for (const auto& expected : cases) EXPECT_EQ(error_in_kernel(expected.text), expected.error) << expected.text;
  EXPECT_EQ(error_in_kernel(std::string(256, '{') + std::string(256, '}')), "accepted");
}

}  // namespace function_builder_test
}  // namespace warpfold::ptx
