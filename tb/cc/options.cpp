// SPDX-License-Identifier: Apache-2.0
#include "tb/cc/options.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>

#include "warpfold/common/config/words.h"
#include "warpfold/common/error.h"

namespace warpfold::cc {
namespace {

using Value = const std::string&;

// nvcc's lists are parted by commas, or by blanks in quotes.
std::vector<std::string> list(std::string_view text) { return words_of(text, " \t\n\r,"); }

void append(std::vector<std::string>& to, const std::vector<std::string>& words) {
  to.insert(to.end(), words.begin(), words.end());
}

void device_flags(Reading& r, std::initializer_list<const char*> flags) {
  r.line.device.insert(r.line.device.end(), flags.begin(), flags.end());
}

// sm_60, compute_60, arch=compute_60,code=[sm_60,compute_60]: one release may be named more than once.
void architecture(Reading& r, Value value) {
  static const std::regex name("(?:sm|compute)_([0-9]+[a-z]?)");
  for (auto found = std::sregex_iterator(value.begin(), value.end(), name); found != std::sregex_iterator(); ++found) {
    const std::string sm = "sm_" + (*found)[1].str();
    std::vector<std::string>& others = r.other_architectures;
    if (sm == "sm_70") {
      r.model_architecture = true;
    } else if (std::find(others.begin(), others.end(), sm) == others.end()) {
      others.push_back(sm);
    }
  }
}

void cap_registers(Reading& r, Value value) {
  const bool number = !value.empty() && value.front() != '0' && value.size() < 6 &&
                      value.find_first_not_of("0123456789") == std::string::npos;
  if (!number) user_error("-maxrregcount={}: expected a number of registers", value);
  r.line.registers = static_cast<unsigned>(std::stoul(value));
}

void standard(Reading& r, Value value) {
  r.line.standard = fmt::format("-std={}", value);
  r.line.standard_given = true;
}

void default_stream(Reading& r, Value value) {
  if (value == "per-thread") {
    r.line.common.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  } else if (value != "legacy" && value != "null") {
    user_error("-default-stream {}: expected legacy or per-thread", value);
  }
}

void optimise(Reading& r, Value value) { r.line.host.push_back(fmt::format("-O{}", value)); }

template <Step step>
void stop_at(Reading& r, Value) {
  r.line.step = step;
}

void relocatable_object(Reading& r, Value) {
  r.line.step = Step::kObject;
  r.line.relocatable = true;
}

void image(Reading& r, const char* suffix) {
  r.line.step = Step::kImage;
  r.line.image_suffix = suffix;
  r.note(fmt::format("-{}: the file holds PTX, which is what the model takes", suffix + 1));
}

// Messages about kernels then name lines of the source.
void line_information(Reading& r, Value) { device_flags(r, {"-gline-tables-only"}); }

void device_debug(Reading& r, Value value) {
  line_information(r, value);
  r.note("-G: device code is optimised all the same; it carries line information");
}

void dependency(Reading& r, const char* flag, Value value) {
  r.line.dependencies.push_back(flag);
  if (!value.empty()) r.line.dependencies.push_back(value);
}

void only_dependencies(Reading& r, const char* flag) {
  r.line.step = Step::kPreprocess;
  r.line.host.push_back(flag);
}

void language(Reading& r, Value value) {
  if (value != "cu" && value != "c++" && value != "c" && value != "none") {
    user_error("-x {}: expected cu, c++ or c", value);
  }
  r.language = value == "none" ? "" : value;
}

void machine(Reading&, Value value) {
  if (value != "64") user_error("-m{}: only 64-bit programs", value);
}

bool is_true(Value value) { return value.empty() || value == "true" || value == "1"; }

void ignore(Reading&, Value) {}

// What makes no difference to the model, by what it is about.
void no_assembler(Reading& r, Value value) { r.note(fmt::format("{}: ignored, as is all that is for ptxas", value)); }
void no_device_linker(Reading& r, Value value) {
  r.note(fmt::format("{}: ignored, as is all that is for nvlink", value));
}
void no_usage(Reading& r, Value) { r.note("-res-usage: a kernel's registers and memory are in the results of a run"); }

const std::vector<Option>& options() {
  using enum Takes;
  static const std::vector<Option> all = {
      // How far to go.
      {"c compile", kNothing, stop_at<Step::kObject>},
      {"dc device-c dw device-w", kNothing, relocatable_object},
      {"ptx", kNothing, stop_at<Step::kPtx>},
      {"cubin", kNothing, [](Reading& r, Value) { image(r, ".cubin"); }},
      {"fatbin", kNothing, [](Reading& r, Value) { image(r, ".fatbin"); }},
      {"E preprocess", kNothing, stop_at<Step::kPreprocess>},
      {"dlink device-link", kNothing, stop_at<Step::kDeviceLink>},
      {"lib", kNothing, stop_at<Step::kLibrary>},
      {"link", kNothing, stop_at<Step::kLink>},
      {"run", kNothing, [](Reading& r, Value) { r.line.runs = true; }},
      {"run-args", kValue, [](Reading& r, Value v) { append(r.line.run, list(v)); }},
      {"M generate-dependencies", kNothing, [](Reading& r, Value) { only_dependencies(r, "-M"); }},
      {"MM generate-nonsystem-dependencies", kNothing, [](Reading& r, Value) { only_dependencies(r, "-MM"); }},
      {"MD generate-dependencies-with-compile", kNothing, [](Reading& r, Value) { dependency(r, "-MD", ""); }},
      {"MMD generate-nonsystem-dependencies-with-compile", kNothing,
       [](Reading& r, Value) { dependency(r, "-MMD", ""); }},
      {"MP generate-dependency-targets", kNothing, [](Reading& r, Value) { dependency(r, "-MP", ""); }},
      {"MF dependency-output", kValue, [](Reading& r, Value v) { dependency(r, "-MF", v); }},
      {"MT dependency-target-name", kValue, [](Reading& r, Value v) { dependency(r, "-MT", v); }},
      {"MQ", kValue, [](Reading& r, Value v) { dependency(r, "-MQ", v); }},
      // Files and folders.
      {"o output-file", kValue, [](Reading& r, Value v) { r.line.output = v; }},
      {"odir output-directory", kValue, [](Reading& r, Value v) { r.line.output_folder = v; }},
      {"keep save-temps", kNothing, [](Reading& r, Value) { r.line.keep = true; }},
      {"keep-dir", kValue, [](Reading& r, Value v) { r.line.keep_folder = v; }},
      {"x", kValue, language},
      {"I include-path", kValue,
       [](Reading& r, Value v) {
         for (const std::string& folder : list(v)) r.line.common.push_back(fmt::format("-I{}", folder));
       }},
      {"isystem system-include", kValue,
       [](Reading& r, Value v) {
         append(r.line.common, {"-isystem", v});
       }},
      {"iquote", kValue,
       [](Reading& r, Value v) {
         append(r.line.common, {"-iquote", v});
       }},
      {"idirafter", kValue,
       [](Reading& r, Value v) {
         append(r.line.common, {"-idirafter", v});
       }},
      {"include pre-include", kValue,
       [](Reading& r, Value v) {
         append(r.line.common, {"-include", v});
       }},
      {"D define-macro", kValue, [](Reading& r, Value v) { r.line.common.push_back(fmt::format("-D{}", v)); }},
      {"U undefine-macro", kValue, [](Reading& r, Value v) { r.line.common.push_back(fmt::format("-U{}", v)); }},
      {"l library", kValue,
       [](Reading& r, Value v) {
         for (const std::string& name : list(v)) r.library(name);
       }},
      {"L library-path", kValue,
       [](Reading& r, Value v) {
         for (const std::string& folder : list(v)) r.line.link.push_back(fmt::format("-L{}", folder));
       }},
      // Language and code.
      {"std", kValue, standard},
      {"O optimize", kValue, optimise},
      {"g debug", kNothing,
       [](Reading& r, Value v) {
         r.line.host.push_back("-g");
         line_information(r, v);
       }},
      {"pg profile", kNothing,
       [](Reading& r, Value) {
         r.line.host.push_back("-pg");
         r.line.link.push_back("-pg");
       }},
      {"lineinfo generate-line-info", kNothing, line_information},
      {"G device-debug", kNothing, device_debug},
      {"m machine", kValue, machine},
      {"use_fast_math", kNothing, [](Reading& r, Value) { r.line.fast = true; }},
      {"fmad", kValue, [](Reading& r, Value v) { r.line.contract = is_true(v); }},
      {"ftz", kValue,
       [](Reading& r, Value v) {
         if (is_true(v)) device_flags(r, {"-fcuda-flush-denormals-to-zero"});
       }},
      {"prec-div", kValue,
       [](Reading& r, Value v) {
         if (!is_true(v)) device_flags(r, {"-mllvm", "-nvptx-prec-divf32=1"});
       }},
      {"prec-sqrt", kValue,
       [](Reading& r, Value v) {
         if (!is_true(v)) device_flags(r, {"-mllvm", "-nvptx-prec-sqrtf32=0"});
       }},
      {"maxrregcount", kValue, cap_registers},
      {"rdc relocatable-device-code", kValue, [](Reading& r, Value v) { r.line.relocatable = is_true(v); }},
      {"ewp extensible-whole-program", kNothing, [](Reading& r, Value) { r.line.relocatable = true; }},
      {"unit", kValue, [](Reading& r, Value v) { r.line.unit = v; }},
      {"default-stream", kValue, default_stream},
      {"noeh no-exceptions", kNothing, [](Reading& r, Value) { r.line.host.push_back("-fno-exceptions"); }},
      {"ftemplate-depth", kValue,
       [](Reading& r, Value v) { r.line.common.push_back(fmt::format("-ftemplate-depth={}", v)); }},
      // A local's end of scope is a place that every way out of the scope runs through, with a flag for where to go on.
      {"keep-loop-exits", kNothing,
       [](Reading& r, Value) {
         device_flags(r, {"-Xclang", "-disable-lifetime-markers"});
       }},
      {"arch gpu-architecture code gpu-code gencode generate-code", kValue, architecture},
      {"res-usage resource-usage", kNothing, no_usage},
      // Other tools.
      {"Xcompiler compiler-options", kValue,
       [](Reading& r, Value v) {
         for (const std::string& word : list(v)) r.to_host_compiler(word);
       }},
      {"Xlinker linker-options", kValue,
       [](Reading& r, Value v) {
         for (const std::string& word : list(v)) append(r.line.link, {"-Xlinker", word});
       }},
      {"Xptxas ptxas-options", kValue, no_assembler},
      {"Xnvlink nvlink-options", kValue, no_device_linker},
      {"Xcudafe Xarchive archive-options diag-suppress diag-error diag-warn", kValue, ignore},
      {"ccbin compiler-bindir arbin archiver-binary t threads split-compile", kValue, ignore},
      {"cudart cudadevrt target-dir target-directory ldir libdevice-directory", kValue, ignore},
      {"objtemp dopt e entries", kValue, ignore},
      {"Wno-deprecated-gpu-targets Wdefault-stream-launch Wmissing-launch-bounds Wext-lambda-captures-this", kNothing,
       ignore},
      {"expt-relaxed-constexpr expt-extended-lambda extended-lambda allow-unsupported-compiler "
       "allow-expensive-optimizations",
       kNothing, ignore},
      {"restrict extra-device-vectorization dlto dlink-time-opt gen-opt-lto no-host-device-initializer-list hdr",
       kNothing, ignore},
      {"clean clean-targets noprof dont-use-profile time use-local-env src-in-ptx err-no display-error-number",
       kNothing, ignore},
      {"no-host-device-move-forward no-align-double brief-diagnostics nodlink no-device-link", kNothing, ignore},
      {"forward-unknown-to-host-compiler forward-unknown-opts", kNothing,
       [](Reading& r, Value) { r.unknown_to_host = true; }},
      {"forward-unknown-to-host-linker", kNothing, [](Reading& r, Value) { r.unknown_to_linker = true; }},
      // What it says.
      {"v verbose", kNothing, [](Reading& r, Value) { r.line.verbose = true; }},
      {"dryrun dry-run", kNothing, [](Reading& r, Value) { r.line.verbose = r.line.dry = true; }},
      {"w disable-warnings", kNothing,
       [](Reading& r, Value) {
         r.line.common.push_back("-w");
         r.line.quiet = true;
       }},
      // As host compilers have them.
      {"shared s rdynamic pthread", kNothing, nullptr},
      {"static", kNothing, [](Reading& r, Value) { r.note("-static: the model is a shared library"); }},
  };
  return all;
}

// Whose a library is, by its name for -l.
enum class Origin {
  kImplied,  // of the run-time library, or with nothing in it
  kOurs,     // of tb/libraries
  kVendor,   // not there
  kProgram
};

std::string without_static(std::string name) {
  if (name.ends_with("_static")) name.resize(name.size() - 7);
  return name;
}

Origin origin_of(const std::string& name) {
  // culibos is what the vendor's static libraries need, nvToolsExt all in its header.
  static constexpr std::array kImplied = {
      "cudart",  "cudart_static", "cudadevrt",      "cuda",         "nvToolsExt",
      "culibos", "nvrtc",         "nvrtc-builtins", "nvrtc_static", "nvrtc-builtins_static"};
  static constexpr std::array kOurs = {"cublas", "curand", "cusparse"};
  static constexpr std::array kVendor = {
#include "vendor_libraries.inc"
  };
  const std::string plain = without_static(name);
  const auto is = [&](std::string_view known) {
    if (!known.ends_with('*')) return plain == known;
    return plain.starts_with(known.substr(0, known.size() - 1));
  };
  if (std::any_of(kImplied.begin(), kImplied.end(), [&](const char* known) { return name == known; })) {
    return Origin::kImplied;
  }
  if (std::any_of(kOurs.begin(), kOurs.end(), is)) return Origin::kOurs;
  return std::any_of(kVendor.begin(), kVendor.end(), is) ? Origin::kVendor : Origin::kProgram;
}

bool has_name(std::string_view names, std::string_view name) {
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    if (names.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

const Option* find_option(std::string_view name) {
  for (const Option& option : options()) {
    if (has_name(option.names, name)) return &option;
  }
  return nullptr;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const Option& option : options()) {
    for (const std::string& name : words_of(option.names)) names.push_back(fmt::format("--{}", name));
  }
  return names;
}

void Reading::note(const std::string& text) {
  if (std::find(line.notes.begin(), line.notes.end(), text) == line.notes.end()) line.notes.push_back(text);
}

void Reading::note_architectures() {
  if (model_architecture || other_architectures.empty()) return;
  note(fmt::format("{}: the model takes code for sm_70, whatever is asked for", fmt::join(other_architectures, ", ")));
}

void Reading::add_input(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string suffix = file.extension();
  const bool versioned = file.filename().string().find(".so.") != std::string::npos;
  const auto is_one_of = [&](std::initializer_list<const char*> suffixes) {
    return std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
  };
  Language kind = Language::kObject;
  if (is_one_of({".o", ".a", ".so", ".obj"}) || versioned) {
    kind = Language::kObject;
  } else if (language == "cu" || (language.empty() && suffix == ".cu")) {
    kind = Language::kCuda;
  } else if (language == "c" || (language.empty() && suffix == ".c")) {
    kind = Language::kC;
  } else if (language == "c++" || is_one_of({".cpp", ".cc", ".cxx", ".C", ".c++"})) {
    kind = Language::kCxx;
  } else {
    kind = Language::kUnknown;
  }
  // A toolkit's library by its path is what its name would be.
  const std::string name = file.filename();
  if (kind == Language::kObject && suffix != ".o" && name.starts_with("lib")) {
    const std::string library_name = name.substr(3, name.find('.') - 3);
    if (origin_of(library_name) != Origin::kProgram) return library(library_name);
  }
  line.inputs.push_back({path, kind});
}

// clang compiles parallel loops as plain ones; what omp.h declares (libomp-14-dev's, since clang cannot read g++'s)
// comes from g++'s library.
void Reading::to_host_compiler(const std::string& word) {
  if (word.starts_with("-fopenmp")) {
    note(word + ": parallel regions run in one thread");
    line.host.push_back("-fopenmp=libgomp");
    line.link.push_back("-fopenmp");
  } else if (word.starts_with("-Wl,") || word == "-rdynamic" || word == "-pthread") {
    line.link.push_back(word);
  } else if (word.starts_with("-std=")) {
    standard(*this, word.substr(5));
  } else if (word.starts_with("-l")) {
    library(word.substr(2));
  } else if (word.starts_with("-L")) {
    line.link.push_back(word);
  } else if (word.starts_with("-I") || word.starts_with("-D") || word.starts_with("-U")) {
    line.common.push_back(word);
  } else {
    line.host.push_back(word);
  }
}

// Ours is linked in any case, and no other: what the vendor's would do, the model would not see.
void Reading::library(const std::string& name) {
  switch (origin_of(name)) {
    case Origin::kImplied:
      return;
    case Origin::kOurs:
      line.libraries.push_back(without_static(name));
      line.link.push_back(fmt::format("-l{}", line.libraries.back()));
      return;
    case Origin::kVendor:
      return note(fmt::format("-l{}: left out: it does not run on the model, and has no counterpart here", name));
    case Origin::kProgram:
      line.link.push_back(fmt::format("-l{}", name));
      return;
  }
}

}  // namespace warpfold::cc
