// SPDX-License-Identifier: Apache-2.0
#include "tb/study/store.h"

#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "tb/sim/tables/known_statistics.h"
#include "tb/sim/tables/stats_shape.h"
#include "tb/study/seals.h"
#include "tb/study/views.h"
#include "warpfold/common/config/nearest.h"
#include "warpfold/common/error.h"
#include "warpfold/common/files/digest.h"
#include "warpfold/common/results/results.h"

namespace warpfold::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kVersion = 4;               // 1: without seals; 2: without bounds; 3: verdicts without the order
constexpr int kApplication = 0x57464c44;  // "WFLD"
constexpr int kPatience = 60'000;         // ms, for other processes that write

constexpr const char* kTables[] = {
    "CREATE TABLE configuration(digest TEXT PRIMARY KEY, parameters TEXT NOT NULL)",
    "CREATE TABLE run(key TEXT PRIMARY KEY, program TEXT NOT NULL, arguments TEXT NOT NULL, machine TEXT NOT NULL, "
    "mechanism TEXT NOT NULL, packing TEXT NOT NULL, timing TEXT NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL, "
    "decided_by TEXT NOT NULL, warpfold TEXT NOT NULL, simulator TEXT NOT NULL, "
    "settings TEXT NOT NULL, configuration TEXT NOT NULL REFERENCES configuration, state TEXT NOT NULL, reason TEXT "
    "NOT NULL, "
    "directory TEXT NOT NULL, seconds REAL NOT NULL)",
    "CREATE TABLE statistics(run TEXT PRIMARY KEY REFERENCES run)",
    "CREATE TABLE measured(run TEXT NOT NULL REFERENCES run, name TEXT NOT NULL, value REAL NOT NULL, "
    "PRIMARY KEY(run, name))",
    "CREATE TABLE study(name TEXT PRIMARY KEY, file TEXT NOT NULL, title TEXT NOT NULL, question TEXT NOT NULL, "
    "definition TEXT NOT NULL, baseline_mechanism TEXT NOT NULL, baseline_packing TEXT NOT NULL)",
    "CREATE TABLE point(study TEXT NOT NULL, number INTEGER NOT NULL, part TEXT NOT NULL, workload TEXT NOT NULL, "
    "input TEXT NOT NULL, size TEXT NOT NULL, seed INTEGER, machine TEXT NOT NULL, mechanism TEXT NOT NULL, "
    "packing TEXT NOT NULL, variant TEXT NOT NULL, timing TEXT NOT NULL, code TEXT NOT NULL, settings TEXT NOT NULL, "
    "machine_settings TEXT NOT NULL, key TEXT, reason TEXT NOT NULL, bound TEXT, PRIMARY KEY(study, number))",
    "CREATE TABLE figure(view TEXT PRIMARY KEY, study TEXT NOT NULL)",
    "CREATE TABLE area(study TEXT NOT NULL, machine TEXT NOT NULL, settings TEXT NOT NULL, variant TEXT NOT NULL, "
    "added_mm2 REAL NOT NULL, note TEXT NOT NULL, PRIMARY KEY(study, machine, settings, variant))",
    "CREATE TABLE student_t(df INTEGER PRIMARY KEY, t REAL NOT NULL)",
    kSealTable,
};

std::string place_of(const std::string& folder) { return fs::path(folder) / "store.sqlite"; }

[[noreturn]] void fail(const std::string& path, const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      user_error("{}: this is no store of results, or a damaged one: move it away", path);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      user_error("{}: this store cannot be {}: check its permissions and its folder's", path,
                 error.getErrorCode() == SQLITE_READONLY ? "written" : "opened");
    case SQLITE_FULL:
      user_error("{}: the disk is full: what has been run is kept; make room and start the study again", path);
    case SQLITE_ERROR:
      user_error("{}: {}: this store is damaged: move it away", path, error.what());
    case SQLITE_BUSY:
      user_error("{}: another process holds this store: try again when it has ended", path);
    default:
      user_error("{}: {}", path, error.what());
  }
}

template <class Body>
auto guarded(const std::string& folder, Body body) {
  try {
    return body();
  } catch (const SQLite::Exception& error) {
    fail(place_of(folder), error);
  }
}

// A name in double quotes that nothing has is a mistake, and no text.
SQLite::Database with_strict_names(SQLite::Database database) {
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  return database;
}

