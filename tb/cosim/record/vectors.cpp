// SPDX-License-Identifier: Apache-2.0
#include "tb/cosim/record/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tb/cosim/build/rtl_model.h"
#include "tb/cosim/build/vhdl.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::cosim {
namespace fs = std::filesystem;

namespace {

bool is_own(const RtlPort& port) { return port.name != "clk_i" && port.name != "rst_ni"; }

// Zeros, ones and anything: a bit that is the same with all of them does not hang on what registers start with.
constexpr std::array kStarts{Start::kZeros, Start::kOnes, Start::kRandom};

void append_digits(std::string& row, const std::vector<unsigned char>& bytes, unsigned bits) {
  for (unsigned digit = (bits + 3) / 4; digit-- > 0;) {
    row += "0123456789abcdef"[bytes[digit / 2] >> (digit % 2 * 4) & 0xf];
  }
}

}  // namespace

std::string valid_of(const RtlPort& output, const std::vector<RtlPort>& ports) {
  const auto there = [&](const std::string& name) {
    return std::any_of(ports.begin(), ports.end(),
                       [&](const RtlPort& port) { return port.output && port.name == name; });
  };
  if (output.name.ends_with("valid_o") || output.name.ends_with("ready_o")) return "";
  const std::string of_channel = output.name.substr(0, output.name.find('_')) + "_valid_o";
  for (const std::string& valid : {of_channel, std::string("done_valid_o")}) {
    if (there(valid)) return valid;
  }
  return "";
}

struct Vectors::Port {
  RtlPort port;
  Pin pin;    // of the model
  Pin valid;  // of an output that has one
  std::vector<Pin> of_twins;
  std::vector<unsigned char> value, mask;  // of what is written
};

Vectors::Vectors(const RtlSource& source, const RtlModel& model, const std::string& folder, std::uint64_t period_ps)
    : file_(folder + "/vectors.csv") {
  std::error_code failed;
  fs::create_directories(folder, failed);
  RtlSource plain = without_vhdl(source);
  plain.waves = plain.coverage = plain.covers = false;
  write_whole_file(folder + "/replay.sv", replay_bench(plain, model.instance(), period_ps));
  write_whole_file(folder + "/files.f", replay_files(plain));
  for (const Start start : kStarts) {
    twins_.push_back(std::make_unique<RtlModel>(plain, model.instance(), 0, nullptr, start));
  }
  std::string names = "clock";
  for (const bool output : {false, true}) {
    for (const RtlPort& port : source.ports) {
      if (port.output != output || !is_own(port)) continue;
      Port& own = ports_.emplace_back(Port{port, model.pin(port.name), {}, {}, {}, {}});
      for (const auto& twin : twins_) own.of_twins.push_back(twin->pin(port.name));
      if (const std::string valid = valid_of(port, source.ports); output && !valid.empty())
        own.valid = model.pin(valid);
      names += output ? fmt::format(",{0},{0}_mask", port.name) : "," + port.name;
    }
  }
  const auto pin = [&](const char* name) {
    const auto same = [&](const RtlPort& port) { return port.name == name; };
    return std::any_of(source.ports.begin(), source.ports.end(), same) ? model.pin(name) : Pin();
  };
  kind_ = pin("op_kind_i");
  valid_ = pin("op_valid_i");
  ready_ = pin("op_ready_o");
  done_ = pin("done_valid_o");
  if (done_.bits() == 0) done_ = pin("res_valid_o"), taken_ = pin("res_ready_i");
  out_.open(file_);
  out_ << names << "\n";
  if (!out_) cannot_write(file_, errno);
}

Vectors::~Vectors() = default;

void Vectors::edge() {
  if (clocks_ == kMostClocks) return;
  for (Port& own : ports_) {
    if (own.port.output) continue;
    for (Pin& pin : own.of_twins) std::copy_n(own.pin.data(), own.pin.bytes(), pin.data());
  }
  for (const auto& twin : twins_) twin->eval();
  const unsigned kind = under_way_.empty() ? 0 : under_way_.front();
  const bool of_a_kind = kind_.bits() != 0 && !under_way_.empty();
  std::string row = fmt::format("{}", clocks_++);
  for (Port& own : ports_) {
    const unsigned char* const is = own.pin.data();
    own.value.assign(is, is + own.pin.bytes());
    if (own.port.output) {
      const bool meant = own.valid.bits() == 0 || (own.valid && (!of_a_kind || (own.port.kinds >> kind & 1) != 0));
      own.mask.assign(own.pin.bytes(), meant ? 0xff : 0);
      for (unsigned byte = 0; byte < own.mask.size(); ++byte) {
        for (const Pin& pin : own.of_twins)
          own.mask[byte] &= static_cast<unsigned char>(~(pin.data()[byte] ^ is[byte]));
        own.value[byte] &= own.mask[byte];
      }
      if (const unsigned rest = own.port.bits % 8; rest != 0) own.mask[own.port.bits / 8] &= (1U << rest) - 1;
    }
    row += ',';
    append_digits(row, own.value, own.port.bits);
    if (!own.port.output) continue;
    row += ',';
    append_digits(row, own.mask, own.port.bits);
  }
  out_ << row << "\n";
  if (!out_) cannot_write(file_, errno);
  for (const auto& twin : twins_) twin->clock(0);
  if (of_a_kind && done_ && (taken_.bits() == 0 || taken_)) under_way_.pop_front();
  if (kind_.bits() != 0 && valid_ && ready_) under_way_.push_back(static_cast<unsigned>(kind_.get()));
}

