// SPDX-License-Identifier: Apache-2.0
// Functions that neither the hardware nor libclc has: Bessel's, and the error function's inverse and scaled forms.
// Series, recurrences and Newton's method in double precision; the float forms are those rounded.
#pragma once

// J and Y of orders 0 and 1 for 0 < x < 25. Miller's backward recurrence, normalised by 1 = J0 + 2 (J2 + J4 + …); Y by
// Neumann's series of the same J (Abramowitz and Stegun 9.1.46 and 9.1.88).
WARPFOLD_LOCAL void warpfold_bessel_small(double x, double* j, double* y) {
  double above = 0.0, here = 1e-300, norm = 0.0, even = 0.0, odd = 0.0;
  for (int n = 2 * (static_cast<int>(0.65 * x) + 16); n > 0;) {
    const double below = 2 * n / x * here - above;
    above = here;
    here = below;
    --n;
    const double sign = (n & 2) != 0 ? 1.0 : -1.0;  // of k = n/2, minus (-1)^k
    const int k = n / 2;
    if ((n & 1) == 0 && n > 0) {
      norm += 2 * here;
      even += sign * here / k;
    } else if (n > 1) {
      odd += sign * here * n / (static_cast<double>(k) * (k + 1));
    }
    if (__builtin_fabs(here) > 1e250) {
      here *= 1e-250, above *= 1e-250, norm *= 1e-250, even *= 1e-250, odd *= 1e-250;
    }
  }
  norm += here;
  j[0] = here / norm;
  j[1] = above / norm;
  constexpr double two_over_pi = 0.63661977236758134, euler = 0.57721566490153286;
  const double log = __nv_log(0.5 * x) + euler;
  y[0] = two_over_pi * (log * j[0] + 2 * even / norm);
  y[1] = two_over_pi * ((log - 1) * j[1] - j[0] / x + odd / norm);
}

// For x of 25 and more: Hankel's asymptotic series.
WARPFOLD_LOCAL void warpfold_bessel_large(double x, int order, double* j, double* y) {
  double p = 1.0, q = 0.0, term = 1.0;
  for (int k = 1; k <= 20; ++k) {
    term *= (4 * order - (2 * k - 1) * (2 * k - 1)) / (8 * x * k);
    const double signed_term = (k & 2) != 0 ? -term : term;
    if ((k & 1) != 0)
      q += signed_term;
    else
      p += signed_term;
  }
  double s, c;
  __nv_sincos(x, &s, &c);
  const double cosine = order == 0 ? c + s : s - c, sine = order == 0 ? s - c : -s - c;  // √2 of the shifted angle's
  const double scale = __nv_sqrt(1.0 / (3.14159265358979324 * x));
  *j = scale * (p * cosine - q * sine);
  *y = scale * (p * sine + q * cosine);
}

// x > 0, order 0 or 1.
WARPFOLD_LOCAL void warpfold_bessel(double x, int order, double* j, double* y) {
  if (x < 25.0) {
    if (x < 1e-8) {
      *j = order == 0 ? 1.0 : 0.5 * x;
      *y = order == 0 ? 0.63661977236758134 * (__nv_log(0.5 * x) + 0.57721566490153286) : -0.63661977236758134 / x;
      return;
    }
    double both_j[2], both_y[2];
    warpfold_bessel_small(x, both_j, both_y);
    *j = order == 0 ? both_j[0] : both_j[1];
    *y = order == 0 ? both_y[0] : both_y[1];
  } else if (x == __builtin_inf()) {
    *j = *y = 0.0;
  } else {
    warpfold_bessel_large(x, order, j, y);  // NaN stays
  }
}

// Terms of the power series of I0 (order 0) and I1 below 20, of the asymptotic one above.
WARPFOLD_LOCAL double warpfold_bessel_i(double x, int order) {
  if (x < 20.0) {
    const double t = 0.25 * x * x;
    double term = order == 0 ? 1.0 : 0.5 * x, sum = term;
    for (int k = 1; term > sum * 1e-17; ++k) sum += term *= t / (static_cast<double>(k) * (k + order));
    return sum;
  }
  double term = 1.0, sum = 1.0;
  for (int k = 1; k <= 24; ++k) sum += term *= ((2 * k - 1) * (2 * k - 1) - 4 * order) / (8 * x * k);
  const double half = __nv_exp(0.5 * x);
  return x == __builtin_inf() ? x : half * (sum / __nv_sqrt(6.28318530717958648 * x)) * half;
}

