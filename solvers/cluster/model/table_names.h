#pragma once
#include <string>

namespace ergode {

/// What tables of a place that runs jobs are called: jobs, gantt. Where a drawing has several such places, of whatever
/// kind, each has tables of its own, as jobs_pool, so that no two of a run have one name.
struct TableNames {
  bool several_places = false;
  /// After the name of a table: the name of its place, where that is told apart.
  std::string suffix(const std::string& place) const { return several_places ? "_" + place : std::string(); }
};

}  // namespace ergode
