// SPDX-License-Identifier: Apache-2.0
// `warpfold study report`: what a store says of a study, as a page that needs nothing beside itself.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tb/study/commands.h"
#include "tb/study/report_data.h"
#include "tb/study/report_libraries.h"
#include "tb/study/store.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/command.h"
#include "warpfold/common/files/whole_file.h"

namespace warpfold::study {
namespace {

namespace fs = std::filesystem;

constexpr std::array kStyles{"tables.css", "cards.css", "overview.css", "style.css"};
constexpr std::array kScripts{"theme.js",    "charts.js",  "charts_more.js",   "means.js", "slots.js",
                              "area.js",     "warps.js",   "machines.js",      "page.js",  "tables.js",
                              "timeline.js", "content.js", "content_points.js"};
constexpr const char* kCharts = "echarts.min.js";  // from npm, as these:
constexpr const char* kTables = "tabulator.min.js";
constexpr const char* kTableStyle = "tabulator.min.css";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.empty()) user_error("{}: this part of reports is missing", file.string());
  return text;
}

std::string part(const char* name) { return text_of(report_parts() / name); }

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string escaped(std::string text) {
  for (const auto& [from, to] : {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}})
    text = replace_all(std::move(text), from, to);
  return text;
}

// Inside a script element nothing may look like its end.
std::string json_text(const nlohmann::ordered_json& data) {
  return replace_all(data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), "<", "\\u003c");
}

void run(const std::vector<std::string>& command, const std::string& log) {
  pid_t child = 0;
  if (start_command(command, log, child) != 0)
    user_error("{}: cannot start it; scripts/setup report installs what reports need", command.front());
  if (!ends_well(child)) user_error("{} has failed: see {}", command.front(), log);
}

fs::path folder_for(const std::string& name) {
  std::error_code failed;
  fs::create_directories(name, failed);
  if (failed) user_error("{}: cannot make this folder: {}", name, failed.message());
  return name;
}

// The figures, and those that every report has, as files. Returns a line that says so.
std::string draw(const nlohmann::ordered_json& data, const sim::PageOptions& to) {
  const fs::path folder = folder_for(to.svg.empty() ? to.png : to.svg);
  const fs::path input = folder / ".figures.json", log = folder / ".figures.log";
  write_whole_file(input, json_text(data));
  run({"node", report_parts() / "render.js", report_libraries() / kCharts, input, folder}, log);
  fs::remove(input);
  std::ifstream drawn(log);
  std::vector<fs::path> files;
  for (std::string line; std::getline(drawn, line);) files.emplace_back(line);
  drawn.close();
  if (!to.png.empty()) {
    const fs::path pixels = folder_for(to.png);
    for (const fs::path& file : files)
      run({"rsvg-convert", "--zoom=2", file, "-o", pixels / file.stem().concat(".png")}, log);
  }
  if (to.svg.empty()) {
    for (const fs::path& file : files) fs::remove(file);
  }
  fs::remove(log);
  const std::string kinds = to.svg.empty() ? "PNG" : to.png.empty() ? "SVG" : "SVG and PNG";
  return fmt::format("{} figures as {} in {}{}\n", files.size(), kinds, to.svg,
                     (to.svg.empty() || to.png.empty() ? "" : " and ") + to.png);
}

}  // namespace

std::string way(const fs::path& from, const fs::path& to) {
  const std::string path =
      fs::absolute(to).lexically_normal().lexically_relative(fs::absolute(from).lexically_normal());
  return path.empty() || path == "." ? "" : path.ends_with('/') ? path : path + "/";
}

std::string report_page(const nlohmann::ordered_json& data) {
  const fs::path libraries = report_libraries();
  std::string styles = text_of(libraries / kTableStyle) + "\n", scripts;
  for (const char* const name : kStyles) styles += part(name) + "\n";
  const auto add_script = [&](const std::string& text) {
    scripts += "<script>" + replace_all(text, "</script", "<\\/script") + "</script>\n";
  };
  for (const char* const name : {kCharts, kTables}) add_script(text_of(libraries / name));
  for (const char* const name : kScripts) add_script(part(name));
  const std::pair<std::string, std::string> values[] = {{"{{title}}", escaped(data["title"].get<std::string>())},
                                                        {"{{styles}}", styles},
                                                        {"{{data}}", json_text(data)},
                                                        {"{{scripts}}", scripts}};
  // In their order, from left to right: what has been put in is not looked at again.
  std::string text = part("template.html");
  std::size_t from = 0;
  for (const auto& [mark, value] : values) {
    const std::size_t at = text.find(mark, from);
    check(at != std::string::npos, "the template has its marks in this order");
    text.replace(at, mark.size(), value);
    from = at + value.size();
  }
  return text;
}

std::string write_page(const nlohmann::ordered_json& data, const sim::PageOptions& to) {
  std::string written;
  if (!to.file.empty()) {
    write_whole_file(to.file, report_page(data));
    written = to.file + "\n";
  }
  if (!to.svg.empty() || !to.png.empty()) written += draw(data, to);
  return written;
}

int report(const ReportCommand& command) {
  const Study study = load_study(command.study, command.quick);
  Store store(command.store, Store::Access::kRead);
  sim::PageOptions page = command.page;
  if (page.file.empty()) page.file = fs::path(command.store) / (study.name + ".html");
  nlohmann::ordered_json data = report_data(study, store, way(fs::absolute(page.file).parent_path(), command.store));
  data["run"] = command.study + (command.quick ? " --quick" : "") +
                (command.store == StudyCommand{}.store ? "" : " --store " + command.store);
  fmt::print("{}", write_page(data, page));
  return 0;
}

}  // namespace warpfold::study
