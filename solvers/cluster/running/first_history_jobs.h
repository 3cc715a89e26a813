#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/results/result_table.h"
#include "solvers/cluster/model/table_names.h"

namespace ergode {

/// What became of the jobs of the first history of a run, a row each, place by place (a rental, a pool): written by the
/// thread that runs it, read when the run is over. Only who began last writes. Of each place the first `most_jobs`.
/// @tparam Row  has `stream` and `number`, the latter among those of its stream
template <typename Row>
class FirstHistoryJobs {
 public:
  static constexpr std::size_t most_jobs = 100'000;
  static constexpr std::uint32_t no_row = ~0U;

  /// Jobs of a place that have no row; 0 where nothing was written.
  std::size_t left_out(std::size_t place) const {
    const std::lock_guard lock(mutex_);
    return place < places_.size() ? places_[place].untold : 0;
  }

 protected:
  struct Place {
    std::vector<Row> rows;
    std::size_t untold = 0;  ///< further jobs
  };

  /// A history that is written down begins. Whoever wrote before is forgotten, and what he says is passed over.
  void forget(const void* writer, std::size_t places, std::size_t streams) {
    const std::lock_guard lock(mutex_);
    writer_ = writer;
    places_.assign(places, {}), came_.assign(streams, 0);
  }
  /// @returns the place of the row, to be told what becomes of it; no_row: it has none. Amortised O(1).
  std::uint32_t add(const void* writer, std::uint32_t place, Row row) {
    const std::lock_guard lock(mutex_);
    if (writer != writer_) return no_row;
    Place& one = places_[place];
    row.number = came_[row.stream]++;
    if (one.rows.size() == most_jobs) {
      ++one.untold;
      return no_row;
    }
    one.rows.push_back(std::move(row));
    return static_cast<std::uint32_t>(one.rows.size() - 1);
  }
  /// Precondition: `row` is no_row or one that add() gave for this place. O(1).
  template <typename Change>
  void change(const void* writer, std::uint32_t place, std::uint32_t row, const Change& what) {
    const std::lock_guard lock(mutex_);
    if (writer == writer_ && row != no_row) what(places_[place].rows[row]);
  }
  /// What a row is called: where several streams come to a place with that of its stream, as numbers repeat among them.
  /// @param name  among those of its stream
  template <typename Model>
  static std::string name_of(const Model& model, bool several, const Row& row, const std::string& name) {
    return several ? model.streams[row.stream].name + "/" + name : name;
  }
  /// The table of a place to which somebody came, by `fill(table, row)`; in the order in which jobs came.
  template <typename Fill>
  ResultTable table_of(std::size_t place, const std::string& name, const TableNames& names, const std::string& solver,
                       const std::vector<std::string>& columns, std::string note, const Fill& fill) const {
    const Place& seen = places_[place];
    ResultTable out{
        .name = "jobs" + names.suffix(name), .title = "Jobs of the first history at " + name, .solver = solver};
    for (const std::string& column : columns) out.columns.push_back({column});
    for (const Row& row : seen.rows) out.rows.push_back(fill(row));
    out.note = std::move(note);
    if (seen.untold > 0) out.note += " " + std::to_string(seen.untold) + " further jobs are left out.";
    return out;
  }

  mutable std::mutex mutex_;
  std::vector<Place> places_;

 private:
  const void* writer_ = nullptr;
  std::vector<std::uint64_t> came_;  ///< by stream
};

}  // namespace ergode