// Γ of x > 0: Stirling's series at 16 and above, and what x + n loses to rounding by Γ's slope.
WARPFOLD_LOCAL double warpfold_gamma_positive(double x) {
  double product = 1.0, n = 0.0;
  for (; x + n < 16.0; n += 1.0) product *= x + n;
  const double a = x + n, lost = n == 0.0 ? 0.0 : (n > x ? x - (a - n) : n - (a - x)), r = 1.0 / a, r2 = r * r;
  double series = -0.00059523809523809524 + r2 * 0.00084175084175084175;
  series = 0.00079365079365079365 + r2 * series;
  series = -0.0027777777777777778 + r2 * series;
  series = r * (0.083333333333333333 + r2 * series) + lost * (__nv_log(a) - 0.5 * r);
  const double half = __nv_pow(a, 0.5 * a - 0.25);  // all of the power would overflow before Γ does
  return half * (2.50662827463100050 * __nv_exp(series) * __nv_exp(-a)) * half / product;
}

// y with erfc(y) = x, for x in (0, 1]: Winitzki's approximation, then Halley's method, which triples the digits.
WARPFOLD_LOCAL double warpfold_erfcinv_positive(double x) {
  const double log = __nv_log(x * (2.0 - x)), t = 4.33074675 + 0.5 * log;
  double y = __nv_sqrt(__nv_sqrt(t * t - log / 0.147) - t);
  for (int step = 0; step < 4; ++step) {
    const double u = (__nv_erfc(y) - x) * -0.886226925452758014 * __nv_exp(y * y);
    y -= u / (1.0 + u * y);
  }
  return y;
}

