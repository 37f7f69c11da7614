// SPDX-License-Identifier: Apache-2.0
// One process at a time: whoever holds the lock of a file. It ends with its holder, however that ends.
#pragma once

#include <optional>
#include <string>

namespace warpfold {

class FileLock {
 public:
  // Makes the file if need be; it stays, since removing it would let two hold what they think is one lock.
  explicit FileLock(const std::string& path);                    // waits until nobody else holds it
  static std::optional<FileLock> take(const std::string& path);  // nothing if somebody holds it
  static FileLock share(const std::string& path);                // beside others that share it; waits for others
  // Whether somebody holds it or shares it now. Makes no file and keeps no lock.
  static bool is_held(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

 private:
  explicit FileLock(int file) : file_(file) {}
  int file_;
};

}  // namespace warpfold
