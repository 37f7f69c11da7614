// SPDX-License-Identifier: Apache-2.0
// Images in the files P5 (PGM) and P6 (PPM) with 8 bits a channel, number files, and comparisons of results, as sample
// programs use them. Channels of type unsigned char are as in the file, of other types in [0, 1]. Errors are reported
// on standard error, the result then is false.
#ifndef COMMON_HELPER_IMAGE_H_
#define COMMON_HELPER_IMAGE_H_

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>
#include <iostream>
#include <vector>

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

inline bool warpfold_image_error(const char* file, const char* what) {
  fprintf(stderr, "%s: %s\n", file, what);
  return false;
}

// The next number of a header, after blanks and comments; -1: there is none.
inline int warpfold_image_number(FILE* file) {
  int c = fgetc(file);
  while (isspace(c) || c == '#') {
    if (c == '#') {
      while (c != '\n' && c != EOF) c = fgetc(file);
    }
    c = fgetc(file);
  }
  int number = isdigit(c) ? 0 : -1;
  for (; isdigit(c); c = fgetc(file)) number = 10 * number + (c - '0');
  return number;  // the one blank that ends the header is read, too
}

// `*data`: NULL, then allocated (malloc), or room for an image of *w by *h.
inline bool __loadPPM(const char* name, unsigned char** data, unsigned int* w, unsigned int* h,
                      unsigned int* channels) {
  FILE* const file = fopen(name, "rb");
  if (file == NULL) return warpfold_image_error(name, "cannot be opened");
  char magic[3] = "";
  const bool known = fread(magic, 1, 2, file) == 2 && magic[0] == 'P' && (magic[1] == '5' || magic[1] == '6');
  const int width = known ? warpfold_image_number(file) : -1, height = known ? warpfold_image_number(file) : -1,
            highest = known ? warpfold_image_number(file) : -1;
  if (width <= 0 || height <= 0 || highest <= 0 || highest > 255) {
    fclose(file);
    return warpfold_image_error(name, "no PGM or PPM image of 8 bits a channel");
  }
  *channels = magic[1] == '5' ? 1 : 3;
  if (*data != NULL && (*w != static_cast<unsigned>(width) || *h != static_cast<unsigned>(height))) {
    fclose(file);
    return warpfold_image_error(name, "the image has another size than the room for it");
  }
  *w = static_cast<unsigned>(width), *h = static_cast<unsigned>(height);
  const size_t bytes = static_cast<size_t>(*channels) * *w * *h;
  if (*data == NULL) *data = static_cast<unsigned char*>(malloc(bytes));
  const bool complete = fread(*data, 1, bytes, file) == bytes;
  fclose(file);
  return complete || warpfold_image_error(name, "ends before the image does");
}

inline bool __savePPM(const char* name, const unsigned char* data, unsigned int w, unsigned int h,
                      unsigned int channels) {
  FILE* const file = fopen(name, "wb");
  if (file == NULL) return warpfold_image_error(name, "cannot be written");
  fprintf(file, "P%c\n%u\n%u\n255\n", channels == 1 ? '5' : '6', w, h);
  const size_t bytes = static_cast<size_t>(channels) * w * h;
  const bool written = fwrite(data, 1, bytes, file) == bytes;
  return (fclose(file) == 0 && written) || warpfold_image_error(name, "cannot be written");
}

inline void warpfold_from_byte(unsigned char byte, unsigned char* value) { *value = byte; }
template <class T>
inline void warpfold_from_byte(unsigned char byte, T* value) {
  *value = static_cast<T>(byte) / static_cast<T>(255);
}
inline unsigned char warpfold_to_byte(unsigned char value) { return value; }
template <class T>
inline unsigned char warpfold_to_byte(T value) {
  return static_cast<unsigned char>(value * static_cast<T>(255));
}

template <class T>
inline bool sdkLoadPGM(const char* name, T** data, unsigned int* w, unsigned int* h) {
  unsigned char* bytes = NULL;
  unsigned int channels = 0;
  if (!__loadPPM(name, &bytes, w, h, &channels)) return false;
  const size_t count = static_cast<size_t>(*w) * *h * channels;
  if (*data == NULL) *data = static_cast<T*>(malloc(count * sizeof(T)));
  for (size_t i = 0; i < count; ++i) warpfold_from_byte(bytes[i], *data + i);
  free(bytes);
  return true;
}

// Four channels per pixel, the fourth 0.
template <class T>
inline bool sdkLoadPPM4(const char* name, T** data, unsigned int* w, unsigned int* h) {
  unsigned char* bytes = NULL;
  unsigned int channels = 0;
  if (!__loadPPM(name, &bytes, w, h, &channels)) return false;
  const size_t pixels = static_cast<size_t>(*w) * *h;
  if (*data == NULL) *data = static_cast<T*>(malloc(4 * pixels * sizeof(T)));
  for (size_t i = 0; i < pixels; ++i) {
    for (unsigned c = 0; c < 3; ++c) {
      warpfold_from_byte(bytes[channels == 3 ? 3 * i + c : i], *data + 4 * i + c);
    }
    (*data)[4 * i + 3] = 0;
  }
  free(bytes);
  return true;
}
inline bool sdkLoadPPM4ub(const char* name, unsigned char** data, unsigned int* w, unsigned int* h) {
  return sdkLoadPPM4(name, data, w, h);
}

