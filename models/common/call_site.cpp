// SPDX-License-Identifier: Apache-2.0
#include "warpfold/common/call_site.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <vector>

#include "warpfold/common/error.h"
#include "warpfold/common/symbol_name.h"

namespace warpfold {
namespace {

struct Function {
  std::uint64_t begin = 0, bytes = 0;
  std::string name;
};

template <class T>
std::vector<T> read_table(std::ifstream& file, std::uint64_t at, std::uint64_t bytes) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;  // nobody's symbols are that many: the file is broken
  std::vector<T> table(bytes < kMost ? bytes / sizeof(T) : 0);
  file.seekg(static_cast<std::streamoff>(at));
  file.read(reinterpret_cast<char*>(table.data()), static_cast<std::streamsize>(table.size() * sizeof(T)));
  if (!file) table.clear();
  return table;
}

// All of them, exported or not, by address in the file's own numbering. Nothing where it has been stripped.
std::vector<Function> functions_of(const std::string& path) {
  std::vector<Function> functions;
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
  const auto sections =
      read_table<Elf64_Shdr>(file, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const auto symbols = read_table<Elf64_Sym>(file, section.sh_offset, section.sh_size);
    const auto names = read_table<char>(file, sections[section.sh_link].sh_offset, sections[section.sh_link].sh_size);
    for (const Elf64_Sym& symbol : symbols) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= names.size()) continue;
      const char* const name = names.data() + symbol.st_name;
      functions.push_back(
          {symbol.st_value, symbol.st_size, std::string(name, strnlen(name, names.size() - symbol.st_name))});
    }
  }
  std::sort(functions.begin(), functions.end(), [](const Function& a, const Function& b) { return a.begin < b.begin; });
  return functions;
}

// The program itself is known by the name that it was started with, from a folder that it may have left.
std::string path_of(const Dl_info& object) {
  return std::strcmp(object.dli_fname, program_invocation_name) == 0 ? "/proc/self/exe" : object.dli_fname;
}

struct Place {
  std::string function;  // empty: unknown
  std::string text;
};

// A call returns behind itself, perhaps behind its function.
Place place_of(const void* return_address) {
  const void* const call = static_cast<const char*>(return_address) - 1;
  Dl_info object{};
  if (dladdr(call, &object) == 0 || object.dli_fname == nullptr) return {"", fmt::format("{}", return_address)};
  static auto* const known = new std::map<std::string, std::vector<Function>>;  // messages come to the very end
  const std::string path = path_of(object);
  const auto [entry, fresh] = known->try_emplace(path);
  if (fresh) entry->second = functions_of(path);
  const auto at = reinterpret_cast<std::uint64_t>(call), base = reinterpret_cast<std::uint64_t>(object.dli_fbase);
  for (const std::uint64_t offset : {at - base, at}) {  // of what the loader has moved, and of what it has not
    const auto above = std::upper_bound(entry->second.begin(), entry->second.end(), offset,
                                        [](std::uint64_t value, const Function& f) { return value < f.begin; });
    if (above == entry->second.begin() || offset - std::prev(above)->begin >= std::prev(above)->bytes) continue;
    const std::string name = shown_name(std::prev(above)->name);
    return {name, fmt::format("{}+{:#x}", name, offset + 1 - std::prev(above)->begin)};
  }
  if (object.dli_sname != nullptr) {
    const std::string name = shown_name(object.dli_sname);
    return {name, fmt::format("{}+{:#x}", name, at + 1 - reinterpret_cast<std::uint64_t>(object.dli_saddr))};
  }
  const std::string file = object.dli_fname;
  return {"", fmt::format("{}+{:#x}", file.substr(file.rfind('/') + 1), at + 1 - base)};
}

// Of the calls that take and free memory, ours too: the driver interface goes through the run-time's.
bool is_wrapper(const std::string& function) {
  const auto names = {"cudaMalloc", "cudaFree", "cuMemAlloc", "cuMemFree", "in_context"};
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return function.find(name) != std::string::npos; });
}
// Where programs begin: nobody asks who calls these.
bool is_root(const std::string& function) { return function == "main" || function.empty(); }

}  // namespace

CallSite CallSite::of(const void* return_address) {
  constexpr int kDeepest = 32;
  std::array<void*, kDeepest> stack;
  const int depth = backtrace(stack.data(), kDeepest);
  CallSite site;
  site.frames_[0] = return_address;
  const auto end = stack.begin() + depth;
  auto frame = std::find(stack.begin(), end, return_address);
  for (unsigned k = 0; k < kFrames && frame != end; ++k, ++frame) site.frames_[k] = *frame;
  return site;
}

std::string CallSite::text() const {
  std::string text;
  for (const void* const frame : frames_) {
    if (frame == nullptr) break;
    const Place place = place_of(frame);
    if (text.empty() && is_wrapper(place.function)) continue;
    if (!text.empty()) return text + ", called by " + place.text;
    text = place.text;
    if (is_root(place.function)) break;
  }
  return text;
}

}  // namespace warpfold
