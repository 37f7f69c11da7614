// SPDX-License-Identifier: Apache-2.0
// Tracks a bright disc through noisy pictures with a particle filter (Gordon, Salmond, Smith, IEE Proceedings F 1993).
// For every frame each particle moves at random and is weighed by the pixels around it; the weights are normalised and
// summed up; and systematic resampling (Kitagawa 1996) draws the particles that live on: tooth k of a comb of equal
// distances falls on one of the sums, which thread k looks for from its own place in both directions.
//
//   particlefilter [--size small|default|large] [--seed N]
#include <algorithm>

#include "../common/workload.h"

using workload::DeviceBuffer;
using workload::Random;
using Pixel = unsigned char;

constexpr const char* kProgram = "particlefilter";
constexpr int kThreads = 128;
constexpr int kRadius = 5;       // of the disc
constexpr int kDiscPixels = 81;  // of that radius
constexpr int kBackground = 80;
constexpr int kContrast = 80;        // the disc is so much brighter
constexpr float kSharpness = 20.0f;  // a particle on nothing but background weighs exp(-kSharpness)
constexpr float kStep = 4.0f;        // standard deviation of a particle's move, in pixels
constexpr int kUnit = 1 << 11;       // the radius of the circle in which noise is drawn

// Half the width of a disc's row, from the uppermost to the lowest.
__constant__ int half_widths[2 * kRadius + 1] = {0, 3, 4, 4, 4, 5, 4, 4, 4, 3, 0};

