// SPDX-License-Identifier: Apache-2.0
// Face detection by a cascade of classifiers over an integral image (Viola and Jones, CVPR 2001). A thread classifies a
// window: stage after stage it adds up the votes of some features, differences of rectangle sums, and leaves at the
// first stage that rejects it, as nearly all windows do early. The host trains the cascade on the kind of faces that it
// then hides in the picture.
//
//   facedetect [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;

constexpr const char* kProgram = "facedetect";
constexpr int kBlockX = 32;
constexpr int kBlockY = 6;
constexpr int kWindow = 24;  // pixels of a window's side at scale 1
constexpr int kScales = 3;
constexpr int kStages = 10;
constexpr int kStageFeatures[kStages] = {2, 2, 3, 4, 5, 6, 8, 10, 12, 14};
constexpr int kFeatures = 66;
constexpr int kStep = 2;  // pixels from window to window at scale 1

struct Rectangle {
  int x, y, width, height;
};

// `times` the sum within `inner`, less the sum within `outer`, compared with the threshold.
struct Feature {
  Rectangle outer;
  Rectangle inner;
  int times;  // so that the difference of an even area is nothing; negative where inner is to be the darker
  int threshold;
};

struct Cascade {
  Feature features[kFeatures];
  int votes_needed[kStages];
  int first[kStages + 1];  // feature of each stage
};

__constant__ Cascade cascade;

// `corner` is the element above and to the left of the window, which has a row and column of zeroes there.
__device__ inline int rectangle_sum(const int* corner, int pitch, int scale, const Rectangle& r) {
  const int* top = corner + scale * (r.y * pitch + r.x);
  const int* bottom = top + scale * r.height * pitch;
  const int width = scale * r.width;
  return bottom[width] - bottom[0] - top[width] + top[0];
}

// The windows of a scale, in steps across the picture.
struct Windows {
  int columns;
  int rows;
  int first;  // their place among the windows of all scales
};

struct AllWindows {
  Windows scales[kScales];
};

// Gives every window the number of stages that it passed.
__global__ void classify(AllWindows all, int pitch, const int* integral, int* passed) {
  const int scale = static_cast<int>(blockIdx.z) + 1;
  const Windows windows = all.scales[blockIdx.z];
  const int x = static_cast<int>(blockIdx.x) * kBlockX + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kBlockY + static_cast<int>(threadIdx.y);
  if (x >= windows.columns || y >= windows.rows) return;
  const int* corner = integral + kStep * scale * (y * pitch + x);
  int stage = 0;
#pragma unroll 1
  for (; stage < kStages; ++stage) {
    int votes = 0;
#pragma unroll 1
    for (int i = cascade.first[stage]; i < cascade.first[stage + 1]; ++i) {
      const Feature& feature = cascade.features[i];
      const int difference = feature.times * rectangle_sum(corner, pitch, scale, feature.inner) -
                             (feature.times < 0 ? -1 : 1) * rectangle_sum(corner, pitch, scale, feature.outer);
      if (difference >= feature.threshold * scale * scale) ++votes;
    }
    if (votes < cascade.votes_needed[stage]) break;
  }
  passed[windows.first + y * windows.columns + x] = stage;
}

namespace {

struct Picture {
  int width;
  int height;
  std::vector<int> pixels;

