// SPDX-License-Identifier: Apache-2.0
// Tracking of points on the walls of a beating heart through a film, a block per point: every frame, the block
// correlates the point's template with all places of a window around where the point was last, goes to the best one and
// blends what it finds there into the template. Templates are cut off at the picture's edges, so loops have other
// bounds in every thread; the points of the inner wall are looked for nearby only.
//
//   heartwall [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;
using Byte = unsigned char;

constexpr const char* kProgram = "heartwall";
constexpr int kThreads = 256;
constexpr int kMostReach = 7;
constexpr int kMostSide = 2 * kMostReach + 1;
constexpr int kOutside = -0x7fffffff;

struct Film {
  int width, height;
  int reach;   // of a template to each side of its point
  int search;  // of the window
  int points, inner;
};

struct Point {
  int x, y;
};

// How well the template fits at a place: the mean product over those of its pixels that lie in the picture.
__host__ __device__ inline int fit(const Film& film, const Byte* frame, const int* pattern, Point at) {
  const int side = 2 * film.reach + 1;
  int sum = 0;
  int pixels = 0;
  for (int row = max(0, film.reach - at.y); row < min(side, film.height - at.y + film.reach); ++row) {
    for (int column = max(0, film.reach - at.x); column < min(side, film.width - at.x + film.reach); ++column) {
      const int x = at.x + column - film.reach;
      const int y = at.y + row - film.reach;
      sum += pattern[row * side + column] * frame[y * film.width + x];
      ++pixels;
    }
  }
  return sum / pixels;
}

// The place number `shift` of the window around `from`, row by row.
__host__ __device__ inline Point place(const Film& film, Point from, int shift) {
  const int side = 2 * film.search + 1;
  return {from.x + shift % side - film.search, from.y + shift / side - film.search};
}

__host__ __device__ inline int score(const Film& film, const Byte* frame, const int* pattern, Point from, int shift,
                                     bool inner) {
  const Point at = place(film, from, shift);
  if (at.x < 0 || at.x >= film.width || at.y < 0 || at.y >= film.height) return kOutside;
  int value = fit(film, frame, pattern, at);
  if (inner) {
    const int distance = abs(at.x - from.x) + abs(at.y - from.y);
    if (2 * distance > film.search) value -= 4 * distance;
  }
  return value;
}

// The pattern, whose values have a mean of zero, takes over a quarter of what is there now. `mean`: of the picture.
__host__ __device__ inline int blended(const Film& film, const Byte* frame, int old, Point at, int element, int mean) {
  const int side = 2 * film.reach + 1;
  const int x = at.x + element % side - film.reach;
  const int y = at.y + element / side - film.reach;
  if (x < 0 || x >= film.width || y < 0 || y >= film.height) return old;
  return (3 * old + frame[y * film.width + x] - mean) / 4;
}

__global__ void track(Film film, const Byte* frame, int mean, Point* points, int* patterns) {
  __shared__ int pattern[kMostSide * kMostSide];
  __shared__ int best_score[kThreads];
  __shared__ int best_shift[kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int number = static_cast<int>(blockIdx.x);
  const int side = 2 * film.reach + 1;
  const int area = side * side;
  const int shifts = (2 * film.search + 1) * (2 * film.search + 1);
  const Point from = points[number];
  for (int i = thread; i < area; i += kThreads) pattern[i] = patterns[number * area + i];
  __syncthreads();
  int best = kOutside;
  int best_at = shifts;
  for (int shift = thread; shift < shifts; shift += kThreads) {
    const int value = score(film, frame, pattern, from, shift, number < film.inner);
    if (value > best) {
      best = value;
      best_at = shift;
    }
  }
  best_score[thread] = best;
  best_shift[thread] = best_at;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half) {
      const int other = best_score[thread + half];
      const int other_at = best_shift[thread + half];
      if (other > best_score[thread] || (other == best_score[thread] && other_at < best_shift[thread])) {
        best_score[thread] = other;
        best_shift[thread] = other_at;
      }
    }
    __syncthreads();
  }
  const Point to = place(film, from, best_shift[0]);
  for (int i = thread; i < area; i += kThreads) {
    patterns[number * area + i] = blended(film, frame, pattern[i], to, i, mean);
  }
  if (thread == 0) points[number] = to;
}