// Each particle draws from a stream of its own (xorshift: Marsaglia, Journal of Statistical Software 2003).
__host__ __device__ inline unsigned next_random(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

// A normally distributed step in each direction, by Marsaglia's polar method: points are drawn in a square until one
// lies within the circle. They are whole numbers, so that no rounding decides which, and small enough to be exact in
// single precision when squared.
__device__ inline float2 random_step(unsigned& state) {
  int x = 0;
  int y = 0;
  int square = 0;
  do {
    const unsigned drawn = next_random(state);
    x = static_cast<int>(drawn >> 20) - kUnit;
    y = static_cast<int>(drawn & 0xfff) - kUnit;
    square = x * x + y * y;
  } while (square == 0 || square >= kUnit * kUnit);
  const float s = static_cast<float>(square) / static_cast<float>(kUnit * kUnit);
  const float scale = kStep * sqrtf(-2.0f * logf(s) / s) / static_cast<float>(kUnit);
  return float2{static_cast<float>(x) * scale, static_cast<float>(y) * scale};
}

// What speaks for the disc at this place rather than for bare background: twice the logarithm of the likelihoods' ratio
// in units of the noise's variance, plus as much as makes clean background zero. Pixels beyond the picture's edge count
// as that. From the middle row on outwards; as soon as the rows so far hold less than a quarter of what a clean disc's
// would, the place is given up as background.
__device__ inline int evidence_at(const Pixel* picture, int width, int centre_x, int centre_y) {
  int evidence = 0;
  int pixels = 0;
#pragma unroll 1
  for (int row = 0; row <= 2 * kRadius; ++row) {
    const int dy = row % 2 == 0 ? -row / 2 : (row + 1) / 2;
    const int half_width = half_widths[dy + kRadius];
    const int y = centre_y + dy;
    if (y >= 0 && y < width) {
      const int right = min(centre_x + half_width, width - 1);
#pragma unroll 1
      for (int x = max(centre_x - half_width, 0); x <= right; ++x) {
        const int above = picture[y * width + x] - kBackground;
        evidence += above * above - (above - kContrast) * (above - kContrast) + kContrast * kContrast;
      }
    }
    pixels += 2 * half_width + 1;
    if (2 * evidence < pixels * kContrast * kContrast) return 0;
  }
  return evidence;
}

__global__ void move_and_weigh(const Pixel* picture, int width, const float2* particles, unsigned* states,
                               float2* moved, float* weights) {
  const int id = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  unsigned state = states[id];
  const float2 step = random_step(state);
  states[id] = state;
  const float2 to{particles[id].x + step.x, particles[id].y + step.y};
  moved[id] = to;
  const int evidence = evidence_at(picture, width, static_cast<int>(floorf(to.x)), static_cast<int>(floorf(to.y)));
  const float share = static_cast<float>(evidence) / static_cast<float>(2 * kDiscPixels * kContrast * kContrast);
  weights[id] = expf(kSharpness * (share - 1.0f));
}

// Every block sums its weights up (Hillis and Steele, CACM 1986); the last sum is the block's total.
__global__ void sum_blocks(const float* weights, float* sums, float* totals) {
  __shared__ float buffers[2][kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int id = static_cast<int>(blockIdx.x) * kThreads + thread;
  buffers[0][thread] = weights[id];
  int from = 0;
  for (int distance = 1; distance < kThreads; distance *= 2) {
    __syncthreads();
    float sum = buffers[from][thread];
    if (thread >= distance) sum += buffers[from][thread - distance];
    from = 1 - from;
    buffers[from][thread] = sum;
  }
  sums[id] = buffers[from][thread];
  if (thread == kThreads - 1) totals[blockIdx.x] = buffers[from][thread];
}

// Adds the totals of the blocks before and divides by that of all.
__global__ void normalise_sums(const float* totals, float* sums) {
  float before = 0.0f;
  float total = 0.0f;
  for (unsigned block = 0; block < gridDim.x; ++block) {
    if (block == blockIdx.x) before = total;
    total += totals[block];
  }
  const int id = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  sums[id] = (before + sums[id]) / total;
}

// The particle that tooth k falls on is the first whose sum reaches it. `offset` is that of the comb, in [0, 1).
__global__ void resample(int count, float offset, const float* sums, const float2* moved, int* parents,
                         float2* particles) {
  const int id = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const float tooth = (static_cast<float>(id) + offset) / static_cast<float>(count);
  int parent = id;
#pragma unroll 1
  while (parent > 0 && sums[parent - 1] >= tooth) --parent;
#pragma unroll 1
  while (parent < count - 1 && sums[parent] < tooth) ++parent;
  parents[id] = parent;
  particles[id] = moved[parent];
}

namespace {

struct Scene {
  int width;  // of the picture, and its height
  int count;  // particles
  int frames;
};

// The disc goes around in a circle that takes it over the picture's edge, three pixels in two frames.
float2 true_position(const Scene& scene, int frame) {
  const float radius = 0.45f * static_cast<float>(scene.width);
  const float angle = 1.5f * static_cast<float>(frame) / radius;
  const float middle = 0.5f * static_cast<float>(scene.width);
  return float2{middle + radius * std::cos(angle), middle + radius * std::sin(angle)};
}

std::vector<Pixel> take_picture(const Scene& scene, int frame, Random& random) {
  const float2 at = true_position(scene, frame);
  std::vector<Pixel> picture(static_cast<size_t>(scene.width) * scene.width);
  for (int i = 0; i < scene.width * scene.width; ++i) {
    const float dx = static_cast<float>(i % scene.width) - std::floor(at.x);
    const float dy = static_cast<float>(i / scene.width) - std::floor(at.y);
    const float clean = kBackground + (dx * dx + dy * dy <= kRadius * kRadius ? kContrast : 0);
    const float noise = 40.0f * (random.unit() + random.unit() + random.unit() + random.unit() - 2.0f);
    picture[i] = static_cast<Pixel>(std::min(std::max(clean + noise, 0.0f), 255.0f));
  }
  return picture;
}

// What the device has made of a frame.
struct Result {
  std::vector<float2> moved;
  std::vector<float> weights;
  std::vector<float> sums;
  std::vector<int> parents;
  std::vector<float2> particles;
};

class DeviceFilter {
 public:
  DeviceFilter(const Scene& scene, const std::vector<float2>& particles, const std::vector<unsigned>& states)
      : scene_(scene),
        particles_(particles),
        states_(states),
        picture_(static_cast<size_t>(scene.width) * scene.width),
        moved_(scene.count),
        weights_(scene.count),
        sums_(scene.count),
        totals_(scene.count / kThreads),
        parents_(scene.count) {}

  Result filter(const std::vector<Pixel>& picture, float comb_offset) {
    const int blocks = scene_.count / kThreads;
    picture_.upload(picture);
    move_and_weigh<<<blocks, kThreads>>>(picture_.get(), scene_.width, particles_.get(), states_.get(), moved_.get(),
                                         weights_.get());
    workload::check_launch("move_and_weigh");
    sum_blocks<<<blocks, kThreads>>>(weights_.get(), sums_.get(), totals_.get());
    workload::check_launch("sum_blocks");
    normalise_sums<<<blocks, kThreads>>>(totals_.get(), sums_.get());
    workload::check_launch("normalise_sums");
    resample<<<blocks, kThreads>>>(scene_.count, comb_offset, sums_.get(), moved_.get(), parents_.get(),
                                   particles_.get());
    workload::check_launch("resample");
    return {moved_.download(), weights_.download(), sums_.download(), parents_.download(), particles_.download()};
  }

 private:
  Scene scene_;
  DeviceBuffer<float2> particles_;
  DeviceBuffer<unsigned> states_;
  DeviceBuffer<Pixel> picture_;
  DeviceBuffer<float2> moved_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<float> sums_;
  DeviceBuffer<float> totals_;
  DeviceBuffer<int> parents_;
};

bool near(double value, double expected, double tolerance) { return std::fabs(value - expected) <= tolerance; }

float2 step_on_host(unsigned& state) {
  for (;;) {
    const unsigned drawn = next_random(state);
    const double x = (drawn >> 20) / 2048.0 - 1.0;
    const double y = (drawn & 0xfff) / 2048.0 - 1.0;
    const double square = x * x + y * y;
    if (square == 0.0 || square >= 1.0) continue;
    const double scale = kStep * std::sqrt(-2.0 * std::log(square) / square);
    return float2{static_cast<float>(x * scale), static_cast<float>(y * scale)};
  }
}

// From the pixels that a disc at this place would cover, row by row, and the likelihoods themselves, for a noise of
// unit variance. These are multiples of one half, so exact.
double weight_on_host(const std::vector<Pixel>& picture, int width, float2 at) {
  const int centre_x = static_cast<int>(std::floor(at.x));
  const int centre_y = static_cast<int>(std::floor(at.y));
  const double clean = 0.5 * kContrast * kContrast;  // a pixel's ratio, positive on a disc and negative elsewhere
  double ratio = 0.0;
  int pixels = 0;
  for (const int dy : {0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5}) {
    for (int dx = -kRadius; dx <= kRadius; ++dx) {
      if (dx * dx + dy * dy > kRadius * kRadius) continue;
      const int x = centre_x + dx;
      const int y = centre_y + dy;
      const bool inside = x >= 0 && x < width && y >= 0 && y < width;
      const double above = inside ? picture[y * width + x] - kBackground : 0.0;
      ratio += 0.5 * (std::pow(above, 2) - std::pow(above - kContrast, 2));
      ++pixels;
    }
    if (ratio < -0.5 * clean * pixels) return std::exp(-kSharpness);
  }
  return std::exp(0.5 * kSharpness * (ratio / (clean * pixels) - 1.0));
}

// Checks one frame stage by stage: each from what the device had before it, since a rounding in one of them may send a
// particle's children elsewhere. `states` go on as the device's must.
std::string check(const Scene& scene, const std::vector<Pixel>& picture, float comb_offset,
                  const std::vector<float2>& before, std::vector<unsigned>& states, const Result& result) {
  double total = 0.0;
  for (const float weight : result.weights) total += weight;
  double sum = 0.0;
  for (int i = 0; i < scene.count; ++i) {
    const std::string particle = "particle " + std::to_string(i);
    const float2 step = step_on_host(states[i]);
    const float2 moved = result.moved[i];
    if (!near(moved.x, before[i].x + step.x, 1e-4) || !near(moved.y, before[i].y + step.y, 1e-4)) {
      return particle + " moves wrongly";
    }
    const double weight = weight_on_host(picture, scene.width, moved);
    if (!near(result.weights[i], weight, 1e-4 * weight)) return particle + " is weighed wrongly";
    sum += result.weights[i];
    if (!near(result.sums[i], sum / total, 1e-5)) {
      return "sum " + std::to_string(i) + " is " + std::to_string(result.sums[i]) + ", expected " +
             std::to_string(sum / total);
    }
    const float tooth = (static_cast<float>(i) + comb_offset) / static_cast<float>(scene.count);
    const int parent = result.parents[i];
    if (parent < 0 || parent >= scene.count || (parent > 0 && result.sums[parent - 1] >= tooth) ||
        (parent < scene.count - 1 && result.sums[parent] < tooth)) {
      return "tooth " + std::to_string(i) + " does not fall on particle " + std::to_string(parent);
    }
    const float2 child = result.particles[i];
    if (child.x != result.moved[parent].x || child.y != result.moved[parent].y) return particle + " is not its parent";
  }
  return "";
}

double distance_to_disc(const Scene& scene, int frame, const std::vector<float2>& particles) {
  double x = 0.0;
  double y = 0.0;
  for (const float2& particle : particles) {
    x += particle.x / scene.count;
    y += particle.y / scene.count;
  }
  const float2 at = true_position(scene, frame);
  return std::sqrt((x - at.x) * (x - at.x) + (y - at.y) * (y - at.y));
}

}  // namespace

int main(int argc, char** argv) {
  const workload::Options options = workload::parse_grid_options(kProgram, argc, argv, false);
  const workload::Grid grid =
      workload::grid_of(options, kThreads, workload::by_size(options.size, 1024u, 8192u, 32768u));
  const Scene scene{workload::by_size(options.size, 64, 128, 128), static_cast<int>(grid.threads),
                    workload::by_size(options.size, 3, 9, 14)};
  Random random(options.seed);
  std::vector<float2> particles(scene.count);
  std::vector<unsigned> states(scene.count);
  const float2 start = true_position(scene, 0);
  for (int i = 0; i < scene.count; ++i) {  // where the disc is at first, is known to within some pixels
    particles[i] = float2{start.x + 16.0f * (random.unit() - 0.5f), start.y + 16.0f * (random.unit() - 0.5f)};
    states[i] = 1 + random.below(0xffffffffU);
  }
  DeviceFilter device(scene, particles, states);
  std::string why;
  double distance = 0.0;
  for (int frame = 0; frame < scene.frames && why.empty(); ++frame) {
    const std::vector<Pixel> picture = take_picture(scene, frame, random);
    const float comb_offset = random.unit();
    const Result result = device.filter(picture, comb_offset);
    why = check(scene, picture, comb_offset, particles, states, result);
    if (!why.empty()) why = "frame " + std::to_string(frame) + ": " + why;
    particles = result.particles;
    distance = distance_to_disc(scene, frame, particles);
  }
  std::printf("particlefilter: %d particles, %d frames, %.2f pixels off at the end\n", scene.count, scene.frames,
              distance);
  if (why.empty() && !(distance <= kRadius)) why = "the disc is lost";
  return workload::verdict(why);
}
