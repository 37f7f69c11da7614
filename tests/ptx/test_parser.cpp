// SPDX-License-Identifier: Apache-2.0
// Whole modules: the header, real compiler output, and the speed of a long file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/ptx/ptx_text.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::ptx {
namespace parser_test {

using test::error_of;
using test::kHead;
using test::read_data;

const Function& function(const Module& module, std::string_view name) {
  const auto found = std::find_if(module.functions.begin(), module.functions.end(),
                                  [name](const Function& candidate) { return candidate.name == name; });
  if (found == module.functions.end()) throw std::runtime_error("no such function");
  return *found;
}

std::size_t count(const Function& where, std::string_view opcode) {
  return static_cast<std::size_t>(std::count_if(where.instructions.begin(), where.instructions.end(),
                                                [opcode](const Instruction& i) { return i.name == opcode; }));
}

TEST(Parser, ModuleHeader) {
  const Module module = parse(".version 8.3\n.target sm_90a, debug\n.address_size 64", "a/b.ptx");
  EXPECT_EQ(module.file, "a/b.ptx");
  EXPECT_EQ(module.version, "8.3");
  EXPECT_EQ(module.targets, (std::vector<std::string>{"sm_90a", "debug"}));
  EXPECT_EQ(parse(".version 2.3 .target sm_20", "t.ptx").targets, (std::vector<std::string>{"sm_20"}));
  EXPECT_EQ(parse(".version 9.0 .target sm_120f", "t.ptx").version, "9.0");
}

TEST(Parser, SaysWhatIsWrongInTheModule) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "t.ptx:1:1: a PTX file starts with .version, near 'end of file'"},
      {"// nothing\n", "t.ptx:2:1: a PTX file starts with .version, near 'end of file'"},
      {"\x7f"
       "ELF",
       "t.ptx:1:1: character that PTX does not have, near '\\x7f'"},
      {"hello", "t.ptx:1:1: a PTX file starts with .version, near 'hello'"},
      {".version", "t.ptx:1:9: expected a version such as 7.1, near 'end of file'"},
      {".version 7", "t.ptx:1:10: expected a version such as 7.1, near '7'"},
      {".version x.y", "t.ptx:1:10: expected a version such as 7.1, near 'x'"},
      {".version 7.1.0", "t.ptx:1:10: expected a version such as 7.1, near '7'"},
      {".version 99", "t.ptx:1:10: expected a version such as 7.1, near '99'"},
      {".version 99.0", "t.ptx:1:10: not a version of PTX that is known here, which are 2.0 to 9.0, near '99'"},
      {".version 7.9", "t.ptx:1:10: not a version of PTX that is known here, which are 2.0 to 9.0, near '7'"},
      {".version 1.4", "t.ptx:1:10: not a version of PTX that is known here, which are 2.0 to 9.0, near '1'"},
      {".version 4294967303.1", "t.ptx:1:10: expected a version such as 7.1, near '4294967303'"},
      {".version 7.1\n.target sm_14", "t.ptx:2:9: not a target that is known here, near 'sm_14'"},
      {".version 7.1\n.target sm_70a", "t.ptx:2:9: not a target that is known here, near 'sm_70a'"},
      {".version 7.1\n.target sm_99", "t.ptx:2:9: not a target that is known here, near 'sm_99'"},
      {".version 7.1\n.target sm_70, map_f64_to_f32",
       "t.ptx:2:16: not a target that is known here, near 'map_f64_to_f32'"},
      {".version 7.1\n.target hopper", "t.ptx:2:9: not a target that is known here, near 'hopper'"},
      {".version 7.1\n.target ;", "t.ptx:2:9: expected a target such as sm_70, near ';'"},
      {".version 7.1\n.target sm_70,", "t.ptx:2:15: expected a target such as sm_70, near 'end of file'"},
      {".version 7.1\n.address_size 16", "t.ptx:2:15: expected 64 or 32, near '16'"},
      {".version 7.1\n.address_size 64x", "t.ptx:2:15: expected 64 or 32, near '64x'"},
      {".version 7.1\n.entry k() .maxntid 0, 1 { ret; }",
       "t.ptx:2:12: a block has at least one thread, near '.maxntid'"},
      {".version 7.1\n.entry k() .reqntid 65536, 65536 { ret; }", "t.ptx:2:12: number is too large, near '.reqntid'"},
      {".version 7.1\n.entry k() .maxntid 4294967297 { ret; }", "t.ptx:2:12: number is too large, near '.maxntid'"},
      {".version 7.1\n.entry k() .maxnreg 0 { ret; }",
       "t.ptx:2:12: a thread has at least one register, near '.maxnreg'"},
      {".version 7.1\n.entry k() { .reg .b32 %r<4294967297>; ret; }", "t.ptx:2:24: too many registers, near '%r'"},
      {".version 7.1\n%$#", "t.ptx:2:1: expected a directive of the module, near '%$'"},
      {".version 7.1\n.visible", "t.ptx:2:9: expected a state space, near 'end of file'"},
      {".version 7.1\n.section .x { .b8 1", "t.ptx:2:1: .section is never closed, near '.section'"},
      {".version 7.1\n}", "t.ptx:2:1: expected a directive of the module, near '}'"},
  };
  for (const auto& expected : cases) EXPECT_EQ(error_of(expected.text), expected.error) << expected.text;
}

