#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/results/split.h"

// Who decides for charts while they run, and who is told of what they do.
namespace ergode {

/// Decides joint demand failures of components; implemented by whoever knows the common-cause groups.
class DemandSource {
 public:
  virtual ~DemandSource() = default;
  /// The part that a failure of this demand, now, on this component belongs to; no_failure: it succeeds. All demands of
  /// one moment on a group are one joint demand: the answer for a component is the same however often it is asked at
  /// that moment.
  /// @param cause  number in CompiledModel::cause_names
  virtual SplitPart demand(std::uint32_t instance, std::uint32_t cause, double now_s) = 0;
};

/// Chooses among the branches of a choice; implemented by whoever explores all of them or draws them by another law.
class ChanceSource {
 public:
  virtual ~ChanceSource() = default;
  /// @param branches       their transitions, by number in the chart of the instance.
  /// @param probabilities of the branches in order, each in [0, 1]; `else` has what the others lack to one. Without an
  /// `else` nobody has checked that they sum to one where they are no constants.
  /// @returns the number of the branch that is taken, below branches.size().
  virtual std::size_t choose(std::uint32_t instance, std::span<const std::uint32_t> branches,
                             std::span<const double> probabilities) = 0;
};

/// Told where document order decides which component reacts first at one moment; implemented by whoever must know that
/// the order makes no difference. Told too much rather than too little: with a watcher every component that reads a
/// changed slot counts as about to react, whether a condition of its turned true or not.
class OrderWatcher {
 public:
  virtual ~OrderWatcher() = default;
  /// These components, two or more, may all be about to react to changed conditions. In no particular order.
  virtual void reacting(std::span<const std::uint32_t> instances) = 0;
  /// These components, two or more, are about to be offered an event from outside, one after the other.
  struct Offer {
    std::uint32_t instance = 0, event = 0;
  };
  virtual void receiving(std::span<const Offer> offers) = 0;
};

/// Told of every transition that is taken; only where somebody watches a single history.
class TransitionListener {
 public:
  virtual ~TransitionListener() = default;
  /// @param row  transition_base of the component + number of the transition in its chart.
  virtual void taken(std::size_t row, double now_s) = 0;
};

/// Told of every event as it is raised, sent or recorded; only when something counts events. An event sent to many is
/// told once, and one that is sent with a delay when it is sent.
class EventListener {
 public:
  virtual ~EventListener() = default;
  /// In the middle of a step. @param event  number in CompiledModel::event_names
  virtual void event(std::uint32_t event, double now_s) = 0;
};

}  // namespace ergode
