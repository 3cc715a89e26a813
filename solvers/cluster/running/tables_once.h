#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/des/running_part.h"
#include "core/results/result_table.h"

namespace ergode {

/// Tables of a model that depend on nothing drawn. What they tell is worked out by whoever asks first, and kept; who
/// gives up leaves nothing behind. Tables themselves are made for each who wants them, since rows take many times the
/// memory of a schedule. Any thread.
class TablesOnce {
 public:
  using Tables = std::function<std::vector<ResultTable>()>;
  /// Looks whether to go on; to be called now and then. @throws GivenUp  it is not.
  using Look = std::function<void()>;

  /// @param until_s  the end of the run that they tell of [s]: for another one they are worked out anew
  /// @param make     given a Look, works out what makes them
  /// @returns whether they are there
  template <class Make>
  bool work_out(const std::function<bool()>& give_up, double until_s, const Make& make) {
    const std::lock_guard lock(working_);
    if (there_ && until_s_ == until_s) return true;
    there_ = false;
    try {
      tables_ = make(Look([&give_up] {
        if (give_up && give_up()) throw GivenUp{};
      }));
    } catch (const GivenUp&) {
      return false;
    }
    until_s_ = until_s;
    return there_ = true;
  }
  /// Empty until they were worked out.
  std::vector<ResultTable> of(const std::string& solver) const {
    const std::lock_guard lock(working_);
    std::vector<ResultTable> out;
    if (there_) out = tables_();
    for (ResultTable& table : out) table.solver = solver;
    return out;
  }

 private:
  mutable std::mutex working_;
  bool there_ = false;
  double until_s_ = 0.0;
  Tables tables_;
};

}  // namespace ergode