template <class T>
inline bool sdkSavePGM(const char* name, T* data, unsigned int w, unsigned int h) {
  std::vector<unsigned char> bytes(static_cast<size_t>(w) * h);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = warpfold_to_byte(data[i]);
  return __savePPM(name, bytes.data(), w, h, 1);
}
inline bool sdkSavePPMub(const char* name, unsigned char* data, unsigned int w, unsigned int h) {
  return __savePPM(name, data, w, h, 3);
}
inline bool sdkSavePPM4ub(const char* name, unsigned char* data, unsigned int w, unsigned int h) {
  std::vector<unsigned char> bytes(static_cast<size_t>(w) * h * 3);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = data[i / 3 * 4 + i % 3];
  return __savePPM(name, bytes.data(), w, h, 3);
}

// Numbers as text, separated by blanks. `*data`: NULL, then allocated (malloc), or room for *length numbers.
template <class T>
inline bool sdkReadFile(const char* name, T** data, unsigned int* length, bool) {
  std::ifstream file(name);
  if (!file.good()) return warpfold_image_error(name, "cannot be opened");
  std::vector<T> numbers;
  for (T number; file >> number;) numbers.push_back(number);
  if (*data != NULL && *length != numbers.size()) return warpfold_image_error(name, "holds another count of numbers");
  if (*data == NULL) *data = static_cast<T*>(malloc(numbers.size() * sizeof(T)));
  *length = static_cast<unsigned>(numbers.size());
  if (!numbers.empty()) memcpy(*data, numbers.data(), numbers.size() * sizeof(T));
  return true;
}
template <class T, class S>
inline bool sdkWriteFile(const char* name, const T* data, unsigned int length, const S epsilon, bool,
                         bool append = false) {
  std::ofstream file(name, append ? std::ios_base::app : std::ios_base::out);
  file << "# " << epsilon << "\n";
  for (unsigned i = 0; i < length && file.good(); ++i) file << data[i] << ' ';
  file << std::endl;
  return file.good() || warpfold_image_error(name, "cannot be written");
}

// Whether no element differs by more than epsilon; with a threshold, whether fewer than this share of them do.
template <class T, class S>
inline bool compareData(const T* reference, const T* data, const unsigned int length, const S epsilon,
                        const float threshold) {
  unsigned int wrong = 0;
  for (unsigned i = 0; i < length; ++i) {
    const double difference = static_cast<double>(reference[i]) - static_cast<double>(data[i]);
    if (!(fabs(difference) <= static_cast<double>(epsilon))) ++wrong;
  }
  return threshold == 0.0f ? wrong == 0 : static_cast<float>(wrong) < static_cast<float>(length) * threshold;
}
template <class T, class S>
inline bool compareDataAsFloatThreshold(const T* reference, const T* data, const unsigned int length, const S epsilon,
                                        const float threshold) {
  return compareData(reference, data, length, epsilon, threshold);
}

// Whether |reference − data| is below epsilon |reference| (Euclidean norms).
inline bool sdkCompareL2fe(const float* reference, const float* data, const unsigned int length, const float epsilon) {
  double error = 0, norm = 0;
  for (unsigned i = 0; i < length; ++i) {
    const double difference = static_cast<double>(reference[i]) - static_cast<double>(data[i]);
    error += difference * difference;
    norm += static_cast<double>(reference[i]) * static_cast<double>(reference[i]);
  }
  if (norm < 1e-14) return warpfold_image_error("sdkCompareL2fe", "the reference is zero");
  return sqrt(error / norm) < static_cast<double>(epsilon);
}

inline bool warpfold_compare_images(const char* name, const char* reference, float epsilon, float threshold,
                                    unsigned int expected_channels) {
  unsigned char *a = NULL, *b = NULL;
  unsigned int w[2] = {}, h[2] = {}, channels[2] = {};
  bool same = __loadPPM(name, &a, &w[0], &h[0], &channels[0]) && __loadPPM(reference, &b, &w[1], &h[1], &channels[1]);
  if (same && (w[0] != w[1] || h[0] != h[1] || channels[0] != channels[1] || channels[0] != expected_channels)) {
    same = warpfold_image_error(name, "another shape than the reference has");
  }
  same = same && compareData(b, a, w[0] * h[0] * channels[0], epsilon, threshold);
  free(a);
  free(b);
  return same;
}
inline bool sdkComparePPM(const char* name, const char* reference, const float epsilon, const float threshold, bool) {
  return warpfold_compare_images(name, reference, epsilon, threshold, 3);
}
inline bool sdkComparePGM(const char* name, const char* reference, const float epsilon, const float threshold, bool) {
  return warpfold_compare_images(name, reference, epsilon, threshold, 1);
}

#endif  // COMMON_HELPER_IMAGE_H_
