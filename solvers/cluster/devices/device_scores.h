#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/random/random_stream.h"
#include "solvers/cluster/devices/device_profiles.h"

namespace ergode {

/// Classes of applications, by what limits them: A compute (ResNet-50), B and C in between (BERT), D memory (PageRank).
/// Jain et al., PAL: A variability-aware policy for scheduling ML workloads in GPU clusters, SC 2024.
inline constexpr std::size_t application_classes = 4;
/// What a job of the class pays for devices of several nodes, as published.
inline constexpr std::array<double, application_classes> published_locality_penalties{1.16, 1.0, 1.0, 1.10};

template <typename T>
using ByClass = std::array<T, application_classes>;

/// How devices differ and how a device's classes hang together: quantile functions, joined by a Gaussian copula of
/// given rank correlations. Nelsen, An Introduction to Copulas, 2006. A device that is slow for A is then slow for B.
class ScoreLaw {
 public:
  /// Rank correlations (Spearman) of classes: 0.7 among A, B and C, none with D. An assumption.
  static ByClass<ByClass<double>> assumed_correlations();
  /// Precondition: a positive definite matrix of the correlations 2 sin(pi r / 6) that belong to them.
  ScoreLaw(ByClass<SlownessProfile> profiles, const ByClass<ByClass<double>>& rank_correlations);
  explicit ScoreLaw(ByClass<SlownessProfile> profiles) : ScoreLaw(std::move(profiles), assumed_correlations()) {}

  /// Slowdown of one device in each class. Four draws.
  ByClass<double> draw(RandomStream& stream) const;
  /// @param of_a  to which quantile of class A it belongs, as a standard normal number
  ByClass<double> draw(RandomStream& stream, double& of_a) const;
  const ByClass<SlownessProfile>& profiles() const { return profiles_; }

 private:
  ByClass<SlownessProfile> profiles_;
  ByClass<ByClass<double>> factor_;  ///< lower triangle L of the correlations L L'
};

}  // namespace ergode
