// SPDX-License-Identifier: Apache-2.0
// What the library makes while a program runs lives as long as the process: a program may launch its first kernel, or
// another one, from a destructor or an atexit() handler, when objects that were made later are gone already. Parsers
// and tables in function-local statics are such objects. What was made when the library was loaded is destroyed after
// everything of the program's.
#pragma once

namespace warpfold::host {

// From now on no static object of the library is registered for destruction.
void keep_what_is_made();

}  // namespace warpfold::host