  int& at(int x, int y) { return pixels[y * width + x]; }
  int at(int x, int y) const { return pixels[y * width + x]; }
};

// Skin with hair, eyes, a nose and a mouth, lit and shaded at random.
void draw_face(Picture& picture, int left, int top, int scale, Random& random) {
  const int skin = 150 + static_cast<int>(random.below(60));
  const int shade = 60 + static_cast<int>(random.below(40));
  for (int y = 0; y < kWindow; ++y) {
    for (int x = 0; x < kWindow; ++x) {
      const bool hair = y < 4 || x < 2 || x >= 22;
      const bool eye = y >= 8 && y < 12 && ((x >= 4 && x < 10) || (x >= 14 && x < 20));
      const bool mouth = y >= 17 && y < 20 && x >= 7 && x < 17;
      const bool nose = y >= 8 && y < 15 && x >= 11 && x < 13;
      const int value = skin + (nose ? 20 : 0) - (hair || eye ? shade : mouth ? shade / 2 : 0);
      for (int i = 0; i < scale * scale; ++i) {
        const int noise = static_cast<int>(random.below(31)) - 15;
        picture.at(left + x * scale + i % scale, top + y * scale + i / scale) = value + noise;
      }
    }
  }
}

// Bright and dark boxes on top of one another, and noise.
Picture random_background(int width, int height, Random& random) {
  Picture picture{width, height, std::vector<int>(static_cast<size_t>(width) * height, 120)};
  for (int box = 0; box < width * height / 200; ++box) {
    const int left = static_cast<int>(random.below(width));
    const int top = static_cast<int>(random.below(height));
    const int right = std::min(width, left + 3 + static_cast<int>(random.below(28)));
    const int bottom = std::min(height, top + 3 + static_cast<int>(random.below(28)));
    const int value = 30 + static_cast<int>(random.below(190));
    for (int y = top; y < bottom; ++y) std::fill(&picture.at(left, y), &picture.at(left, y) + (right - left), value);
  }
  for (int& pixel : picture.pixels) pixel += static_cast<int>(random.below(21)) - 10;
  return picture;
}

// Sums along rows only: the way of the check, and of the training, to a rectangle's sum.
class RowSums {
 public:
  explicit RowSums(const Picture& picture) : pitch_(picture.width + 1), sums_(pitch_ * picture.height, 0) {
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x) sums_[y * pitch_ + x + 1] = sums_[y * pitch_ + x] + picture.at(x, y);
    }
  }

  int sum(int left, int top, int scale, const Rectangle& r) const {
    const int from = left + scale * r.x;
    int sum = 0;
    for (int y = top + scale * r.y; y < top + scale * (r.y + r.height); ++y) {
      sum += sums_[y * pitch_ + from + scale * r.width] - sums_[y * pitch_ + from];
    }
    return sum;
  }

  int difference(int left, int top, int scale, const Feature& feature) const {
    const int outer = sum(left, top, scale, feature.outer);
    const int inner = sum(left, top, scale, feature.inner);
    return feature.times < 0 ? outer - -feature.times * inner : feature.times * inner - outer;
  }

 private:
  int pitch_;
  std::vector<int> sums_;
};

// Half of a rectangle against all of it, or its middle third, across or along.
Feature random_feature(Random& random) {
  const bool across = random.below(2) == 0;
  const int parts = 2 + static_cast<int>(random.below(2));
  const int part = 2 + static_cast<int>(random.below(kWindow / parts - 2));
  const int side = 3 + static_cast<int>(random.below(kWindow - 4));
  const int width = across ? parts * part : side;
  const int height = across ? side : parts * part;
  const int x = static_cast<int>(random.below(kWindow - width + 1));
  const int y = static_cast<int>(random.below(kWindow - height + 1));
  const Rectangle inner = across ? Rectangle{x + part, y, part, side} : Rectangle{x, y + part, side, part};
  return {{x, y, width, height}, inner, random.below(2) == 0 ? parts : -parts, 0};
}

// Features at random, with thresholds that let all faces of the training through. A stage asks for most of its votes
// only, for faces that differ a little from these.
Cascade train(Random& random) {
  std::vector<RowSums> faces;
  for (int i = 0; i < 60; ++i) {
    Picture face{kWindow, kWindow, std::vector<int>(kWindow * kWindow)};
    draw_face(face, 0, 0, 1, random);
    faces.emplace_back(face);
  }
  Cascade cascade;
  for (Feature& feature : cascade.features) {
    feature = random_feature(random);
    feature.threshold = faces[0].difference(0, 0, 1, feature);
    for (const RowSums& face : faces) {
      feature.threshold = std::min(feature.threshold, face.difference(0, 0, 1, feature));
    }
  }
  cascade.first[0] = 0;
  for (int stage = 0; stage < kStages; ++stage) {
    cascade.first[stage + 1] = cascade.first[stage] + kStageFeatures[stage];
    cascade.votes_needed[stage] = kStageFeatures[stage] - kStageFeatures[stage] / 6;
  }
  return cascade;
}

