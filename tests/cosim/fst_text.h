// SPDX-License-Identifier: Apache-2.0
// What is in an FST file, read with the reader that comes with Verilator's writer.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warpfold::cosim {

// Values of a signal by the time of the change, as binary digits.
using Changes = std::map<std::uint64_t, std::string>;

class FstFile {
 public:
  FstFile(const std::filesystem::path& file, const std::filesystem::path& cache) {
    for (const auto& entry : std::filesystem::directory_iterator(cache)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("verilated-") && name.ends_with(".so")) runtime_ = dlopen(entry.path().c_str(), RTLD_NOW);
    }
    void* const reader = call<void*>("fstReaderOpen", file.c_str());
    if (reader == nullptr) {
      ADD_FAILURE() << file << " is no FST file";
      return;
    }
    while (const auto* const hier = call<const Hier*>("fstReaderIterateHier", reader)) read(*hier, reader);
    call<void>("fstReaderSetFacProcessMaskAll", reader);
    call<int>("fstReaderIterBlocks", reader, &FstFile::on_change, static_cast<void*>(this),
              static_cast<void*>(nullptr));
    call<void>("fstReaderClose", reader);
  }
  // By its scopes and its name, with dots between.
  const Changes& operator[](const std::string& name) const {
    static const Changes none;
    const auto found = handles_.find(name);
    EXPECT_NE(found, handles_.end()) << name << " is not in the file";
    return found == handles_.end() ? none : changes_.at(found->second);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& [name, handle] : handles_) list.push_back(name);
    return list;
  }

 private:
  // Of fstapi.h, as far as it is needed.
  struct Hier {
    unsigned char type;  // 0 scope, 1 up, 2 variable
    union {
      struct {
        unsigned char type;
        const char* name;
        const char* component;
        std::uint32_t name_length, component_length;
      } scope;
      struct {
        unsigned char type, direction, special, data_type;
        std::uint32_t special_id;
        const char* name;
        std::uint32_t length, handle, name_length;
      } variable;
    } u;
  };

  template <class Result, class... Args>
  Result call(const char* name, Args... args) const {
    return reinterpret_cast<Result (*)(Args...)>(dlsym(runtime_, name))(args...);
  }
  void read(const Hier& hier, void* /*reader*/) {
    if (hier.type == 0) {
      scopes_.emplace_back(hier.u.scope.name);
    } else if (hier.type == 1) {
      scopes_.pop_back();
    } else if (hier.type == 2) {
      std::string name;
      for (const std::string& scope : scopes_) name += scope + ".";
      name += hier.u.variable.name;
      handles_[name.substr(0, name.find(' '))] = hier.u.variable.handle;
      changes_[hier.u.variable.handle];
    }
  }
  static void on_change(void* self, std::uint64_t time, std::uint32_t handle, const unsigned char* value) {
    static_cast<FstFile*>(self)->changes_[handle][time] = reinterpret_cast<const char*>(value);
  }

  void* runtime_ = nullptr;
  std::vector<std::string> scopes_;
  std::map<std::string, std::uint32_t> handles_;
  std::map<std::uint32_t, Changes> changes_;
};

}  // namespace warpfold::cosim
