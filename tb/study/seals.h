// SPDX-License-Identifier: Apache-2.0
// A digest of everything that is written into a store at once, by the key of the run or the name of the study that it
// is of; "": of the tables themselves. SQLite notices damage to its own structures, but no bit that has turned over in
// a number.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

namespace warpfold::study {

inline constexpr const char* kSealTable = "CREATE TABLE seal(rows_of TEXT PRIMARY KEY, digest TEXT NOT NULL)";

// Within the transaction that has written the rows.
void seal(SQLite::Database& database, const std::string& rows_of);

// What is not as it was written; empty: all is.
std::string broken_seal(SQLite::Database& database);

}  // namespace warpfold::study