std::vector<int> integral_image(const Picture& picture) {
  const int pitch = picture.width + 1;
  std::vector<int> integral(static_cast<size_t>(pitch) * (picture.height + 1), 0);
  for (int y = 0; y < picture.height; ++y) {
    int row = 0;
    for (int x = 0; x < picture.width; ++x) {
      row += picture.at(x, y);
      integral[(y + 1) * pitch + x + 1] = integral[y * pitch + x + 1] + row;
    }
  }
  return integral;
}

int stages_passed(const RowSums& sums, const Cascade& cascade, int left, int top, int scale) {
  for (int stage = 0; stage < kStages; ++stage) {
    int votes = 0;
    for (int i = cascade.first[stage]; i < cascade.first[stage + 1]; ++i) {
      const Feature& feature = cascade.features[i];
      votes += sums.difference(left, top, scale, feature) >= feature.threshold * scale * scale;
    }
    if (votes < cascade.votes_needed[stage]) return stage;
  }
  return kStages;
}

AllWindows windows_of(int width, int height) {
  AllWindows all;
  int first = 0;
  for (int scale = 1; scale <= kScales; ++scale) {
    Windows& windows = all.scales[scale - 1];
    windows.columns = (width - scale * kWindow) / (scale * kStep) + 1;
    windows.rows = (height - scale * kWindow) / (scale * kStep) + 1;
    windows.first = first;
    first += windows.columns * windows.rows;
  }
  return all;
}

std::string check(const Picture& picture, const Cascade& cascade, const AllWindows& all,
                  const std::vector<int>& passed) {
  const RowSums sums(picture);
  for (int scale = 1; scale <= kScales; ++scale) {
    const Windows& windows = all.scales[scale - 1];
    for (int i = 0; i < windows.columns * windows.rows; ++i) {
      const int left = i % windows.columns * kStep * scale;
      const int top = i / windows.columns * kStep * scale;
      const int expected = stages_passed(sums, cascade, left, top, scale);
      if (passed[windows.first + i] == expected) continue;
      return "the window of scale " + std::to_string(scale) + " at " + std::to_string(left) + ", " +
             std::to_string(top) + " passes " + std::to_string(passed[windows.first + i]) + " stages, expected " +
             std::to_string(expected);
    }
  }
  return "";
}

// Each where some window will find it.
void hide_faces(Picture& picture, const AllWindows& all, int count, Random& random) {
  for (int face = 0; face < count; ++face) {
    const int scale = 1 + static_cast<int>(random.below(kScales));
    const Windows& windows = all.scales[scale - 1];
    const int left = static_cast<int>(random.below(windows.columns)) * kStep * scale;
    const int top = static_cast<int>(random.below(windows.rows)) * kStep * scale;
    draw_face(picture, left, top, scale, random);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  Random random(options.seed);
  const Cascade host_cascade = train(random);
  const int width = workload::by_size(options.size, 128, 800, 2048);
  const int height = workload::by_size(options.size, 96, 600, 1536);
  const int faces = workload::by_size(options.size, 4, 94, 600);
  const AllWindows all = windows_of(width, height);
  Picture picture = random_background(width, height, random);
  hide_faces(picture, all, faces, random);
  workload::check_cuda(cudaMemcpyToSymbol(cascade, &host_cascade, sizeof(Cascade)), "cudaMemcpyToSymbol");

  const Windows& coarsest = all.scales[kScales - 1];
  const DeviceBuffer<int> integral(integral_image(picture));
  const DeviceBuffer<int> device_passed(static_cast<size_t>(coarsest.first) + coarsest.columns * coarsest.rows);
  const Windows& finest = all.scales[0];
  const dim3 blocks((finest.columns + kBlockX - 1) / kBlockX, (finest.rows + kBlockY - 1) / kBlockY, kScales);
  classify<<<blocks, dim3(kBlockX, kBlockY)>>>(all, width + 1, integral.get(), device_passed.get());
  workload::check_launch("classify");

  const std::vector<int> passed = device_passed.download();
  std::printf("facedetect: %d x %d pixels, %d faces; %zu windows, %zu rejected by the first stage, %zu passed all\n",
              width, height, faces, passed.size(), static_cast<size_t>(std::count(passed.begin(), passed.end(), 0)),
              static_cast<size_t>(std::count(passed.begin(), passed.end(), kStages)));
  return workload::verdict(check(picture, host_cascade, all, passed));
}
