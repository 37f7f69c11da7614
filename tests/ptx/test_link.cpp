// SPDX-License-Identifier: Apache-2.0
// Several modules as one program.
#include <gtest/gtest.h>

#include <algorithm>

#include "warpfold/common/error.h"
#include "warpfold/ptx/link.h"
#include "warpfold/ptx/parser.h"

namespace warpfold::ptx {
namespace link_test {

Module module(const std::string& text, const std::string& file) {
  return parse(".version 6.3\n.target sm_70\n.address_size 64\n" + text, file);
}

// The files are a.cu, b.cu, …
Module linked(const std::vector<std::string>& texts) {
  std::vector<Module> modules;
  for (const std::string& text : texts) {
    modules.push_back(module(text, std::string(1, static_cast<char>('a' + modules.size())) + ".cu"));
  }
  return link(std::move(modules), "program.ptx");
}

template <class Thing>
const Thing& named(const std::vector<Thing>& things, const std::string& name) {
  const auto has_name = [&](const Thing& thing) { return thing.name == name; };
  EXPECT_EQ(std::count_if(things.begin(), things.end(), has_name), 1) << name;
  return *std::find_if(things.begin(), things.end(), has_name);
}

// What the only operand of that kind in a function's instruction refers to.
const Operand& reference(const Function& function, Refers refers) {
  for (const Instruction& instruction : function.instructions) {
    for (const Operand& operand : instruction.operands) {
      if (operand.refers == refers) return operand;
      for (const Operand& element : operand.elements) {
        if (element.refers == refers) return element;
      }
    }
  }
  throw std::runtime_error("no such operand in " + function.name);
}

constexpr const char* kCaller =
    ".extern .func f;\n.extern .global .u32 v;\n"
    ".visible .entry k() {\n.reg .u32 %r<2>;\ncall f;\nld.global.u32 %r1, [v];\nret;\n}\n";
constexpr const char* kCallee =
    ".global .u32 first = 1;\n.visible .global .u32 v = 7;\n"
    ".visible .func f {\n.reg .u32 %r<2>;\nld.global.u32 %r1, [first];\nret;\n}\n";

TEST(Link, DeclarationsBecomeWhatOthersDefine) {
  for (const auto& texts : {std::vector<std::string>{kCaller, kCallee}, {kCallee, kCaller}}) {
    const Module whole = linked(texts);
    EXPECT_EQ(whole.file, "program.ptx");
    EXPECT_EQ(whole.variables.size(), 2U);
    EXPECT_EQ(whole.functions.size(), 2U);
    EXPECT_TRUE(named(whole.functions, "f").has_body);
    EXPECT_EQ(named(whole.variables, "v").initialiser.front().bits, 7U);
    const Function& kernel = named(whole.functions, "k");
    EXPECT_EQ(whole.functions[reference(kernel, Refers::kFunction).index].name, "f");
    EXPECT_EQ(whole.variables[reference(kernel, Refers::kModuleVariable).index].name, "v");
    const Operand& own = reference(named(whole.functions, "f"), Refers::kModuleVariable);
    EXPECT_EQ(whole.variables[own.index].name, "first");
  }
}

TEST(Link, LocalNamesStayTheirModules) {
  const auto text = [](const std::string& kernel, const std::string& value) {
    return ".global .u32 t = " + value + ";\n.visible .global .u64 " + kernel + "_table[1] = {t};\n.visible .entry " +
           kernel + "() {\n.reg .u32 %r<2>;\nld.global.u32 %r1, [t];\nret;\n}\n";
  };
  const Module whole = linked({text("a", "1"), text("b", "2")});
  for (const auto& [kernel, value] : {std::pair{"a", 1U}, std::pair{"b", 2U}}) {
    const Operand& operand = reference(named(whole.functions, kernel), Refers::kModuleVariable);
    const Variable& variable = whole.variables[operand.index];
    EXPECT_EQ(variable.initialiser.front().bits, value);
    EXPECT_EQ(operand.name, variable.name);
    EXPECT_EQ(variable.source_name, "t");
    EXPECT_EQ(named(whole.variables, std::string(kernel) + "_table").initialiser.front().symbol, variable.name);
  }
}

TEST(Link, OfWeakDefinitionsTheFirstStaysUnlessOneIsNot) {
  const auto text = [](const std::string& linkage, const std::string& value) {
    return linkage + " .global .u32 v = " + value + ";\n";
  };
  const auto value = [](const Module& whole) { return named(whole.variables, "v").initialiser.front().bits; };
  EXPECT_EQ(value(linked({text(".weak", "1"), text(".weak", "2")})), 1U);
  EXPECT_EQ(value(linked({text(".weak", "1"), text(".visible", "2"), text(".weak", "3")})), 2U);
}

TEST(Link, TheLargestOfCommonVariablesStays) {
  const Module whole =
      linked({".common .global .u32 c[2];\n", ".common .global .u32 c[5];\n", ".common .global .u32 c;\n"});
  EXPECT_EQ(named(whole.variables, "c").bytes, 20U);
}

TEST(Link, WhatNobodyDefinesStaysDeclared) {
  const Module whole = linked({kCaller, ".visible .entry other() {\nret;\n}\n"});
  EXPECT_FALSE(named(whole.functions, "f").has_body);
  EXPECT_EQ(named(whole.variables, "v").linkage, Linkage::kExtern);
}

std::string error_of(const std::vector<std::string>& texts) {
  try {
    linked(texts);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(Link, TwoDefinitionsAreAnError) {
  EXPECT_EQ(error_of({kCallee, kCallee}),
            "'v' is defined in a.cu and in b.cu, which are files of one program (-rdc=true)");
  const std::string declared = ".extern .func _Z1fv;\n", defined = ".visible .func _Z1fv {\nret;\n}\n";
  EXPECT_EQ(error_of({declared, defined, ".weak .func _Z1fv {\nret;\n}\n", defined}),
            "'f()' is defined in b.cu and in d.cu, which are files of one program (-rdc=true)");
}

TEST(Link, WhatIsStaticElsewhereIsAnError) {
  const std::string statics = ".func _ZL1fv {\nret;\n}\n.visible .global .u32 _ZL1v__static__0f9;\n";
  EXPECT_EQ(error_of({statics, ".extern .func _Z1fv;\n"}),
            "'f()' is used in b.cu and defined nowhere; that of a.cu is static, for itself alone");
  EXPECT_EQ(error_of({".extern .global .u32 v;\n", statics}),
            "'v' is used in a.cu and defined nowhere; that of b.cu is static, for itself alone");
  EXPECT_EQ(error_of({".extern .global .u32 v;\n", statics, ".visible .global .u32 v;\n"}), "");
}

}  // namespace link_test
}  // namespace warpfold::ptx