SQLite::Database open(const std::string& folder, Store::Access access) {
  const std::string path = place_of(folder);
  const bool write = access == Store::Access::kWrite;
  for (const char* const of : {"", "-journal", "-wal"}) {  // what SQLite would wait for, if it is a pipe
    std::error_code none;
    const fs::file_status there = fs::status(path + of, none);
    if (fs::exists(there) && !fs::is_regular_file(there)) {
      user_error("{}{}: this is no regular file, as a store's are: move it away, or name another folder by --store",
                 path, of);
    }
  }
  if (!write && !fs::exists(path)) user_error("{}: there is no such store: warpfold study run makes it", path);
  std::error_code failed;
  if (write) fs::create_directories(folder, failed);
  if (failed) user_error("{}: cannot make this folder: {}", folder, failed.message());
  return guarded(folder, [&] {
    SQLite::Database database(path, write ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE : SQLite::OPEN_READONLY,
                              kPatience);
    return with_strict_names(std::move(database));
  });
}

Json read_json(const fs::path& path) {
  std::ifstream in(path);
  return Json::parse(in, nullptr, false);
}

double wall_seconds(const Json& run) {
  const Json seconds = run.value(Json::json_pointer("/host/wall_seconds"), Json());
  return seconds.is_number() ? seconds.get<double>() : 0;
}

// The lines "measured NAME VALUE" of what a program has printed.
std::vector<std::pair<std::string, double>> measured_in(const fs::path& path) {
  std::vector<std::pair<std::string, double>> found;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word, name;
    double value = 0;
    if (words >> word && word == "measured" && words >> name >> value) found.emplace_back(name, value);
  }
  return found;
}

void make_view(SQLite::Database& database, const View& view) {
  database.exec(fmt::format("CREATE VIEW IF NOT EXISTS \"{}\" AS {}", view.name, view.sql));
}

// Tables that are functions, such as json_each, ask for an update of the schema, which nobody else gets from SQLite.
int allow_reading(void*, int action, const char* first, const char* second, const char*, const char*) {
  const bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE ||
                     (action == SQLITE_UPDATE && std::string_view(first) == "sqlite_master") ||
                     (action == SQLITE_FUNCTION && std::string_view(second) != "load_extension");
  return reads ? SQLITE_OK : SQLITE_DENY;
}

using Authorizer = int(void*, int, const char*, const char*, const char*, const char*);

// Whether `sql` is one statement that means something and does no more than the authorizer lets it.
void check_statement(SQLite::Database& database, const std::string& sql, const std::string& place,
                     Authorizer* authorizer) {
  sqlite3* const handle = database.getHandle();
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  sqlite3_set_authorizer(handle, authorizer, nullptr);
  const int code = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, &rest);
  sqlite3_finalize(statement);
  sqlite3_set_authorizer(handle, nullptr, nullptr);
  if (code == SQLITE_AUTH) user_error("{}: this would do more than read: give one SELECT", place);
  if (code == SQLITE_ERROR) user_error("{}: {}", place, sqlite3_errmsg(handle));
  if (code != SQLITE_OK) throw SQLite::Exception(handle, code);
  if (std::string_view(rest).find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    user_error("{}: something stands behind the query's ';': give one SELECT", place);
  }
}

}  // namespace

std::string view_name(const Study& study, const std::string& figure) {
  return study.quick ? figure + "_quick" : figure;
}

Store::Store(std::string folder, SQLite::Database database)
    : folder_(std::move(folder)), database_(std::move(database)) {}

