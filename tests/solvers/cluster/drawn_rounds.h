#pragma once
#include <string>
#include <vector>

#include "core/base/read_file.h"
#include "core/random/random_stream.h"
#include "tests/solvers/cluster/drawn_hosts.h"
#include "tests/solvers/cluster/plain_drawn_rounds.h"

namespace ergode::test {

/// One round scheduler "grid".
struct DrawnRounds : DrawnHosts {
  explicit DrawnRounds(const std::string& horizon, Value properties = Value::object())
      : DrawnHosts("round_scheduler", "grid", horizon, std::move(properties)) {}
};

inline std::string text_in_seconds(double x) { return number_text(x, 17) + " s"; }

/// A column of words, or of numbers as text.
inline std::vector<std::string> words_of(const ResultTable& table, const std::string& label) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].label == label)
      for (const auto& row : table.rows) {
        const auto* word = std::get_if<std::string>(&row[i]);
        out.push_back(word != nullptr ? *word : number_text(std::get<double>(row[i]), 15));
      }
  return out;
}

/// Of the files of the example of rounds.
inline std::string text_of_rounds(const std::string& name) {
  return std::get<std::string>(read_text(std::string(ERGODE_SOURCE_DIR) + "/examples/25_fair_rounds/" + name));
}

/// When hosts fail and come back until a time: exponential laws, drawn from the scheduler's own stream.
inline std::vector<PlainDrawnRounds::Change> drawn_host_changes(ElementId scheduler, int hosts, double failure,
                                                                double repair, double until) {
  RandomStream draws(stream_key(1, scheduler.text() + ".host_failures"), 0);
  std::vector<double> next;
  std::vector<bool> up(static_cast<std::size_t>(hosts), true);
  for (int h = 0; h < hosts; ++h) next.push_back(failure * draws.exponential());
  std::vector<PlainDrawnRounds::Change> out;
  for (;;) {
    const auto h = static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
    const double at = next[h];
    if (at > until) return out;
    up[h] = !up[h];
    out.push_back({at, static_cast<int>(h), up[h]});
    next[h] = at + (up[h] ? failure : repair) * draws.exponential();
  }
}

}  // namespace ergode::test
