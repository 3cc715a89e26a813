#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/des/running_part.h"
#include "core/results/result_table.h"

namespace ergode {

/// Tables of a model that depend on nothing drawn, worked out by whoever asks first. Who gives up leaves nothing
/// behind. Any thread.
class TablesOnce {
 public:
  /// Looks whether to go on; to be called now and then. @throws GivenUp  it is not.
  using Look = std::function<void()>;

  /// @param make  makes them, given a Look
  /// @returns whether they are there
  template <class Make>
  bool work_out(const std::function<bool()>& give_up, const Make& make) {
    const std::lock_guard lock(working_);
    if (there_) return true;
    try {
      tables_ = make(Look([&give_up] {
        if (give_up && give_up()) throw GivenUp{};
      }));
    } catch (const GivenUp&) {
      return false;
    }
    return there_ = true;
  }
  /// Empty until they were worked out.
  std::vector<ResultTable> of(const std::string& solver) const {
    const std::lock_guard lock(working_);
    std::vector<ResultTable> out = tables_;
    for (ResultTable& table : out) table.solver = solver;
    return out;
  }

 private:
  mutable std::mutex working_;
  bool there_ = false;
  std::vector<ResultTable> tables_;
};

}  // namespace ergode