namespace {

// Blotches that shrink towards the middle of the picture and grow again, with some noise.
std::vector<std::vector<Byte>> random_film(const Film& film, int frames, Random& random) {
  constexpr int kGrain = 4;
  const int columns = film.width / kGrain + 8;
  std::vector<int> blotches(static_cast<size_t>(columns) * (film.height / kGrain + 8));
  for (int& blotch : blotches) blotch = 40 + static_cast<int>(random.below(160));
  std::vector<std::vector<Byte>> pictures;
  for (int frame = 0; frame < frames; ++frame) {
    const int beat = frame % 6 < 3 ? frame % 6 : 6 - frame % 6;
    std::vector<Byte> picture;
    for (int y = 0; y < film.height; ++y) {
      for (int x = 0; x < film.width; ++x) {
        const int from_x = x + (x - film.width / 2) * beat / 40 + 4 * kGrain;
        const int from_y = y + (y - film.height / 2) * beat / 40 + 4 * kGrain;
        const int blotch = blotches[from_y / kGrain * columns + from_x / kGrain];
        picture.push_back(static_cast<Byte>(blotch + static_cast<int>(random.below(9))));
      }
    }
    pictures.push_back(picture);
  }
  return pictures;
}

int mean_of(const std::vector<Byte>& picture) {
  int64_t sum = 0;
  for (const Byte pixel : picture) sum += pixel;
  return static_cast<int>(sum / static_cast<int64_t>(picture.size()));
}

// The points lie on two ellipses, the inner wall's first; some of the outer wall's are at the picture's very edge.
std::vector<Point> starting_points(const Film& film, Random& random) {
  std::vector<Point> points;
  for (int i = 0; i < film.points; ++i) {
    const double angle = 6.283185307 * (i + random.unit()) / (i < film.inner ? film.inner : film.points - film.inner);
    const double radius = i < film.inner ? 0.25 : 0.48;
    const int x = static_cast<int>(film.width * (0.5 + radius * std::cos(angle)));
    const int y = static_cast<int>(film.height * (0.5 + radius * std::sin(angle)));
    points.push_back({x, y});
  }
  return points;
}

void track_on_host(const Film& film, const std::vector<Byte>& frame, int mean, std::vector<Point>& points,
                   std::vector<int>& patterns) {
  const int area = (2 * film.reach + 1) * (2 * film.reach + 1);
  const int shifts = (2 * film.search + 1) * (2 * film.search + 1);
  for (int number = 0; number < film.points; ++number) {
    int* const pattern = patterns.data() + number * area;
    std::vector<int> scores;
    for (int shift = 0; shift < shifts; ++shift) {
      scores.push_back(score(film, frame.data(), pattern, points[number], shift, number < film.inner));
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    points[number] = place(film, points[number], static_cast<int>(best));
    for (int i = 0; i < area; ++i) pattern[i] = blended(film, frame.data(), pattern[i], points[number], i, mean);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_only_options(kProgram, argc, argv);
  Film film = {};
  film.width = workload::by_size(options.size, 40, 200, 300);
  film.height = workload::by_size(options.size, 32, 160, 240);
  film.reach = workload::by_size(options.size, 2, 5, kMostReach);
  film.search = workload::by_size(options.size, 3, 8, 10);
  film.points = workload::by_size(options.size, 3, 51, 120);
  film.inner = 2 * film.points / 5;
  const int frames = workload::by_size(options.size, 2, 4, 6);
  Random random(options.seed);
  const std::vector<std::vector<Byte>> pictures = random_film(film, frames, random);
  std::vector<Point> points = starting_points(film, random);
  std::vector<int> patterns;
  const int side = 2 * film.reach + 1;
  for (const Point& point : points) {
    for (int i = 0; i < side * side; ++i) {
      patterns.push_back(4 * blended(film, pictures[0].data(), 0, point, i, mean_of(pictures[0])));
    }
  }

  const DeviceBuffer<Point> device_points(points);
  const DeviceBuffer<int> device_patterns(patterns);
  DeviceBuffer<Byte> device_frame(pictures[0].size());
  for (int frame = 1; frame < frames; ++frame) {
    device_frame.upload(pictures[frame]);
    const int mean = mean_of(pictures[frame]);
    track<<<film.points, kThreads>>>(film, device_frame.get(), mean, device_points.get(), device_patterns.get());
    workload::check_launch("track");
    track_on_host(film, pictures[frame], mean, points, patterns);
  }

  std::printf("heartwall: %d frames of %d x %d, %d points on two walls\n", frames, film.width, film.height,
              film.points);
  const std::vector<Point> tracked = device_points.download();
  for (int i = 0; i < film.points; ++i) {
    if (tracked[i].x == points[i].x && tracked[i].y == points[i].y) continue;
    return workload::verdict("point " + std::to_string(i) + " is at " + std::to_string(tracked[i].x) + ", " +
                             std::to_string(tracked[i].y) + ", expected at " + std::to_string(points[i].x) + ", " +
                             std::to_string(points[i].y));
  }
  return workload::verdict(workload::compare_equal(device_patterns.download(), patterns));
}