std::string replay_files(const RtlSource& source) {
  std::string text, folders;
  std::vector<fs::path> looked_in;
  for (const std::string& option : source.options) {
    text += (option[0] == '+' ? option : option.substr(0, 2) + " " + option.substr(2)) + "\n";
  }
  for (const std::string& file : source.files) {
    const fs::path path = fs::absolute(file);
    text += path.string() + "\n";
    looked_in.push_back(path.parent_path());
  }
  looked_in.emplace_back(WARPFOLD_SOURCE_DIRECTORY "/rtl");
  looked_in.emplace_back(WARPFOLD_SOURCE_DIRECTORY "/rtl/common");
  for (auto at = looked_in.begin(); at != looked_in.end(); ++at) {
    if (std::find(looked_in.begin(), at, *at) == at) folders += fmt::format("-y {0}\n+incdir+{0}\n", at->string());
  }
  return "+libext+.sv+.v\n" + folders + text;
}

namespace {

std::string range(unsigned bits) { return bits == 1 ? "" : fmt::format("[{}:0] ", bits - 1); }

constexpr const char* kHead =
    R"(// Made by Warpfold: what was on the pins of {instance} in a run, clock by clock, against {top}.
//   in Icarus:    iverilog -g2012 -s replay -f files.f -o replay replay.sv && vvp -n replay
//   in Verilator: verilator --binary --timing -Wno-lint -Wno-style --top-module replay -f files.f replay.sv && obj_dir/Vreplay
// +vectors=FILE reads another file than vectors.csv. With NETLIST defined the block has no parameters. The last line is
// PASS, or FAIL with the first difference, and the exit status not 0.
// Times are in ps, where the simulator's unit is that.
module replay;
  logic clk_i = 1'b0, rst_ni = 1'b0;
)";

constexpr const char* kRun = R"(
  always #{half} clk_i = !clk_i;

  integer            file, read, clock, clocks = 0;
  reg     [8*1024:1] path;

  initial begin
    if ($value$plusargs("vectors=%s", path) == 0) path = "vectors.csv";
    file = $fopen(path, "r");
    if (file == 0) $fatal(1, "FAIL: %0s cannot be read", path);
    read = $fgetc(file);
    while (read != 10 && read != -1) read = $fgetc(file);  // the ports' names
    repeat (2) @(negedge clk_i);
    rst_ni = 1'b1;
    read = {fields};
    while (read == {fields}) begin
      read = $fscanf(file, "{formats}\n",
                     {targets});
      if (read == {fields}) begin
{sets}        #{quarter};
{checks}        clocks = clocks + 1;
        @(negedge clk_i);
      end
    end
    if (read > 0 || !$feof(file) || clocks == 0) $fatal(1, "FAIL: %0s has no whole line after clock %0d", path, clocks);
    $display("PASS: {top} did in %0d clocks what it did in the run", clocks);
    $finish;
  end
endmodule
)";

}  // namespace

std::string replay_bench(const RtlSource& source, const std::string& instance, std::uint64_t period_ps) {
  std::string signals, parameters, pins = ".clk_i(clk_i), .rst_ni(rst_ni)", formats = "%d", targets = "clock", sets,
                                   checks;
  unsigned fields = 1;
  for (const auto& [name, value] : source.parameters) {
    parameters += fmt::format("{}.{}({})", parameters.empty() ? "" : ", ", name, value);
  }
  for (const bool output : {false, true}) {
    for (const RtlPort& port : source.ports) {
      if (port.output != output || !is_own(port)) continue;
      const std::string& name = port.name;
      pins += fmt::format(",\n    .{0}({0})", name);
      if (!output) {
        signals += fmt::format("  logic {0}{1} = '0, {1}_next;\n", range(port.bits), name);
        formats += ",%h";
        targets += fmt::format(", {}_next", name);
        sets += fmt::format("        {0} = {0}_next;\n", name);
        ++fields;
        continue;
      }
      signals += fmt::format("  wire {0}{1};\n  logic {0}{1}_is, {1}_mask;\n", range(port.bits), name);
      formats += ",%h,%h";
      targets += fmt::format(", {0}_is, {0}_mask", name);
      fields += 2;
      checks += fmt::format(
          "        if ((({0} ^ {0}_is) & {0}_mask) !== '0)\n"
          "          $fatal(1, \"FAIL at clock %0d: {0} is %h, in the run it was %h; bits that count: %h\", clock, {0},"
          " {0}_is, {0}_mask);\n",
          name);
    }
  }
  using fmt::arg;
  const std::string values = parameters.empty() ? "" : fmt::format("#({}) ", parameters);
  return fmt::format(kHead, arg("instance", instance), arg("top", source.top)) + signals +
         fmt::format("\n`ifdef NETLIST\n  {0} dut (\n`else\n  {0} {1}dut (\n`endif\n    {2}\n  );\n", source.top,
                     values, pins) +
         fmt::format(kRun, arg("half", period_ps / 4 * 2), arg("quarter", period_ps / 4), arg("fields", fields),
                     arg("formats", formats), arg("targets", targets), arg("sets", sets), arg("checks", checks),
                     arg("top", source.top));
}

}  // namespace warpfold::cosim
