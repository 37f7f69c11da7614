// SPDX-License-Identifier: Apache-2.0
// Exceptions that know where they were thrown, as sample programs use them.
#ifndef COMMON_EXCEPTION_H_
#define COMMON_EXCEPTION_H_

#include <stdlib.h>

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

template <class Std_Exception>
class Exception : public Std_Exception {
 public:
  explicit Exception(const std::string& message) : Std_Exception(message) {}
  static void throw_it(const char* file, int line, const char* message = "unknown error") {
    std::ostringstream text;
    text << file << ":" << line << ": " << message;
    throw Exception(text.str());
  }
  static void throw_it(const char* file, int line, const std::string& message) {
    throw_it(file, line, message.c_str());
  }
};

template <class Exception_Typ>
inline void handleException(const Exception_Typ& exception) {
  std::cerr << exception.what() << std::endl;
  exit(EXIT_FAILURE);
}

#define RUNTIME_EXCEPTION(message) Exception<std::runtime_error>::throw_it(__FILE__, __LINE__, message)
#define LOGIC_EXCEPTION(message) Exception<std::logic_error>::throw_it(__FILE__, __LINE__, message)
#define RANGE_EXCEPTION(message) Exception<std::range_error>::throw_it(__FILE__, __LINE__, message)

#endif  // COMMON_EXCEPTION_H_
