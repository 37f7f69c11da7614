// SPDX-License-Identifier: Apache-2.0
// Files that are whole at any instant, whoever else writes, reads or is killed; and some that only grow.
#pragma once

#include <string>

#include "warpfold/common/error.h"

namespace warpfold {

// A file that could not be written or cleared away: of a full disk, say, and not of anybody's usage.
class WriteError : public UserError {
 public:
  using UserError::UserError;
};

// That it could not be, for the reason that an errno says.
[[noreturn]] void cannot_write(const std::string& path, int why);

// Writes `text` under a name of its own beside `path` and renames it: a reader sees the old contents or the new, also
// when a writer is killed, and any number of processes may write one path. A link is followed; what is no regular file,
// such as a terminal, is written directly. WriteError, one line; the old contents are then still there.
void write_whole_file(const std::string& path, const std::string& text);

// Adds `text` to the end of a file, which is made if it is not there. WriteError, one line; no part of the text is then
// there.
void append_to_file(const std::string& path, const std::string& text);

// Removes what killed writers have left in `directory`. Only for whoever knows that nobody writes there now.
void remove_unfinished_files(const std::string& directory);

// Removes a file if there is one.
void remove_file(const std::string& path);

}  // namespace warpfold