extern "C" {

WARPFOLD_DEVICE double __nv_j0(double x) {
  double j, y;
  warpfold_bessel(__builtin_fabs(x), 0, &j, &y);
  return j;
}
WARPFOLD_DEVICE double __nv_j1(double x) {
  double j, y;
  warpfold_bessel(__builtin_fabs(x), 1, &j, &y);
  return x < 0 ? -j : j;
}
WARPFOLD_DEVICE double __nv_y0(double x) {
  double j, y;
  warpfold_bessel(x, 0, &j, &y);
  return x < 0 ? __builtin_nan("") : x == 0 ? -__builtin_inf() : y;
}
WARPFOLD_DEVICE double __nv_y1(double x) {
  double j, y;
  warpfold_bessel(x, 1, &j, &y);
  return x < 0 ? __builtin_nan("") : x == 0 ? -__builtin_inf() : y;
}

// Upwards where that is stable, up to order x; from above it downwards.
WARPFOLD_DEVICE double __nv_jn(int order, double x) {
  const bool negative = (order & 1) != 0 && (order < 0) != (x < 0);
  const int n = order < 0 ? -order : order;
  const double a = __builtin_fabs(x);
  double result;
  if (n == 0) {
    result = __nv_j0(a);
  } else if (a == 0) {
    result = 0;
  } else if (!(n > a)) {
    double below = __nv_j0(a);
    result = __nv_j1(a);
    for (int k = 1; k < n; ++k) {
      const double above = 2 * k / a * result - below;
      below = result;
      result = above;
    }
  } else {
    double above = 0.0, here = 1e-300, norm = 0.0;
    result = 0;
    for (int k = 2 * ((n + static_cast<int>(__nv_sqrt(160.0 * n))) / 2); k > 0;) {
      const double below = 2 * k / a * here - above;
      above = here;
      here = below;
      --k;
      if (k == n) result = here;
      if ((k & 1) == 0) norm += k == 0 ? here : 2 * here;
      if (__builtin_fabs(here) > 1e150) here *= 1e-150, above *= 1e-150, norm *= 1e-150, result *= 1e-150;
    }
    result /= norm;
  }
  return negative ? -result : result;
}
WARPFOLD_DEVICE double __nv_yn(int order, double x) {
  const int n = order < 0 ? -order : order;
  double below = __nv_y0(x), result = n == 0 ? below : __nv_y1(x);
  for (int k = 1; k < n && result != -__builtin_inf(); ++k) {
    const double above = 2 * k / x * result - below;
    below = result;
    result = above;
  }
  return order < 0 && (n & 1) != 0 ? -result : result;
}
WARPFOLD_DEVICE double __nv_cyl_bessel_i0(double x) { return warpfold_bessel_i(__builtin_fabs(x), 0); }
WARPFOLD_DEVICE double __nv_cyl_bessel_i1(double x) {
  const double i = warpfold_bessel_i(__builtin_fabs(x), 1);
  return x < 0 ? -i : i;
}

WARPFOLD_DEVICE double __nv_erfcinv(double x) {
  if (!(x >= 0 && x <= 2)) return __builtin_nan("");
  if (x == 0 || x == 2) return x == 0 ? __builtin_inf() : -__builtin_inf();
  return x <= 1 ? warpfold_erfcinv_positive(x) : -warpfold_erfcinv_positive(2.0 - x);
}
// By erf where 1 − x would lose digits of x.
WARPFOLD_DEVICE double __nv_erfinv(double x) {
  const double a = __builtin_fabs(x);
  if (a >= 0.5 || x != x) return __nv_copysign(__nv_erfcinv(1.0 - a), x);
  double y = x * 0.886226925452758014;
  for (int step = 0; step < 4; ++step) {
    const double u = (__nv_erf(y) - x) * 0.886226925452758014 * __nv_exp(y * y);
    y -= u / (1.0 + u * y);
  }
  return a < 1e-10 ? x * 0.886226925452758014 : y;
}
WARPFOLD_DEVICE double __nv_normcdfinv(double x) { return -1.41421356237309505 * __nv_erfcinv(2.0 * x); }

// By reflection below 1/2.
WARPFOLD_DEVICE double __nv_tgamma(double x) {
  if (x >= 0.5) return x > 172.0 ? __builtin_inf() : warpfold_gamma_positive(x);
  if (x == 0.0) return 1.0 / x;
  if (x < 0.0 && __builtin_floor(x) == x) return __builtin_nan("");
  if (!(x > -185.0)) return x < 0.0 ? 0.0 : x;
  if (__builtin_fabs(x) < 1e-17) return 1.0 / x;
  return 3.14159265358979324 / (__nv_sinpi(x) * warpfold_gamma_positive(1.0 - x));
}

// e^(x²) erfc(x): the continued fraction from 2 on, below it the product with the square in two parts.
WARPFOLD_DEVICE double __nv_erfcx(double x) {
  if (x >= 2.0) {
    double f = x;
    for (int k = 60; k > 0; --k) f = x + 0.5 * k / f;
    return 0.564189583547756287 / f;
  }
  const double square = x * x, rest = __builtin_fma(x, x, -square);
  return x < -27.0 ? __builtin_inf() : __nv_exp(square) * (1.0 + rest) * __nv_erfc(x);
}
// erfc at the rounded argument, and its slope times what the rounding took away.
WARPFOLD_DEVICE double __nv_normcdf(double x) {
  const double z = x * -0.70710678118654752;
  const double lost = __builtin_fma(x, -0.70710678118654752, -z) + x * 4.8336466567264568e-17;
  const double ordinary = __nv_erfc(z);
  if (!(__builtin_fabs(z) < 27.0)) return 0.5 * ordinary;
  return 0.5 * (ordinary - 1.12837916709551257 * __nv_exp(-z * z) * lost);
}

#define WARPFOLD_AS_DOUBLE(name) \
  WARPFOLD_DEVICE float __nv_##name##f(float x) { return static_cast<float>(__nv_##name(static_cast<double>(x))); }
WARPFOLD_AS_DOUBLE(j0)
WARPFOLD_AS_DOUBLE(j1)
WARPFOLD_AS_DOUBLE(y0)
WARPFOLD_AS_DOUBLE(y1)
WARPFOLD_AS_DOUBLE(cyl_bessel_i0)
WARPFOLD_AS_DOUBLE(cyl_bessel_i1)
WARPFOLD_AS_DOUBLE(erfinv)
WARPFOLD_AS_DOUBLE(erfcinv)
WARPFOLD_AS_DOUBLE(normcdfinv)
WARPFOLD_AS_DOUBLE(erfcx)
WARPFOLD_AS_DOUBLE(tgamma)
WARPFOLD_AS_DOUBLE(normcdf)
#undef WARPFOLD_AS_DOUBLE
WARPFOLD_DEVICE float __nv_jnf(int n, float x) { return static_cast<float>(__nv_jn(n, static_cast<double>(x))); }
WARPFOLD_DEVICE float __nv_ynf(int n, float x) { return static_cast<float>(__nv_yn(n, static_cast<double>(x))); }

}  // extern "C"
