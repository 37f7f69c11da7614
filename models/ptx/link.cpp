// SPDX-License-Identifier: Apache-2.0
#include "warpfold/ptx/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "warpfold/common/error.h"
#include "warpfold/common/symbol_name.h"

namespace warpfold::ptx {
namespace {

bool is_definition(const Variable& variable) { return variable.linkage != Linkage::kExtern; }
bool is_definition(const Function& function) { return function.has_body; }
bool is_local(const Variable& variable) { return variable.linkage == Linkage::kNone; }
// A function that is only declared is another module's, whatever it says.
bool is_local(const Function& function) { return function.linkage == Linkage::kNone && function.has_body; }
bool has_static_mark(const std::string& name) {
  return std::any_of(std::begin(kStaticMarks), std::end(kStaticMarks),
                     [&](const char* mark) { return name.find(mark) != std::string::npos; });
}
std::uint64_t size_of(const Variable& variable) { return variable.bytes; }
std::uint64_t size_of(const Function& /*function*/) { return 0; }

// The variables, or the functions, of all modules: each module's by the places that they have in the whole.
template <class Thing>
class Merged {
 public:
  struct Places {
    std::vector<std::uint32_t> at;     // by index in the module
    std::vector<std::uint32_t> taken;  // of these, where the module's own is what stands there now
  };

  // `rename`: what a local name is called in the whole.
  template <class Rename>
  Places add(std::vector<Thing>& things, const std::string& file, Rename rename) {
    Places places;
    for (Thing& thing : things) {
      if (is_local(thing) || has_static_mark(thing.name)) statics_.emplace(shown_name(thing.name), file);
      if (is_local(thing)) {
        thing.name = rename(thing.name);
        places.at.push_back(append(std::move(thing), places));
      } else {
        places.at.push_back(place(thing, file, places));
      }
    }
    return places;
  }
  // All of them. An error where one is defined by none but has the name of what another file keeps to itself.
  std::vector<Thing> take() {
    for (const auto& [name, known] : by_name_) {
      if (is_definition(all_[known.first])) continue;
      const std::string shown = shown_name(name);
      const auto found = statics_.find(shown);
      if (found == statics_.end()) continue;
      user_error("'{}' is used in {} and defined nowhere; that of {} is static, for itself alone", shown, known.second,
                 found->second);
    }
    return std::move(all_);
  }
  Thing& operator[](std::uint32_t at) { return all_[at]; }

 private:
  std::uint32_t append(Thing thing, Places& places) {
    all_.push_back(std::move(thing));
    places.taken.push_back(static_cast<std::uint32_t>(all_.size() - 1));
    return places.taken.back();
  }
  std::uint32_t place(Thing& thing, const std::string& file, Places& places) {
    const auto [found, is_new] = by_name_.try_emplace(thing.name, static_cast<std::uint32_t>(all_.size()), file);
    if (is_new) return append(std::move(thing), places);
    auto& [at, first_file] = found->second;
    if (wins(thing, all_[at], file, first_file)) {
      all_[at] = std::move(thing);
      first_file = file;
      places.taken.push_back(at);
    }
    return at;
  }
  static bool wins(const Thing& thing, const Thing& first, const std::string& file, const std::string& first_file) {
    if (!is_definition(thing) || !is_definition(first)) return is_definition(thing);
    if (thing.linkage == Linkage::kCommon && first.linkage == Linkage::kCommon) return size_of(thing) > size_of(first);
    const auto yields = [](const Thing& one) {
      return one.linkage == Linkage::kWeak || one.linkage == Linkage::kCommon;
    };
    if (yields(thing)) return false;
    if (yields(first)) return true;
    user_error("'{}' is defined in {} and in {}, which are files of one program (-rdc=true)", shown_name(thing.name),
               first_file, file);
  }

  std::vector<Thing> all_;
  std::map<std::string, std::pair<std::uint32_t, std::string>> by_name_;  // its place, and the file that it is from
  std::map<std::string, std::string> statics_;                            // by what their sources call them: the file
};

class Linker {
 public:
  explicit Linker(std::string file) : file_(std::move(file)) {}

  void add(Module& module) {
    if (count_++ == 0) {
      whole_.version = module.version;
      whole_.targets = module.targets;
    }
    if (module.sources != nullptr) sources_.append(*module.sources);
    std::map<std::string, std::string> renamed;
    const auto rename = [&](const std::string& name) {
      const std::string unique = local_names_.insert(name).second ? name : fmt::format("{}@{}", name, count_);
      if (unique != name) renamed.emplace(name, unique);
      return unique;
    };
    const auto variables = variables_.add(module.variables, module.file, rename);
    const auto functions = functions_.add(module.functions, module.file, rename);
    for (const std::uint32_t at : variables.taken) {
      for (InitialValue& value : variables_[at].initialiser) {
        const auto found = renamed.find(value.symbol);
        if (found != renamed.end()) value.symbol = found->second;
      }
    }
    for (const std::uint32_t at : functions.taken) {
      for (Instruction& instruction : functions_[at].instructions) {
        for (Operand& operand : instruction.operands) resolve(operand, variables.at, functions.at);
      }
      for (Prototype& prototype : functions_[at].prototypes) {
        for (std::uint32_t& target : prototype.targets) target = functions.at[target];
      }
    }
  }

  Module finish() {
    whole_.file = file_;
    whole_.variables = variables_.take();
    whole_.functions = functions_.take();
    if (!sources_.empty()) whole_.sources = std::make_shared<const SourceLines>(std::move(sources_));
    return std::move(whole_);
  }

 private:
  // `variables`, `functions`: the places of the operand's module.
  void resolve(Operand& operand, const std::vector<std::uint32_t>& variables,
               const std::vector<std::uint32_t>& functions) {
    if (operand.refers == Refers::kModuleVariable) {
      operand.index = variables[operand.index];
      operand.name = variables_[operand.index].name;
    } else if (operand.refers == Refers::kFunction) {
      operand.index = functions[operand.index];
      operand.name = functions_[operand.index].name;
    }
    for (Operand& element : operand.elements) resolve(element, variables, functions);
  }

  std::string file_;
  unsigned count_ = 0;
  Module whole_;
  SourceLines sources_;
  Merged<Variable> variables_;
  Merged<Function> functions_;
  std::set<std::string> local_names_;
};

}  // namespace

Module link(std::vector<Module> modules, std::string file) {
  Linker linker(std::move(file));
  for (Module& module : modules) linker.add(module);
  return linker.finish();
}

}  // namespace warpfold::ptx
