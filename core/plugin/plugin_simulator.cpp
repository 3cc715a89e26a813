#include "core/plugin/plugin_simulator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/plugin/plugin_registry.h"

namespace ergode {
namespace {

PluginRegistry<SimulatorPlugin>& simulator_registry() {
  static PluginRegistry<SimulatorPlugin> all;
  return all;
}

}  // namespace

const std::vector<SimulatorPlugin>& simulator_plugins() { return simulator_registry().all(); }
const SimulatorPlugin* find_simulator_plugin(std::string_view name) { return simulator_registry().find(name); }
void register_simulator_plugin(SimulatorPlugin plugin) { simulator_registry().add(std::move(plugin)); }

SimulatorListener::SimulatorListener(const PluginManifest& manifest, SimulatorNews& news, bool keeps_tables)
    : manifest_(manifest), news_(news), keeps_tables_(keeps_tables), times_(manifest.simulator->outputs.size(), 0) {
  news = {};
  news.once.resize(times_.size(), 0.0);
  news.observations.resize(times_.size());
  news.rows.resize(manifest.simulator->tables.size());
}

void SimulatorListener::observe(std::size_t output, std::span<const double> values) {
  times_[output] += values.size();
  if (manifest_.simulator->outputs[output].kind == PluginOutput::Kind::observations)
    news_.observations[output].insert(news_.observations[output].end(), values.begin(), values.end());
  else if (!values.empty()) news_.once[output] = values.back();
}

void SimulatorListener::row(std::size_t table, std::vector<ResultTable::Cell> cells) {
  if (!keeps_tables_) return;
  news_.rows.add(table, std::move(cells));
}

void SimulatorListener::told(Diagnostic what) {
  if (keeps_tables_ && news_.told.size() < most_told_by_plugin) news_.told.push_back(std::move(what));
}

void SimulatorListener::close(std::uint64_t replication) const {
  for (std::size_t i = 0; i < times_.size(); ++i) {
    const PluginOutput& output = manifest_.simulator->outputs[i];
    if (output.kind == PluginOutput::Kind::observations) continue;
    const double value = news_.once[i];
    std::string wrong;
    if (times_[i] != 1) wrong = "observed " + output.name + " " + std::to_string(times_[i]) + " times; wanted once";
    else if (output.kind == PluginOutput::Kind::indicator && value != 0.0 && value != 1.0)
      wrong = "observed " + number_text(value, 12) + " as " + output.name + "; wanted 0 or 1 of an indicator";
    else if (output.kind == PluginOutput::Kind::count && (value < 0.0 || value != std::floor(value)))
      wrong = "observed " + number_text(value, 12) + " as " + output.name + "; wanted a whole number of a count";
    if (!wrong.empty())
      throw PluginFailure({.code = "PLG022",
                           .message = "The plugin " + manifest_.name + " " + wrong + ", in replication " +
                                      std::to_string(replication) + "."});
  }
  for (std::size_t t = 0; t < news_.rows.told.size(); ++t)
    if (news_.rows.told[t] > most_plugin_rows)
      news_.told.push_back({.severity = Severity::warning,
                            .code = "PLG028",
                            .message = "The table " + manifest_.simulator->tables[t].name + " of the plugin " +
                                       manifest_.name + " has " + std::to_string(news_.rows.told[t]) +
                                       " rows, of which the first " + std::to_string(most_plugin_rows) + " are kept.",
                            .hint = "Ask it for less; what it measures is of all of them."});
}

namespace {

/// Takes the first row away: its words are the labels of the columns that stay. One without a word stays as a row.
/// @returns whether it was taken.
bool name_columns(ResultTable& table) {
  const auto word_of = [](const ResultTable::Cell& cell) {
    const auto* const word = std::get_if<std::string>(&cell);
    return word != nullptr && !word->empty() ? word : nullptr;
  };
  if (table.rows.empty() || std::none_of(table.rows[0].begin(), table.rows[0].end(), word_of)) return false;
  const std::vector<ResultTable::Cell> names = std::move(table.rows.front());
  table.rows.erase(table.rows.begin());
  std::size_t kept = 0;
  for (std::size_t at = 0; at < names.size(); ++at) {
    const std::string* const word = word_of(names[at]);
    if (word == nullptr) continue;
    table.columns[kept] = {*word, table.columns[at].unit};
    for (auto& row : table.rows)
      if (kept != at) row[kept] = std::move(row[at]);
    ++kept;
  }
  table.columns.resize(kept);
  for (auto& row : table.rows) row.resize(kept);
  return true;
}

}  // namespace

ResultTable table_of_plugin(const PluginManifest& manifest, const std::vector<PluginTable>& tables, std::size_t number,
                            const PluginRows& rows, std::string name, const std::string& where) {
  const PluginTable& like = tables[number];
  ResultTable out{.name = std::move(name), .title = like.title + where, .solver = manifest.name};
  for (const PluginTable::Column& column : like.columns) out.columns.push_back({column.label, column.unit});
  out.scatter = like.scatter;
  out.rows = rows.kept[number];
  const std::size_t names = like.first_row_names && name_columns(out) ? 1 : 0;
  if (rows.told[number] > most_plugin_rows)
    out.note =
        "The first " + std::to_string(out.rows.size()) + " of " + std::to_string(rows.told[number] - names) + " rows.";
  return out;
}

}  // namespace ergode
