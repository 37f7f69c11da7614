// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/ptx_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "warpfold/common/symbol_name.h"
#include "warpfold/host/runtime/relocatable.h"

namespace warpfold::cc {
namespace {

// Each line, changed or left out by `visit`, which appends it to the result.
template <class Visit>
std::string by_lines(const std::string& text, Visit visit) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) visit(line, result);
  return result;
}

bool begins_with_any(const std::string& line, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return line.starts_with(word); });
}

}  // namespace

// The first is mul.wide.s32 of 2^31, which no factor of 32 bits is; it never multiplies by -2^31 (that is such a shift,
// and a negation). The second is a field that ends behind the sign, of which it writes none for unsigned values: there
// the mask is away. What asm() says is the program's own.
std::string with_mended_shifts(const std::string& ptx) {
  static const std::regex product(R"(mul\.wide\.s32 *\t(%rd[0-9]+), (%r[0-9]+), -2147483648;)");
  static const std::regex field(R"(bfe\.u(32|64) *\t(%rd?[0-9]+), (%rd?[0-9]+), ([0-9]+), ([0-9]+);)");
  bool own = false;
  return by_lines(ptx, [&](const std::string& line, std::string& result) {
    if (line.ends_with("// begin inline asm")) own = true;
    if (line.ends_with("// end inline asm")) own = false;
    std::string mended = line;
    if (std::smatch found; own) {
    } else if (line.ends_with(", -2147483648;")) {
      mended = std::regex_replace(line, product, "cvt.s64.s32 \t$1, $2;\n\tshl.b64 \t$1, $1, 31;");
    } else if (line.find("bfe.u") != line.npos && std::regex_search(line, found, field)) {
      const int width = std::stoi(found[1]), first = std::stoi(found[4]), bits = std::stoi(found[5]);
      if (bits < width && first + bits > width)
        mended = fmt::format("\tshr.s{0} \t{1}, {2}, {3};\n\tand.b{0} \t{1}, {1}, {4};", width, found[2].str(),
                             found[3].str(), first, (std::uint64_t{1} << bits) - 1);
    }
    result += mended + "\n";
  });
}

bool may_convert_truths(const std::string& ptx) {
  static const std::regex truth(R"(\tselp\.u32 *\t(%r[0-9]+), 1, 0, .*)");
  static const std::regex conversion(R"(\tcvt\.rn\.f(16|32|64)\.s32 *\t%[^ ]+, (%r[0-9]+);)");
  std::set<std::string> truths;  // of a function
  bool may = false;
  by_lines(ptx, [&](const std::string& line, std::string&) {
    std::smatch found;
    if (line.starts_with("{")) {
      truths.clear();
    } else if (line.starts_with("\tselp.u32") && std::regex_match(line, found, truth)) {
      truths.insert(found[1]);
    } else if (line.starts_with("\tcvt.rn.f") && std::regex_match(line, found, conversion)) {
      may |= truths.contains(found[2]);
    }
  });
  return may;
}

std::string with_converted_truths(const std::string& code) {
  static const std::regex one("= sitofp i1 ([^ ]+) to (half|float|double)");
  static const std::regex several("= sitofp <([0-9]+) x i1> ([^ ]+) to <[0-9]+ x (half|float|double)>");
  return by_lines(code, [](const std::string& line, std::string& result) {
    std::smatch found;
    if (line.find("sitofp") == line.npos) {
      result += line;
    } else if (std::regex_search(line, found, several)) {
      std::string ones;
      for (int i = 0; i < std::stoi(found[1]); ++i)
        ones += fmt::format("{}{} -1.0", i == 0 ? "" : ", ", found[3].str());
      const std::string type = fmt::format("<{} x {}>", found[1].str(), found[3].str());
      result += found.prefix().str() +
                fmt::format("= select <{} x i1> {}, {} <{}>, {} zeroinitializer", found[1].str(), found[2].str(), type,
                            ones, type) +
                found.suffix().str();
    } else {
      result += std::regex_replace(line, one, "= select i1 $1, $2 -1.0, $2 0.0");
    }
    result += "\n";
  });
}

