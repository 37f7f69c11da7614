// SPDX-License-Identifier: Apache-2.0
#include "tb/study/seals.h"

#include <SQLiteCpp/VariadicBind.h>
#include <fmt/format.h>

#include <vector>

#include "warpfold/common/files/digest.h"

namespace warpfold::study {
namespace {

// Views of figures are left out: every run of their study makes them again.
constexpr const char* kSealed[] = {
    "SELECT * FROM run WHERE key = ?1",
    "SELECT * FROM configuration WHERE digest = (SELECT configuration FROM run WHERE key = ?1)",
    "SELECT * FROM statistics WHERE run = ?1",
    "SELECT * FROM measured WHERE run = ?1",
    "SELECT * FROM study WHERE name = ?1",
    "SELECT * FROM point WHERE study = ?1",
    "SELECT * FROM figure WHERE study = ?1",
    "SELECT * FROM area WHERE study = ?1",
    "SELECT * FROM student_t WHERE ?1 = ''",
    "SELECT name, sql FROM sqlite_master WHERE ?1 = '' AND type IN ('table', 'view') AND name NOT IN (SELECT view FROM "
    "figure) ORDER BY name",
};

std::vector<SQLite::Statement> sealed_rows(SQLite::Database& database) {
  std::vector<SQLite::Statement> queries;
  for (const char* const sql : kSealed) queries.emplace_back(database, sql);
  return queries;
}

// NULLs are left out: a statistic that a later run brings is a new column of all rows.
std::string digest_of(std::vector<SQLite::Statement>& queries, const std::string& rows_of) {
  Sha256 digest;
  for (SQLite::Statement& rows : queries) {
    rows.bind(1, rows_of);
    while (rows.executeStep()) {
      std::string text;
      for (int i = 0; i < rows.getColumnCount(); ++i) {
        const SQLite::Column cell = rows.getColumn(i);
        if (cell.isNull()) continue;
        text.append(cell.getName()).push_back(static_cast<char>(cell.getType()));
        text += cell.isFloat() ? fmt::format("{:a}", cell.getDouble()) : cell.getString();  // to its last bit
        text.push_back('\0');
      }
      digest.update(text);
    }
    rows.reset();
  }
  return digest.hex();
}

}  // namespace

void seal(SQLite::Database& database, const std::string& rows_of) {
  auto queries = sealed_rows(database);
  SQLite::Statement insert(database, "INSERT OR REPLACE INTO seal VALUES(?, ?)");
  SQLite::bind(insert, rows_of, digest_of(queries, rows_of));
  insert.exec();
}

std::string broken_seal(SQLite::Database& database) {
  const SQLite::Transaction one_state(database);
  if (database.execAndGet("PRAGMA integrity_check(1)").getString() != "ok") return "a page";
  auto queries = sealed_rows(database);
  SQLite::Statement seals(database, "SELECT rows_of, digest FROM seal");
  while (seals.executeStep()) {
    const std::string rows_of = seals.getColumn(0).getString();
    if (digest_of(queries, rows_of) != seals.getColumn(1).getString())
      return rows_of.empty() ? "a table or view" : rows_of;
  }
  return "";
}

}  // namespace warpfold::study
