// SPDX-License-Identifier: Apache-2.0
// The results of studies: an SQLite file in a folder beside the result directories of the runs (docs/study-store.md has
// its tables). A run is there whole or not at all, whatever kills a writer; any number of processes may use one store.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tb/study/plan.h"
#include "tb/study/study.h"

namespace warpfold::study {

// What a query gave. Nothing stands for NULL.
struct Rows {
  using Cell = std::optional<std::string>;
  std::vector<std::string> header;
  std::vector<bool> numeric;  // by column: whether each cell is a number or NULL
  std::vector<std::vector<Cell>> rows;
};

// What a variant takes of a core.
struct AreaRow {
  std::string machine, settings, variant;
  double mm2 = 0;
  std::string note;  // why it is a lower bound; empty: it is none
};

// How a run that is there has ended.
struct Kept {
  bool good = false;
  std::string reason;  // why it is not
};

// In the store's folder; shared by those who run a study there, for as long as they do.
inline constexpr const char* kStudyLock = ".study.lock";

class Store {
 public:
  enum class Access { kRead, kWrite };
  // Opens <folder>/store.sqlite; makes it if it may write. UserError: none there to read, one of a newer version, no
  // store at all, one that is damaged, a folder that cannot be written.
  Store(const std::string& folder, Access access);

  // One of this process alone, for runs whose results lie below `folder`.
  static Store in_memory(const std::string& folder);

  // What <folder> has now, to be read; in memory, if that is nothing yet.
  static Store as_it_is(const std::string& folder);

  const std::string& folder() const { return folder_; }
  std::optional<Kept> find(const std::string& key);
  void forget(const std::string& key);

  // Takes over what has been left in a point's result directory, if that is a whole result of this very run. False:
  // it is not.
  bool take(const Planned& planned);

  // The study and its points, in the place of those of its name; its figures become views. UserError: as `check`.
  void put(const Study& study, const std::vector<Planned>& points);

  // UserError, with the figure's place: a name that something else has here, a query that is wrong or would do more
  // than read. Changes nothing that lasts.
  void check(const Study& study);

  // Of a study, in the place of those that there were.
  void put_areas(const Study& study, const std::vector<AreaRow>& rows);

  // UserError: what the query does wrong, after `place`; more than one, or one that would do more than read.
  Rows query(const std::string& sql, const std::string& place);

 private:
  Store(std::string folder, SQLite::Database database);
  void make_tables();  // or those that an older version lacks
  void make_first_tables();
  void add_columns(const std::vector<std::string>& names);
  void put_statistics(const std::string& key, const nlohmann::ordered_json& total);
  void make_views(const Study& study, bool lasting);

  std::string folder_;
  SQLite::Database database_;
};

// The view's name: with _quick for results of a quick study.
std::string view_name(const Study& study, const std::string& figure);

}  // namespace warpfold::study