// A kernel's header runs from .entry to the opening brace.
std::string with_register_limit(const std::string& ptx, unsigned registers) {
  bool header = false, bounds = false;
  return by_lines(ptx, [&](const std::string& line, std::string& result) {
    if (begins_with_any(line, {".entry", ".visible .entry", ".weak .entry"})) {
      header = true;
      bounds = false;
    }
    if (header && begins_with_any(line, {".maxntid ", ".minnctapersm "})) bounds = true;
    if (header && line.starts_with("{")) {
      if (!bounds) result += fmt::format(".maxnreg {}\n", registers);
      header = false;
    }
    result += line + "\n";
  });
}

std::string undefined_functions(const std::string& ptx) {
  static constexpr std::array kOurs = {"vprintf", "malloc", "free", "__assertfail"};
  std::string names;
  by_lines(ptx, [&](const std::string& line, std::string&) {
    if (!line.starts_with(".extern .func")) return;
    const std::size_t end = line.find_last_not_of(" (,;");
    const std::size_t blank = line.rfind(' ', end);
    std::string name = line.substr(blank + 1, end - blank);
    if (std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end()) return;
    if (name.starts_with("__nv_")) name = name.substr(5);
    names += (names.empty() ? "" : " ") + name;
  });
  return names;
}

bool may_wait(const std::string& ptx) {
  static constexpr std::array kReads = {"atom.", "ld.volatile", "ld.relaxed", "ld.acquire",
                                        ".cv.",  ".cg.",        "mbarrier."};
  return std::any_of(kReads.begin(), kReads.end(),
                     [&](const char* read) { return ptx.find(read) != std::string::npos; });
}

namespace {

// clang 14 defines a static variable that the host reaches under a name with an end of its own, and uses it, where it
// came upon a use first, by the name without, which it declares: as .extern, or if constant as one of its own.
std::string with_statics_by_one_name(std::string ptx) {
  static const std::regex definition(fmt::format("\\.visible \\.[^\n]* ([^ ]+)({}[0-9a-f]+)[\\[; ]", kStaticMarks[0]));
  std::set<std::pair<std::string, std::string>> names;
  for (auto found = std::sregex_iterator(ptx.begin(), ptx.end(), definition); found != std::sregex_iterator();
       ++found) {
    names.emplace((*found)[1].str(), (*found)[2].str());
  }
  for (const auto& [name, end] : names) {
    ptx = std::regex_replace(ptx, std::regex(fmt::format("\n\\.[^\n]* {}(\\[[0-9]*\\])*;(?=\n)", name)), "");
    ptx = std::regex_replace(ptx, std::regex(fmt::format("\\b{}\\b", name)), name + end);
  }
  return ptx;
}

}  // namespace

std::string with_variables_for_the_host(std::string code, const std::string& end) {
  static const std::regex variable(
      "\n@(_ZN[^ ]*_GLOBAL__N_[^ ]*) = internal (addrspace\\([14]\\)) (externally_initialized )?global ");
  std::set<std::string> names;
  const auto none = std::sregex_iterator();
  for (auto found = std::sregex_iterator(code.begin(), code.end(), variable); found != none; ++found)
    names.insert((*found)[1].str());
  code = std::regex_replace(code, variable,
                            fmt::format("\n@$1 = {}$2 externally_initialized global ", end.empty() ? "internal " : ""));
  if (end.empty()) return code;
  for (const std::string& name : names)
    code = std::regex_replace(code, std::regex(fmt::format("@{}\\b", name)),
                              fmt::format("@{}{}{}", name, kStaticMarks[0], end));
  return code;
}