Store Store::in_memory(const std::string& folder) {
  Store store(folder, with_strict_names({":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE}));
  store.make_tables();
  return store;
}

Store Store::as_it_is(const std::string& folder) {
  std::error_code none;
  const auto size = fs::file_size(place_of(folder), none);
  return none == std::errc::no_such_file_or_directory || size == 0 ? in_memory(folder) : Store(folder, Access::kRead);
}

Store::Store(const std::string& folder, Access access) : Store(folder, open(folder, access)) {
  guarded(folder_, [&] {
    const int version = database_.execAndGet("PRAGMA user_version").getInt();
    if (version > kVersion) {
      user_error("{}: a store of version {}, made by a newer warpfold than this, which knows version {}: use that one",
                 place_of(folder_), version, kVersion);
    }
    if (version != 0 && database_.execAndGet("PRAGMA application_id").getInt() != kApplication) {
      user_error("{}: a database of something else: name another folder by --store", place_of(folder_));
    }
    if (version == 0 && access == Access::kRead) {
      user_error("{}: there is no store in it yet: warpfold study run makes it", place_of(folder_));
    }
    if (version != kVersion && access == Access::kWrite) make_tables();
    SQLite::Statement known(database_, "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = ?");
    for (const View& view : standard_views()) {
      known.bind(1, view.name);
      known.executeStep();
      const bool there = known.getColumn(0).getInt() != 0;
      known.reset();
      if (there) continue;
      if (access == Access::kRead) {
        user_error("{}: this store lacks its view '{}': warpfold study run makes it again", place_of(folder_),
                   view.name);
      }
      make_view(database_, view);
      seal(database_, "");
    }
    const std::string broken = version == kVersion ? broken_seal(database_) : "";
    if (!broken.empty()) {
      user_error(
          "{}: {} in this store is not as it was written, so that it is damaged: move it away; study run makes "
          "another of the runs' directories",
          place_of(folder_), broken);
    }
  });
}

void Store::make_tables() {
  SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = database_.execAndGet("PRAGMA user_version").getInt();
  if (version == kVersion) return;  // another process has
  if (version == 0) {
    make_first_tables();
  } else {
    if (version < 2) database_.exec(kSealTable);
    if (version < 3) database_.exec("ALTER TABLE point ADD COLUMN bound TEXT");
    for (const View& view : standard_views()) {
      database_.exec(fmt::format("DROP VIEW IF EXISTS \"{}\"", view.name));
      make_view(database_, view);
    }
  }
  std::vector<std::string> sealed{""};
  SQLite::Statement rows(database_, "SELECT key FROM run UNION ALL SELECT name FROM study");
  while (rows.executeStep()) sealed.push_back(rows.getColumn(0).getString());
  rows.reset();
  for (const std::string& rows_of : sealed) seal(database_, rows_of);
  database_.exec(fmt::format("PRAGMA user_version = {}", kVersion));
  transaction.commit();
}

void Store::make_first_tables() {
  if (database_.execAndGet("SELECT count(*) FROM sqlite_master").getInt() != 0) {
    user_error("{}: a database of something else: name another folder by --store", place_of(folder_));
  }
  for (const char* const table : kTables) database_.exec(table);
  SQLite::Statement insert(database_, "INSERT INTO student_t VALUES(?, ?)");
  for (int df = 1; df <= 1000; ++df) {
    insert.bind(1, df);
    insert.bind(2, boost::math::quantile(boost::math::students_t(df), 0.975));
    insert.exec();
    insert.reset();
  }
  std::vector<std::string> names;
  for (const StatInfo& info : sim::known_statistics()) names.emplace_back(info.name);
  add_columns(names);
  for (const View& view : standard_views()) make_view(database_, view);
  database_.exec(fmt::format("PRAGMA application_id = {}", kApplication));
}

void Store::add_columns(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  bool added = false;
  SQLite::Statement columns(database_, "PRAGMA table_info(statistics)");
  while (columns.executeStep()) known.push_back(columns.getColumn(1).getString());
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    database_.exec(fmt::format("ALTER TABLE statistics ADD COLUMN \"{}\"", name));
    added = true;
  }
  if (added) seal(database_, "");
}

std::optional<Kept> Store::find(const std::string& key) {
  return guarded(folder_, [&]() -> std::optional<Kept> {
    SQLite::Statement query(database_, "SELECT state = 'ok', reason FROM run WHERE key = ?");
    query.bind(1, key);
    if (!query.executeStep()) return std::nullopt;
    return Kept{query.getColumn(0).getInt() != 0, query.getColumn(1).getString()};
  });
}

void Store::forget(const std::string& key) {
  guarded(folder_, [&] {
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    for (const char* const sql : {"DELETE FROM statistics WHERE run = ?", "DELETE FROM measured WHERE run = ?",
                                  "DELETE FROM run WHERE key = ?", "DELETE FROM seal WHERE rows_of = ?"}) {
      SQLite::Statement statement(database_, sql);
      statement.bind(1, key);
      statement.exec();
    }
    transaction.commit();
  });
}

bool Store::take(const Planned& planned) {
  const fs::path directory = planned.point.directory();
  const std::string outcome = sim::outcome(planned.point);
  if (outcome.empty()) return false;
  const bool good = outcome == sim::kGood;
  const Json stats = good ? read_json(directory / "stats.json") : Json();
  if (good && !sim::wrong_in_statistics(stats).empty()) return false;
  const RunOptions& options = planned.point.options;
  const std::string digest = Sha256().update(planned.parameters).hex();
  guarded(folder_, [&] {
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement configuration(database_, "INSERT OR IGNORE INTO configuration VALUES(?, ?)");
    SQLite::bind(configuration, digest, planned.parameters);
    configuration.exec();
    const Json decided = Json::parse(options.decided_by);
    SQLite::Statement insert(database_,
                             "INSERT OR REPLACE INTO run VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    SQLite::bind(
        insert, planned.key, planned.point.program.name, decided["arguments"].dump(), options.machine_name,
        options.mechanism, decided["packing"].get<std::string>(), decided["timing"].get<std::string>(),
        decided["code"].get<std::string>(), options.detail.text(), options.decided_by,
        decided["warpfold"].get<std::string>(), decided["simulator"].get<std::string>(), planned.settings, digest,
        good ? "ok" : "failed", good ? "" : outcome.substr(outcome.find(' ') + 1),
        fs::path(planned.point.directory()).lexically_relative(fs::absolute(folder_).lexically_normal()).string(),
        wall_seconds(read_json(directory / "run.json")));
    insert.exec();
    if (good) put_statistics(planned.key, stats["total"]);
    SQLite::Statement measured(database_, "INSERT OR REPLACE INTO measured VALUES(?, ?, ?)");
    for (const auto& [name, value] : measured_in(directory / "program.out")) {
      SQLite::bind(measured, planned.key, name, value);
      measured.exec();
      measured.reset();
    }
    seal(database_, planned.key);
    transaction.commit();
  });
  return true;
}

void Store::put_statistics(const std::string& key, const Json& total) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : total.items()) names.push_back(name);
  add_columns(names);
  std::string columns = "run", marks = "?";
  for (const std::string& name : names) {
    columns += fmt::format(", \"{}\"", name);
    marks += ", ?";
  }
  SQLite::Statement insert(database_, fmt::format("INSERT OR REPLACE INTO statistics({}) VALUES({})", columns, marks));
  insert.bind(1, key);
  int column = 1;
  for (const auto& [name, value] : total.items()) {
    ++column;
    if (value.is_number_integer()) {
      insert.bind(column, value.get<std::int64_t>());
    } else if (value.is_number()) {
      insert.bind(column, value.get<double>());
    }
  }
  insert.exec();
}

