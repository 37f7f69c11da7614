// SPDX-License-Identifier: Apache-2.0
// Command lines and file names, as sample programs read them: -name, --name, -name=value.
#ifndef COMMON_HELPER_STRING_H_
#define COMMON_HELPER_STRING_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <string>

#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#endif
#ifndef STRNCASECMP
#define STRNCASECMP strncasecmp
#endif
#ifndef STRCPY
#define STRCPY(to, size, from) strcpy(to, from)
#endif
#ifndef FOPEN
#define FOPEN(file, name, mode) ((file) = fopen(name, mode))
#endif
#ifndef FOPEN_FAIL
#define FOPEN_FAIL(file) ((file) == NULL)
#endif
#ifndef SSCANF
#define SSCANF sscanf
#endif
#ifndef SPRINTF
#define SPRINTF sprintf
#endif
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

inline int stringRemoveDelimiter(char delimiter, const char* string) {
  int start = 0;
  while (string[start] == delimiter) ++start;
  return string[start] == '\0' ? 0 : start;
}

inline int getFileExtension(char* name, char** extension) {
  char* const dot = strrchr(name, '.');
  *extension = dot == NULL ? name + strlen(name) : dot + 1;
  return static_cast<int>(*extension - name);
}

// What follows the name in the last argument that has it: "" without a value, NULL if no argument has it.
inline const char* warpfold_argument(int argc, const char** argv, const char* name) {
  const char* found = NULL;
  const size_t length = strlen(name);
  for (int i = 1; i < argc; ++i) {
    const char* const text = argv[i] + stringRemoveDelimiter('-', argv[i]);
    if (text == argv[i] || strncasecmp(text, name, length) != 0) continue;
    if (text[length] == '\0') found = text + length;
    if (text[length] == '=') found = text + length + 1;
  }
  return found;
}

inline bool checkCmdLineFlag(int argc, const char** argv, const char* name) {
  return warpfold_argument(argc, argv, name) != NULL;
}
inline int getCmdLineArgumentInt(int argc, const char** argv, const char* name) {
  const char* const value = warpfold_argument(argc, argv, name);
  return value == NULL ? 0 : atoi(value);
}
inline float getCmdLineArgumentFloat(int argc, const char** argv, const char* name) {
  const char* const value = warpfold_argument(argc, argv, name);
  return value == NULL ? 0.0f : static_cast<float>(atof(value));
}
template <class T>
inline bool getCmdLineArgumentValue(int argc, const char** argv, const char* name, T* value) {
  const char* const text = warpfold_argument(argc, argv, name);
  if (text != NULL) *value = static_cast<T>(atof(text));
  return text != NULL;
}
// The string lies in argv.
inline bool getCmdLineArgumentString(int argc, const char** argv, const char* name, char** value) {
  const char* const text = warpfold_argument(argc, argv, name);
  *value = const_cast<char*>(text);
  return text != NULL;
}

// A copy (malloc) of the first path at which the file can be read: as named, and in the usual folders for data beside
// the working folder and beside the program. NULL: nowhere.
inline char* sdkFindFilePath(const char* name, const char* executable) {
  static const char* const folders[] = {"./",     "./data/", "../",     "../data/", "../../",    "../../data/",
                                        "./src/", "./inc/",  "../src/", "../inc/",  "../../../", "../../../data/"};
  std::string base;
  if (executable != NULL && strrchr(executable, '/') != NULL) {
    base.assign(executable, static_cast<size_t>(strrchr(executable, '/') + 1 - executable));
  }
  for (int beside_program = 0; beside_program < (base.empty() ? 1 : 2); ++beside_program) {
    for (size_t i = 0; i <= sizeof folders / sizeof *folders; ++i) {
      const std::string folder = i == 0 ? std::string() : std::string(folders[i - 1]);
      const std::string path = (beside_program != 0 ? base + folder : folder) + name;
      if (FILE* const file = fopen(path.c_str(), "rb")) {
        fclose(file);
        return strdup(path.c_str());
      }
    }
  }
  return NULL;
}

#endif  // COMMON_HELPER_STRING_H_