std::string marked_relocatable(const std::string& source, const std::string& ptx) {
  return fmt::format("{}{}\n{}", host::kRelocatableMark, source, with_statics_by_one_name(ptx));
}

namespace {

// Of the host's shadows in the section that __managed__ puts them into, as code names them.
std::set<std::string> managed_variables(const std::string& code) {
  std::set<std::string> names;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("@") || line.find("section \"warpfold_managed\"") == std::string::npos) continue;
    names.insert(line.substr(0, line.find(' ')));
  }
  return names;
}

// The last argument of the call that registers a variable says that it is managed.
std::string registered_as_managed(const std::string& call, const std::set<std::string>& managed) {
  static const std::regex name("@[^ ,)]*"), last("i32 0\\)");
  const auto end = std::sregex_iterator();
  const bool found = std::any_of(std::sregex_iterator(call.begin(), call.end(), name), end,
                                 [&](const std::smatch& match) { return managed.contains(match.str()); });
  return found ? std::regex_replace(call, last, fmt::format("i32 {})", host::kManagedMark)) : call;
}

}  // namespace

std::string with_our_registration(const std::string& code) {
  const std::set<std::string> managed = managed_variables(code);
  static const std::regex late("i32 65535(, void \\(\\)\\* [^@]*@__cuda_module_ctor)");
  static const std::regex of_module("@__cudaRegisterLinkedBinary[A-Za-z0-9_]*");
  return by_lines(code, [&](const std::string& line, std::string& result) {
    if (line.starts_with("@llvm.global_ctors")) {
      result += std::regex_replace(line, late, "i32 101$1");
    } else if (line.find("@__cudaRegisterLinkedBinary") != std::string::npos) {
      result += std::regex_replace(line, of_module, "@__cudaRegisterLinkedBinary");
    } else if (!managed.empty() && line.find("call void @__cudaRegisterVar(") != std::string::npos) {
      result += registered_as_managed(line, managed);
    } else {
      result += line;
    }
    result += "\n";
  });
}

namespace {

// Without the functions of wide_operations.h in LLVM's list of what stays: those that are called are inlined.
std::string without_wide_operations_kept(const std::string& list) {
  static const std::regex entry("i8\\* bitcast \\([^@]*@__warpfold_wide_\\w+ to i8\\*\\)(, )?"), size("\\[([0-9]+) x ");
  const auto none = std::sregex_iterator();
  const auto ours = std::distance(std::sregex_iterator(list.begin(), list.end(), entry), none);
  std::smatch all;
  if (ours == 0 || !std::regex_search(list, all, size)) return list;
  const long others = std::stol(all[1].str()) - ours;
  if (others == 0) return "";
  const std::string rest = std::regex_replace(std::regex_replace(list, entry, ""), std::regex(", \\]"), "]");
  return std::regex_replace(rest, size, fmt::format("[{} x ", others), std::regex_constants::format_first_only);
}

}  // namespace

std::string with_wide_operations(const std::string& code) {
  static const std::regex quotient("= (udiv|sdiv|urem|srem) i128 ([^,]+), ([^,]+)"),
      from_integer("= (uitofp|sitofp) i128 ([^ ]+) to (float|double)"),
      to_integer("= (fptoui|fptosi) (float|double) ([^ ]+) to i128");
  if (code.find("i128") == std::string::npos) return code;
  return by_lines(code, [](std::string line, std::string& result) {
    if (line.find("i128") != std::string::npos) {
      if (line.starts_with("@llvm.compiler.used")) line = without_wide_operations_kept(line);
      line = std::regex_replace(line, quotient, "= call i128 @__warpfold_wide_$1(i128 $2, i128 $3)");
      line = std::regex_replace(line, from_integer, "= call $3 @__warpfold_wide_$1_$3(i128 $2)");
      line = std::regex_replace(line, to_integer, "= call i128 @__warpfold_wide_$1_$2($2 $3)");
    }
    result += line + "\n";
  });
}

}  // namespace warpfold::cc