void Store::put(const Study& study, const std::vector<Planned>& points) {
  guarded(folder_, [&] {
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement insert(database_, "INSERT OR REPLACE INTO study VALUES(?, ?, ?, ?, ?, ?, ?)");
    SQLite::bind(insert, study.name, study.file, study.title, study.question, study.definition.dump(),
                 study.baseline_mechanism, study.baseline_packing);
    insert.exec();
    SQLite::Statement clear(database_, "DELETE FROM point WHERE study = ?");
    clear.bind(1, study.name);
    clear.exec();
    SQLite::Statement add(database_, "INSERT INTO point VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    std::int64_t number = 0;
    for (const Planned& planned : points) {
      const Choice& choice = planned.choice;
      SQLite::bind(add, study.name, number++, choice.part, planned.point.program.shown(), choice.input, choice.size,
                   choice.seed, planned.point.options.machine_name, choice.mechanism, choice.packing,
                   variant(choice.mechanism, choice.packing), choice.timing, choice.code, planned.settings,
                   planned.machine_settings, planned.key, planned.key.empty() ? planned.point.reason : "",
                   planned.bound ? points[*planned.bound].key : "");
      if (choice.seed.empty()) add.bind(7);
      if (planned.key.empty()) add.bind(16);
      if (!planned.bound) add.bind(18);
      add.exec();
      add.reset();
    }
    make_views(study, true);
    seal(database_, study.name);
    transaction.commit();
  });
}

void Store::put_areas(const Study& study, const std::vector<AreaRow>& rows) {
  guarded(folder_, [&] {
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement clear(database_, "DELETE FROM area WHERE study = ?");
    clear.bind(1, study.name);
    clear.exec();
    SQLite::Statement insert(database_, "INSERT INTO area VALUES(?, ?, ?, ?, ?, ?)");
    for (const AreaRow& row : rows) {
      SQLite::bind(insert, study.name, row.machine, row.settings, row.variant, row.mm2, row.note);
      insert.exec();
      insert.reset();
    }
    seal(database_, study.name);
    transaction.commit();
  });
}

void Store::check(const Study& study) {
  guarded(folder_, [&] { make_views(study, false); });
}

// Those that do not last go with the connection.
void Store::make_views(const Study& study, bool lasting) {
  std::vector<std::string> names;
  SQLite::Statement old(database_, "SELECT view FROM figure WHERE study = ?");
  for (old.bind(1, study.name); lasting && old.executeStep();) names.push_back(old.getColumn(0).getString());
  old.reset();
  for (const std::string& name : names) database_.exec(fmt::format("DROP VIEW IF EXISTS \"{}\"", name));
  if (lasting) database_.exec("DELETE FROM figure WHERE study = " + quoted(study.name));
  const auto place_of_figure = [](const Figure& figure) {
    return fmt::format("{}: figure {}", figure.place, figure.name);
  };
  SQLite::Statement owner(
      database_,
      "SELECT coalesce((SELECT 'study ' || study FROM figure WHERE view = ?1), 'the store itself') "
      "FROM sqlite_master WHERE name = ?1 AND name NOT IN (SELECT view FROM figure WHERE study = ?2)");
  SQLite::Statement insert(database_, "INSERT INTO figure VALUES(?, ?)");
  for (const Figure& figure : study.figures) {
    const std::string name = view_name(study, figure.name);
    SQLite::bind(owner, name, study.name);
    if (owner.executeStep()) {
      user_error("{}: '{}' is a name of {} in {}: give the figure another name, or the study a store of its own",
                 place_of_figure(figure), name, owner.getColumn(0).getString(), place_of(folder_));
    }
    owner.reset();
    const std::string view =
        fmt::format("CREATE {}VIEW \"{}\" AS {}", lasting ? "" : "TEMP ", name, figure_query(figure.sql, study.name));
    check_statement(database_, view, place_of_figure(figure), nullptr);
    database_.exec(view);
    if (!lasting) continue;
    SQLite::bind(insert, name, study.name);
    insert.exec();
    insert.reset();
  }
  for (const Figure& figure : study.figures) {  // whose query may name another one's view
    const std::string query = figure_query(figure.sql, study.name);
    check_statement(database_, query, place_of_figure(figure), allow_reading);
    const SQLite::Statement statement(database_, query);
    std::vector<std::string> header;
    for (int i = 0; i < statement.getColumnCount(); ++i) header.emplace_back(statement.getColumnName(i));
    for (const ConfigNode& column : figure.columns) {
      if (std::find(header.begin(), header.end(), column.scalar()) != header.end()) continue;
      column.reject("the figure's query has no such column; " + suggestion(column.scalar(), header));
    }
  }
}

Rows Store::query(const std::string& sql, const std::string& place) {
  try {
    check_statement(database_, sql, place, allow_reading);
    SQLite::Statement statement(database_, sql);
    Rows rows;
    for (int i = 0; i < statement.getColumnCount(); ++i) rows.header.emplace_back(statement.getColumnName(i));
    rows.numeric.assign(rows.header.size(), true);
    while (statement.executeStep()) {
      rows.rows.emplace_back();
      for (int i = 0; i < statement.getColumnCount(); ++i) {
        const SQLite::Column cell = statement.getColumn(i);
        rows.rows.back().push_back(cell.isNull() ? Rows::Cell() : Rows::Cell(cell.getString()));
        const bool number = cell.isInteger() || (cell.isFloat() && std::isfinite(cell.getDouble()));
        if (!number && !cell.isNull()) rows.numeric[static_cast<std::size_t>(i)] = false;
      }
    }
    return rows;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_ERROR) user_error("{}: {}", place, error.what());
    fail(place_of(folder_), error);
  }
}

}  // namespace warpfold::study
