// SPDX-License-Identifier: Apache-2.0
// Reads a PTX file directive by directive; grammar_*.cpp know each statement, FunctionBuilder each body.
#include "warpfold/ptx/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/common/number.h"
#include "warpfold/ptx/directives.h"
#include "warpfold/ptx/function_builder.h"
#include "warpfold/ptx/names.h"
#include "warpfold/ptx/syntax.h"
#include "warpfold/ptx/variables.h"

namespace warpfold::ptx {
namespace {

// A few letters declare any number of them.
constexpr std::size_t kMostRegistersOfModule = std::size_t{1} << 21;
constexpr std::uint64_t kLargestNumber = std::numeric_limits<std::uint32_t>::max();

std::uint32_t directive_value(const SourceText& source, const syntax::Directive& directive, std::size_t index) {
  if (directive.values[index] > kLargestNumber) source.fail(directive.at, "number is too large");
  return static_cast<std::uint32_t>(directive.values[index]);
}

ThreadCounts thread_counts(const SourceText& source, const syntax::Directive& directive) {
  if (directive.values.empty() || directive.values.size() > 3)
    source.fail(directive.at, "one to three numbers belong to this directive");
  ThreadCounts counts{1, 1, 1};
  counts.x = directive_value(source, directive, 0);
  if (directive.values.size() > 1) counts.y = directive_value(source, directive, 1);
  if (directive.values.size() > 2) counts.z = directive_value(source, directive, 2);
  std::uint64_t threads = 1;
  for (const std::uint64_t count : {counts.x, counts.y, counts.z}) {
    if (count == 0) source.fail(directive.at, "a block has at least one thread");
    if (count > kLargestNumber / threads) source.fail(directive.at, "number is too large");
    threads *= count;
  }
  return counts;
}

std::uint32_t single_value(const SourceText& source, const syntax::Directive& directive) {
  if (directive.values.size() != 1) source.fail(directive.at, "one number belongs to this directive");
  return directive_value(source, directive, 0);
}

// PTX ISA §11.4. Cluster directives concern launches that this model does not offer; they are accepted and dropped.
void apply_directive(const SourceText& source, const syntax::Directive& directive, Function& function) {
  static constexpr std::string_view kDropped[] = {".pragma",
                                                  ".explicitcluster",
                                                  ".reqnctapercluster",
                                                  ".maxclusterrank",
                                                  ".blocksareclusters",
                                                  ".abi_preserve",
                                                  ".abi_preserve_control",
                                                  ".unique"};
  if (directive.name == ".maxntid") {
    function.max_threads = thread_counts(source, directive);
  } else if (directive.name == ".reqntid") {
    function.required_threads = thread_counts(source, directive);
  } else if (directive.name == ".minnctapersm" || directive.name == ".maxnctapersm") {
    function.min_blocks_per_core = single_value(source, directive);
  } else if (directive.name == ".maxnreg") {
    function.max_registers = single_value(source, directive);
    if (function.max_registers == 0) source.fail(directive.at, "a thread has at least one register");
  } else if (directive.name == ".noreturn") {
    function.no_return = true;
  } else if (std::find(std::begin(kDropped), std::end(kDropped), directive.name) == std::end(kDropped)) {
    source.fail(directive.at, "unknown directive of a function");
  }
}

// The last release of each generation of the ISA whose forms are known here. 1.x is for chips whose single precision
// is not IEEE's: its instructions mean something else.
constexpr std::array<std::pair<unsigned, unsigned>, 8> kVersions{
    {{2, 3}, {3, 2}, {4, 3}, {5, 0}, {6, 5}, {7, 8}, {8, 8}, {9, 0}}};

// "7.1": two numbers.
std::optional<std::pair<unsigned, unsigned>> version_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return std::nullopt;
  const auto major = number_in<unsigned>(text.substr(0, dot)), minor = number_in<unsigned>(text.substr(dot + 1));
  return major && minor ? std::optional(std::pair(*major, *minor)) : std::nullopt;
}

// sm_70, sm_90a, sm_120f (PTX ISA §11.1.2).
bool is_architecture(std::string_view target) {
  static constexpr unsigned kKnown[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61, 62,
                                        70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
  if (!target.starts_with("sm_")) return false;
  unsigned number = 0;
  const char* const end = target.data() + target.size();
  const auto digits = std::from_chars(target.data() + 3, end, number);
  const std::string_view suffix(digits.ptr, static_cast<std::size_t>(end - digits.ptr));
  const bool known = std::find(std::begin(kKnown), std::end(kKnown), number) != std::end(kKnown);
  return known && (suffix.empty() || (number >= 90 && (suffix == "a" || suffix == "f")));
}

bool is_platform_option(std::string_view target) {
  return target == "texmode_unified" || target == "texmode_independent" || target == "debug";
}

class ModuleReader {
 public:
  ModuleReader(std::string_view text, std::string file_name) : source_(text, std::move(file_name)) {
    module_.file = source_.file();
    SourceLines sources(text);
    if (!sources.empty()) module_.sources = std::make_shared<const SourceLines>(std::move(sources));
  }

  Module read() {
    const char* at = source_.skip_space(source_.begin());
    if (directive_at(source_, at) != ".version") source_.fail(at, "a PTX file starts with .version");
    while (at != source_.end()) {
      read_directive(at);
      at = source_.skip_space(at);
    }
    check_initialisers();
    for (const auto& names : aliases_) define(names[0].name, names[1].name);
    return std::move(module_);
  }

 private:
  void read_directive(const char*& at) {
    const std::string_view directive = directive_at(source_, at);
    if (directive == ".version") {
      read_version(at += directive.size());
    } else if (directive == ".target") {
      at += directive.size();
      read_targets(at);
    } else if (directive == ".address_size") {
      at += directive.size();
      read_address_size(at);
    } else if (directive == ".alias") {
      const char* const start = at;
      at += directive.size();
      aliases_.push_back(syntax::read_labels(source_, at));
      if (aliases_.back().size() != 2) source_.fail(start, "two names belong to this directive");
    } else if (!directive.empty() && skip_directive(source_, at, directive)) {
      return;
    } else if (is_function(at)) {
      read_function(at);
    } else if (is_variable(at)) {
      declare(syntax::read_declaration(source_, at));
    } else {
      source_.fail(at, "expected a directive of the module");
    }
  }

  static bool is_linkage(std::string_view directive) {
    return directive == ".extern" || directive == ".visible" || directive == ".weak" || directive == ".common";
  }

  // The directive at `at`, or the one behind a linkage that stands there.
  std::string_view main_directive(const char* at) const {
    const std::string_view first = directive_at(source_, at);
    return is_linkage(first) ? directive_at(source_, source_.skip_space(at + first.size())) : first;
  }

  bool is_function(const char* at) const {
    const std::string_view directive = main_directive(at);
    return directive == ".entry" || directive == ".func";
  }

  bool is_variable(const char* at) const {
    static constexpr std::string_view kSpaces[] = {".global", ".const", ".shared", ".local", ".tex"};
    const std::string_view directive = main_directive(at);
    if (is_linkage(directive_at(source_, at)) && directive.empty()) return true;  // the grammar says what is missing
    return std::find(std::begin(kSpaces), std::end(kSpaces), directive) != std::end(kSpaces);
  }

  // The run of characters up to a space, which is all that .version and .target hold.
  std::string_view word(const char*& at, std::string_view expected) {
    at = source_.skip_space(at);
    const char* to = std::find_if(at, source_.end(), [](char c) {
      return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.');
    });
    const std::string_view text(at, static_cast<std::size_t>(to - at));
    if (text.empty() || text.front() == '.') source_.fail(at, fmt::format("expected {}", expected));
    at = to;
    return text;
  }

  void read_version(const char*& at) {
    const char* start = at;
    module_.version = word(at, "a version such as 7.1");
    const auto version = version_of(module_.version);
    if (!version) source_.fail(start, "expected a version such as 7.1");
    const bool known = std::any_of(kVersions.begin(), kVersions.end(), [&](const auto& last) {
      return version->first == last.first && version->second <= last.second;
    });
    if (!known) {
      source_.fail(start, fmt::format("not a version of PTX that is known here, which are {}.0 to {}.{}",
                                      kVersions.front().first, kVersions.back().first, kVersions.back().second));
    }
  }

  void read_targets(const char*& at) {
    const char* comma = at;
    do {
      at = comma;
      const char* start = at;
      const std::string_view target = word(at, "a target such as sm_70");
      if (!is_architecture(target) && !is_platform_option(target))
        source_.fail(start, "not a target that is known here");
      module_.targets.emplace_back(target);
      comma = source_.skip_space(at);
    } while (comma != source_.end() && *comma++ == ',');
  }

  // A file that does not say, for which the ISA would have 32, is taken by the registers that its addresses are in.
  void read_address_size(const char*& at) {
    const char* start = at;
    const std::string_view text = word(at, "64");
    if (text != "32" && text != "64") source_.fail(start, "expected 64 or 32");
    module_.narrow = text == "32";
  }

  void declare(const syntax::Declaration& declaration) {
    for (const syntax::Declarator& declarator : declaration.declarators) {
      Variable variable = make_variable(source_, declaration.specifiers, declarator);
      for (const syntax::InitToken& token : declarator.initialiser) {
        if (token.kind == syntax::InitToken::Kind::kSymbol) initial_symbols_.push_back(token.symbol);
      }
      add_variable(std::move(variable), declarator.at);
    }
  }

  // An .extern declaration and the definition it announces are one variable.
  void add_variable(Variable variable, const char* at) {
    const Named named{Refers::kModuleVariable, static_cast<std::uint32_t>(module_.variables.size())};
    const auto [entry, is_new] = names_.emplace(variable.name, named);
    if (is_new) {
      module_.variables.push_back(std::move(variable));
      return;
    }
    if (entry->second.refers != Refers::kModuleVariable) source_.fail(at, "name is already that of a function");
    Variable& first = module_.variables[entry->second.index];
    if (first.linkage == Linkage::kExtern) {
      first = std::move(variable);
    } else if (variable.linkage != Linkage::kExtern) {
      source_.fail(at, fmt::format("{} is already declared in line {}", first.name, first.where.line));
    }
  }

  void read_function(const char*& at) {
    const syntax::FunctionHeader header = syntax::read_function_header(source_, at);
    Function function;
    function.is_entry = header.is_entry;
    function.has_body = header.has_body;
    function.linkage = header.linkage;
    function.name = header.name;
    function.where = source_.locate(header.at);
    for (const syntax::Directive& directive : header.directives) apply_directive(source_, directive, function);
    const std::size_t index = add_function_name(header);
    FunctionBuilder builder(source_, names_, module_.variables, function);
    builder.add_parameters(header);
    if (header.has_body) builder.read_body(at);
    registers_ += function.registers.size();
    if (registers_ > kMostRegistersOfModule)
      source_.fail(header.at, "the functions up to this one declare too many registers");
    if (index == module_.functions.size()) {
      module_.functions.push_back(std::move(function));
    } else if (header.has_body) {
      module_.functions[index] = std::move(function);
    }
  }

  std::size_t add_function_name(const syntax::FunctionHeader& header) {
    const Named named{Refers::kFunction, static_cast<std::uint32_t>(module_.functions.size())};
    const auto [entry, is_new] = names_.emplace(header.name, named);
    if (is_new) return named.index;
    if (entry->second.refers != Refers::kFunction) source_.fail(header.at, "name is already that of a variable");
    const Function& first = module_.functions[entry->second.index];
    if (first.has_body && header.has_body) {
      source_.fail(header.at, fmt::format("{} is already defined in line {}", header.name, first.where.line));
    }
    return entry->second.index;
  }

  // PTX ISA §11.6.6: an alias is declared, and does what another function of the module does.
  void define(std::string_view alias, std::string_view original) {
    Function& function = function_of(alias);
    const Function& from = function_of(original);
    if (!from.has_body || from.is_entry) source_.fail(original.data(), "not a device function with a body");
    if (function.has_body) source_.fail(alias.data(), "an alias has no body of its own");
    Function copy = from;
    copy.name = function.name;
    copy.linkage = function.linkage;
    copy.where = function.where;
    function = std::move(copy);
  }

  Function& function_of(std::string_view name) {
    const auto found = names_.find(name);
    if (found == names_.end() || found->second.refers != Refers::kFunction) {
      source_.fail(name.data(), "not the name of a function");
    }
    return module_.functions[found->second.index];
  }

  // Tables of addresses may name what is declared behind them.
  void check_initialisers() const {
    for (const std::string_view symbol : initial_symbols_) {
      if (names_.find(symbol) == names_.end()) source_.fail(symbol.data(), "undeclared name");
    }
  }

  SourceText source_;
  Module module_;
  NameTable names_;
  std::vector<std::string_view> initial_symbols_;
  std::vector<std::vector<syntax::LabelName>> aliases_;  // the alias and what it stands for
  std::size_t registers_ = 0;                            // of all functions
};

}  // namespace

Module parse(std::string_view text, std::string file_name) { return ModuleReader(text, std::move(file_name)).read(); }

}  // namespace warpfold::ptx
