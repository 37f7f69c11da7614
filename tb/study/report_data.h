// SPDX-License-Identifier: Apache-2.0
// What a report shows, as its page wants it (tb/study/report/page.js).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/sim/tables/report.h"
#include "tb/study/store.h"
#include "tb/study/study.h"

namespace warpfold::study {

// `links`: the way from the page to the store's folder, empty or with a slash at its end. UserError: the store has
// nothing of the study.
nlohmann::ordered_json report_data(const Study& study, Store& store, const std::string& links);

// What a page without points shows: its title, a sentence, and figures of `columns`, `rows` and a `chart`.
nlohmann::ordered_json page_without_points(const std::string& name, const std::string& title, const std::string& text,
                                           nlohmann::ordered_json figures);

// "" or the way from one folder to another, with a slash at its end: those links.
std::string way(const std::filesystem::path& from, const std::filesystem::path& to);

// The page that shows it, which needs nothing beside itself. Without points it has no more than a title, figures, and
// `timelines`, if there are any.
std::string report_page(const nlohmann::ordered_json& data);

// Writes it, and its charts into their folders, which are made. Returns lines that say what has been written.
std::string write_page(const nlohmann::ordered_json& data, const sim::PageOptions& to);

}  // namespace warpfold::study
