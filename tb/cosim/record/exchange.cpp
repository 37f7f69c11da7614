// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/record/exchange.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "tb/cosim/verilated/abi.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::cosim {

std::string sdc_of(const RtlSource& source, std::uint64_t period_ps) {
  const double ns = static_cast<double>(period_ps) / 1000;
  std::string inputs, outputs;
  for (const RtlPort& port : source.ports) {
    if (port.name == "clk_i") continue;
    std::string& ports = port.output ? outputs : inputs;
    ports += (ports.empty() ? "" : " ") + port.name + (port.bits > 1 ? "[*]" : "");
  }
  return fmt::format(
      "# {}, in ns\n"
      "create_clock -name clock -period {:.6g} [get_ports clk_i]\n"
      "set_input_delay 0 -clock clock [get_ports {{{}}}]\n"
      "set_output_delay 0 -clock clock [get_ports {{{}}}]\n"
      "set_false_path -from [get_ports rst_ni]\n",
      source.top, ns, inputs, outputs);
}

std::string saif_of(const RtlSource& source, const BlockActivity& activity) {
  const auto duration = static_cast<double>(activity.duration_ps);
  std::string nets;
  for (const RtlPort& port : source.ports) {
    for (unsigned bit = 0; bit < port.bits; ++bit) {
      const auto found = activity.bits.find(port.bits == 1 ? port.name : fmt::format("{}[{}]", port.name, bit));
      if (found == activity.bits.end()) continue;
      const double ones = std::round(found->second.ones * duration);
      nets += fmt::format("      ({} (T0 {:.0f}) (T1 {:.0f}) (TX 0) (TC {:.0f}) (IG 0))\n",
                          port.bits == 1 ? port.name : fmt::format("{}\\[{}\\]", port.name, bit), duration - ones, ones,
                          std::round(found->second.transitions * static_cast<double>(activity.clocks)));
    }
  }
  return fmt::format(
      "(SAIFILE\n  (SAIFVERSION \"2.0\")\n  (DIRECTION \"backward\")\n  (DESIGN \"{0}\")\n"
      "  (VENDOR \"Warpfold\")\n  (PROGRAM_NAME \"warpfold\")\n  (DIVIDER /)\n  (TIMESCALE 1 ps)\n"
      "  (DURATION {1})\n  (INSTANCE {0}\n    (NET\n{2}    )\n  )\n)\n",
      source.top, activity.duration_ps, nets);
}

namespace {

// The pins of each instance, as its changes come.
class VcdFiles {
 public:
  VcdFiles(const RtlRuntime& runtime, const std::string& fst_file, const std::map<std::string, RtlSource>& instances,
           const std::string& folder)
      : instances_(instances), folder_(folder) {
    const RtlListener listener{[](void* self, const char* name) { of(self).scopes_.emplace_back(name); },
                               [](void* self) { of(self).scopes_.pop_back(); },
                               [](void* self, const char* name, unsigned number) { of(self).enter(name, number); },
                               [](void* self, std::uint64_t time, unsigned number, const char* value) {
                                 of(self).change(time, number, value);
                               },
                               this};
    std::uint64_t end = 0;
    if (!runtime.read_waves(fst_file.c_str(), &listener, &end)) {
      user_error("{}: not a waveform file (FST) that is finished", fst_file);
    }
    for (auto& [instance, file] : files_) {
      file.at(end);
      if (!file.out.flush()) cannot_write(file.path, errno);
    }
  }

 private:
  struct File {
    std::string path;
    std::ofstream out;
    std::uint64_t now = 0;
    bool begun = false;

    void at(std::uint64_t time) {
      if (!begun) out << "$upscope $end\n$enddefinitions $end\n";
      if (!begun || time != now) out << '#' << time << '\n';
      begun = true;
      now = time;
    }
  };
  struct Signal {
    File* file;
    std::string id;
  };

  static VcdFiles& of(void* self) { return *static_cast<VcdFiles*>(self); }

  // A name of VCD: characters from ! on.
  static std::string id_of(std::size_t number) {
    std::string id;
    for (; id.empty() || number != 0; number /= 94) id += static_cast<char>('!' + number % 94);
    return id;
  }

  // Scopes are core, instance, module; ports are signals of the latter.
  void enter(const std::string& name, unsigned number) {
    if (scopes_.size() != 3) return;
    const std::string instance = scopes_[0] + "." + scopes_[1], own = name.substr(0, name.find(' '));
    const auto source = instances_.find(instance);
    if (source == instances_.end()) return;
    for (const RtlPort& port : source->second.ports) {
      if (port.name != own) continue;
      File& file = file_of(instance, source->second);
      std::vector<Signal>& names = signals_[number];
      names.push_back({&file, id_of(ports_++)});
      file.out << fmt::format("$var wire {} {} {}{} $end\n", port.bits, names.back().id, own,
                              port.bits == 1 ? "" : fmt::format(" [{}:0]", port.bits - 1));
    }
  }

  File& file_of(const std::string& instance, const RtlSource& source) {
    File& file = files_[instance];
    if (!file.path.empty()) return file;
    file.path = fmt::format("{}/{}/block.vcd", folder_, instance);
    file.out.open(file.path);
    file.out << fmt::format("$timescale 1ps $end\n$scope module {} $end\n", source.top);
    return file;
  }

  void change(std::uint64_t time, unsigned number, const std::string& value) {
    const auto found = signals_.find(number);
    if (found == signals_.end()) return;
    for (const Signal& signal : found->second) {
      signal.file->at(time);
      signal.file->out << (value.size() == 1 ? value : "b" + value + " ") << signal.id << '\n';
    }
  }

  const std::map<std::string, RtlSource>& instances_;
  const std::string folder_;
  std::vector<std::string> scopes_;
  std::map<std::string, File> files_;
  std::map<unsigned, std::vector<Signal>> signals_;
  std::size_t ports_ = 0;
};

}  // namespace

void exchange_waves(const RtlRuntime& runtime, const std::string& fst_file,
                    const std::map<std::string, RtlSource>& instances, const std::string& folder) {
  for (const auto& [instance, activity] : activity_in(fst_file, runtime)) {
    const auto source = instances.find(instance);
    if (source == instances.end() || activity.clocks == 0) continue;
    write_whole_file(fmt::format("{}/{}/block.saif", folder, instance), saif_of(source->second, activity));
  }
  const VcdFiles files(runtime, fst_file, instances, folder);
}

}  // namespace warpfold::cosim