TEST(Parser, AFewLettersDoNotDeclareRegistersWithoutMeasure) {
  std::string text = ".version 7.1\n";
  for (unsigned i = 0; i < 9; ++i) text += fmt::format(".func f{}() {{ .reg .b32 %r<262144>; ret; }}\n", i);
  EXPECT_EQ(error_of(text), "t.ptx:10:7: the functions up to this one declare too many registers, near 'f8'");
}

TEST(Parser, ExternVariableAndItsDefinitionAreOne) {
  const Module module =
      test::parse_module(".extern .global .u32 x;\n.visible .global .u32 x = 3;\n.extern .global .u32 x;");
  ASSERT_EQ(module.variables.size(), 1U);
  EXPECT_EQ(module.variables[0].linkage, Linkage::kVisible);
  EXPECT_EQ(module.variables[0].initialiser.at(0).bits, 3U);
}

TEST(Parser, LineEndsDoNotMatter) {
  std::string text = read_data("kernels.ptx");
  const std::size_t instructions = function(parse(text, "t.ptx"), "diverge").instructions.size();
  while (text.back() == '\n') text.pop_back();
  std::string windows;
  for (const char c : text) {
    if (c == '\n') windows += '\r';
    windows += c;
  }
  const Module module = parse(windows, "t.ptx");
  EXPECT_EQ(function(module, "diverge").instructions.size(), instructions);
  EXPECT_EQ(function(module, "diverge").where.line, function(parse(text, "t.ptx"), "diverge").where.line);
}

TEST(Parser, ReadsWhatClangWrites) {
  const Module module = parse(read_data("kernels.ptx"), "kernels.ptx");
  EXPECT_EQ(module.version, "6.3");
  EXPECT_EQ(module.variables.size(), 6U);
  const Function& diverge = function(module, "diverge");
  EXPECT_TRUE(diverge.is_entry);
  EXPECT_EQ(diverge.params.size(), 4U);
  EXPECT_EQ(diverge.params[3].bytes, 24U);
  EXPECT_EQ(diverge.max_threads.x, 256U);
  EXPECT_EQ(diverge.min_blocks_per_core, 2U);
  EXPECT_EQ(count(diverge, "bar"), 2U);
  EXPECT_EQ(count(diverge, "call"), 2U);
  const auto is_depot = [](const Variable& variable) { return variable.space == Space::kLocal; };
  EXPECT_EQ(std::count_if(diverge.variables.begin(), diverge.variables.end(), is_depot), 1);
  EXPECT_FALSE(function(module, "vprintf").has_body);
  EXPECT_EQ(function(module, "indirect").prototypes.size(), 1U);
  EXPECT_EQ(count(function(module, "warp_level"), "shfl"), 5U);
  const std::vector<InitialValue>& pointers = module.variables.at(2).initialiser;
  ASSERT_EQ(pointers.size(), 3U);
  EXPECT_EQ(pointers[0].symbol, "table");
  EXPECT_EQ(pointers[0].offset, 4);
}

TEST(Parser, ReadsWhatOtherCompilersWrite) {
  const Module module = parse(read_data("features.ptx"), "features.ptx");
  const Function& everything = function(module, "everything");
  EXPECT_EQ(count(everything, "call"), 3U);
  EXPECT_EQ(everything.labels.size(), 3U);
  EXPECT_EQ(everything.branch_tables.at(0).labels, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(function(module, "__assertfail").no_return);
}

TEST(Parser, TwentyThousandLinesTakeWellUnderASecond) {
  std::string text = kHead + ".entry k() {\n.reg .b32 %r<100>;\n.reg .b64 %rd<100>;\n.reg .pred %p<4>;\n";
  for (int i = 0; i < 4000; ++i) {
    text += fmt::format(
        "L{}:\nmad.lo.s32 %r{}, %r1, %r2, -4;\nld.global.v2.u32 {{%r3, %r4}}, [%rd5+-16];\n"
        "setp.lt.s32 %p1, %r3, 0x10;\n@%p1 bra L{};\n",
        i, i % 100, i * 7 % 4000);
  }
  text += "}\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse(text, "t.ptx").functions[0].instructions.size(), 16000U);
  // About 15 ms in a release build; the bound leaves room for sanitizers and a busy machine.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(Parser, AliasesDoWhatTheirOriginalsDo) {
  const Module module = test::parse_module(
      ".visible .func g (.param .b32 a);\n.alias g, f;\n.func f (.param .b32 a) { ret; }\n.entry k() { call g, (1); }");
  EXPECT_TRUE(module.functions[0].has_body);
  EXPECT_EQ(module.functions[0].name, "g");
  EXPECT_EQ(module.functions[0].linkage, Linkage::kVisible);
  EXPECT_EQ(module.functions[0].where.line, 4U);
  EXPECT_EQ(module.functions[0].instructions.size(), 1U);
  const std::string functions =
      test::kHead + ".func g ();\n.func f () { ret; }\n.entry k() { ret; }\n.global .u32 v;\n";
  EXPECT_EQ(test::error_of(functions + ".alias g;"), "t.ptx:8:1: two names belong to this directive, near '.alias'");
  EXPECT_EQ(test::error_of(functions + ".alias g, h;"), "t.ptx:8:11: not the name of a function, near 'h'");
  EXPECT_EQ(test::error_of(functions + ".alias v, f;"), "t.ptx:8:8: not the name of a function, near 'v'");
  EXPECT_EQ(test::error_of(functions + ".alias g, k;"), "t.ptx:8:11: not a device function with a body, near 'k'");
  EXPECT_EQ(test::error_of(functions + ".alias f, f;"), "t.ptx:8:8: an alias has no body of its own, near 'f'");
}

}  // namespace parser_test
}  // namespace warpfold::ptx
