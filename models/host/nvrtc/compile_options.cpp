// SPDX-License-Identifier: Apache-2.0
#include "warpfold/host/nvrtc/compile_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "warpfold/common/config/nearest.h"
#include "warpfold/common/config/words.h"
#include "warpfold/common/error.h"

namespace warpfold::host::nvrtc {
namespace {

using Value = const std::string&;

bool is_number_text(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

void take_architecture(CompileOptions& to, Value value) {
  const std::size_t at = value.find('_') + 1;
  const std::string kind = value.substr(0, at);
  std::string number = value.substr(at);
  if (!number.empty() && (number.back() == 'a' || number.back() == 'f')) number.pop_back();
  if ((kind != "sm_" && kind != "compute_") || !is_number_text(number)) {
    user_error("--gpu-architecture={}: expected compute_NN or sm_NN", value);
  }
  to.architecture = value;
}

void take_standard(CompileOptions& to, Value value) {
  constexpr std::string_view kKnown[] = {"c++03", "c++11", "c++14", "c++17", "c++20"};
  if (std::find(std::begin(kKnown), std::end(kKnown), value) == std::end(kKnown)) {
    user_error("--std={}: expected c++03, c++11, c++14, c++17 or c++20", value);
  }
  to.arguments.push_back(fmt::format("-std={}", value));
}

void take_registers(CompileOptions& to, Value value) {
  if (!is_number_text(value) || value.front() == '0' || value.size() > 5) {
    user_error("--maxrregcount={}: expected a number of registers", value);
  }
  to.arguments.push_back(fmt::format("-maxrregcount={}", value));
}

// warpfold-cc takes lists, parted by commas and blanks.
void take_folder(CompileOptions& to, Value value) {
  std::string quoted;
  for (const char c : value) {
    if (c == '\'' || c == '"' || c == '\\' || c == ',' || c == ' ' || c == '\t') quoted += '\\';
    quoted += c;
  }
  to.arguments.push_back(fmt::format("-I{}", quoted));
  to.reads_folders = true;
}

bool truth(const char* option, Value value) {
  if (value == "true" || value == "1") return true;
  if (value != "false" && value != "0") user_error("{}={}: expected true or false", option, value);
  return false;
}

void no_intermediate_code(CompileOptions& /*to*/, Value /*value*/) {
  user_error("there is no code of LLVM's to hand over here: leave this option out, and link PTX (cuLinkAddData)");
}

void leave_out(CompileOptions& /*to*/, Value /*value*/) {}

enum class OfValue : unsigned char { kNone, kNeeded };

struct ProgramOption {
  std::string_view names;
  OfValue value;
  void (*apply)(CompileOptions&, Value);
};

using enum OfValue;
constexpr ProgramOption kProgramOptions[] = {
    {"gpu-architecture arch", kNeeded, take_architecture},
    {"std", kNeeded, take_standard},
    {"maxrregcount", kNeeded, take_registers},
    {"include-path I", kNeeded, take_folder},
    {"define-macro D", kNeeded, [](CompileOptions& to, Value v) { to.arguments.push_back(fmt::format("-D{}", v)); }},
    {"undefine-macro U", kNeeded, [](CompileOptions& to, Value v) { to.arguments.push_back(fmt::format("-U{}", v)); }},
    {"pre-include include", kNeeded,
     [](CompileOptions& to, Value v) {
       to.arguments.insert(to.arguments.end(), {"-include", v});
       to.reads_folders = true;
     }},
    {"no-source-include", kNone, [](CompileOptions& to, Value) { to.beside_source = false; }},
    {"device-as-default-execution-space default-device", kNone,
     [](CompileOptions& to, Value) { to.device_by_default = true; }},
    {"relocatable-device-code rdc", kNeeded,
     [](CompileOptions& to, Value v) {
       if (truth("--relocatable-device-code", v)) to.arguments.push_back("-rdc=true");
     }},
    {"device-c dc extensible-whole-program ewp", kNone,
     [](CompileOptions& to, Value) { to.arguments.push_back("-rdc=true"); }},
    {"device-w dw", kNone, leave_out},
    {"generate-line-info lineinfo device-debug G", kNone,
     [](CompileOptions& to, Value) { to.arguments.push_back("-lineinfo"); }},
    {"use_fast_math", kNone, [](CompileOptions& to, Value) { to.arguments.push_back("-use_fast_math"); }},
    {"fmad", kNeeded,
     [](CompileOptions& to, Value v) { to.arguments.push_back(truth("--fmad", v) ? "-fmad=true" : "-fmad=false"); }},
    {"ftz", kNeeded,
     [](CompileOptions& to, Value v) { to.arguments.push_back(truth("--ftz", v) ? "-ftz=true" : "-ftz=false"); }},
    {"prec-div", kNeeded,
     [](CompileOptions& to, Value v) {
       to.arguments.push_back(truth("--prec-div", v) ? "-prec-div=true" : "-prec-div=false");
     }},
    {"prec-sqrt", kNeeded,
     [](CompileOptions& to, Value v) {
       to.arguments.push_back(truth("--prec-sqrt", v) ? "-prec-sqrt=true" : "-prec-sqrt=false");
     }},
    {"disable-warnings w", kNone, [](CompileOptions& to, Value) { to.arguments.push_back("-w"); }},
    {"dlink-time-opt dlto gen-opt-lto ltoir optix-ir", kNone, no_intermediate_code},
    // What makes no difference here.
    {"ptxas-options Xptxas optimization-info opt-info diag-error diag-suppress diag-warn dopt modify-stack-limit "
     "builtin-move-forward builtin-initializer-list version-ident brief-diagnostics split-compile time",
     kNeeded, leave_out},
    {"extra-device-vectorization restrict device-int128 display-error-number no-display-error-number minimal no-cache",
     kNone, leave_out},
};

const ProgramOption* option_named(std::string_view name) {
  for (const ProgramOption& option : kProgramOptions) {
    for (const std::string& known : words_of(option.names)) {
      if (known == name) return &option;
    }
  }
  return nullptr;
}

[[noreturn]] void unknown(const std::string& written, const std::string& name) {
  std::vector<std::string> names;
  for (const ProgramOption& option : kProgramOptions) {
    for (const std::string& known : words_of(option.names)) names.push_back(known);
  }
  const std::string close = nearest(name, names);
  user_error("{}: unknown option{}", written,
             edit_distance(name, close) <= 2 ? fmt::format(" (did you mean --{}?)", close) : "");
}

}  // namespace

CompileOptions read_options(const std::vector<std::string>& given) {
  CompileOptions options;
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::string written = given[i];
    const std::size_t end = written.find_last_not_of(" \t");
    written.resize(end == std::string::npos ? 0 : end + 1);
    const std::size_t begin = written.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    written.erase(0, begin);
    const std::size_t dashes = written.starts_with("--") ? 2 : 1;
    if (written.front() != '-' || written.size() == dashes)
      user_error("{}: expected an option, which begins with -", written);
    std::size_t name_end = std::min(written.find_first_of("= \t", dashes), written.size());
    std::string name = written.substr(dashes, name_end - dashes);
    const ProgramOption* option = option_named(name);
    constexpr std::string_view kLetters = "DIU";
    if (option == nullptr && dashes == 1 && kLetters.find(name.front()) != std::string_view::npos) {
      name.resize(1);
      name_end = 2;
      option = option_named(name);
    }
    if (option == nullptr) unknown(written, name);
    const bool has_value = name_end < written.size();
    std::string value;
    if (has_value) {
      constexpr std::string_view kBetween = "= \t";
      const bool joined = kBetween.find(written[name_end]) == std::string_view::npos;
      value = written.substr(joined ? name_end : name_end + 1);
      if (!joined && written[name_end] != '=') value.erase(0, value.find_first_not_of(" \t"));
    }
    if (option->value == kNone && has_value) user_error("{}: this option takes no value", written);
    if (option->value == kNeeded && !has_value) {
      if (i + 1 == given.size()) user_error("{} needs a value", written);
      value = given[++i];
    }
    option->apply(options, value);
  }
  return options;
}

}  // namespace warpfold::host::nvrtc
