#pragma once
#include <set>
#include <string>
#include <tuple>

#include "core/base/diagnostic.h"

namespace ergode {

/// What a growing list of diagnostics complains about already: the same code at the same property of the same element.
/// Only what was appended since the last question is looked at, so asking for each of n costs O(n log n) together.
///
///     KnownProblems known;
///     if (!known.contain(problems, "EXP002", element, "rate")) problems.push_back(...);
class KnownProblems {
 public:
  /// @param problems  always the same list; entries are only appended between two questions.
  /// @returns whether it has such a one. O(log n) besides what is new.
  bool contain(const Diagnostics& problems, const std::string& code, ElementId element, const std::string& pointer) {
    for (; seen_ < problems.size(); ++seen_)
      known_.emplace(problems[seen_].element, problems[seen_].code, problems[seen_].pointer);
    return known_.contains({element, code, pointer});
  }

 private:
  std::size_t seen_ = 0;
  std::set<std::tuple<ElementId, std::string, std::string>> known_;
};

}  // namespace ergode
