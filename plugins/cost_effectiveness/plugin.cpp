// The plugin: reads the tables, plans, and tells all that is known. Nothing is drawn at random.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/cost_effectiveness/engine/plans.h"
#include "plugins/cost_effectiveness/engine/scores.h"
#include "plugins/support/bad_input.h"
#include "plugins/support/csv_table.h"

namespace cost_effectiveness {
namespace {

using plugin_support::CsvTable;
using plugin_support::file_content;

// Indices of the lists in plugin.json.
struct P {
  enum : std::uint32_t {
    experiments,
    instances,
    services,
    answers,
    reference,
    scaling,
    objectives,
    rate,
    servers,
    most_time,
    most_cost,
    worst_score,
    score_sense,
    further,
    all
  };
};
struct Out {
  enum : std::uint32_t { feasible, front_size, best_cost, best_time, best_score };
};
struct Tables {
  enum : std::uint32_t { recommended, front, plans, break_even, sensitivity, scores };
};

/// Four models of 4 bits on one A100; instances and services as CEBench priced them in June 2024.
const std::vector<Experiment> usual_experiments = {
    {"7B", 1.9, 4.6, 5.5}, {"8B", 2.1, 4.1, 6.1}, {"13B", 3.2, 4.4, 9.0}, {"70B", 11.5, 3.6, 41.8}};
const std::vector<CloudInstance> usual_instances = {{"P2", 8.22, 12, 1.326},
                                                    {"P3", 32.71, 16, 3.823},
                                                    {"G5", 31.52, 24, 1.515},
                                                    {"G6", 30.29, 16, 1.172},
                                                    {"A100", 77.97, 80, 4.777}};
const std::vector<TokenService> usual_services = {
    {"Haiku", .25, 1.25}, {"Sonnet", 3, 15}, {"Opus", 15, 75}, {"GPT-4", 10, 30}};

constexpr double greatest = 1e9;

void above_zero(const CsvTable& table, std::size_t row, std::size_t column) {
  if (!(table.number(row, column) > 0.0)) table.refuse(row, column, "a number above 0");
  // Products and quotients of three such numbers are far from the ends of doubles.
  if (!(table.number(row, column) >= 1e-9 && table.number(row, column) <= greatest))
    table.refuse(row, column, "a number from 1e-9 to 1e9");
}
void not_negative(const CsvTable& table, std::size_t row, std::size_t column) {
  if (!(table.number(row, column) >= 0.0)) table.refuse(row, column, "a number not below 0");
  if (!(table.number(row, column) <= greatest)) table.refuse(row, column, "a number of at most 1e9");
}

std::vector<FurtherObjective> read_further(const std::string& path) {
  enum Column : std::uint8_t { name, sense, limit };
  const CsvTable table(file_content(path), {{{"objective"}, true}, {{"sense"}, true}, {{"limit"}, true, false}});
  std::vector<FurtherObjective> out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    FurtherObjective one{table.text(row, name), table.text(row, sense) == "more", {}};
    if (!one.more && table.text(row, sense) != "less") table.refuse(row, sense, "less or more, which is better");
    for (const FurtherObjective& other : out)
      if (other.name == one.name) table.refuse(row, name, "each objective once");
    if (table.has(limit) && table.text(row, limit) != "none") {
      const std::string& text = table.text(row, limit);
      double bound = 0.0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound);
      if (error != std::errc() || end != text.data() + text.size() || !(std::fabs(bound) <= greatest))
        table.refuse(row, limit, "a number from -1e9 to 1e9, or none");
      one.limit = bound;
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<Experiment> read_experiments(const std::string& path, const std::vector<FurtherObjective>& further) {
  enum Column : std::uint8_t { name, time, score, memory, tokens_in, tokens_out, service, first_further };
  std::vector<plugin_support::CsvColumn> columns = {{{"experiment"}, true},
                                                    {{"time_s"}},
                                                    {{"score"}},
                                                    {{"memory_gib"}},
                                                    {{"tokens_in"}, false, false},
                                                    {{"tokens_out"}, false, false},
                                                    {{"service"}, true, false}};
  for (const FurtherObjective& one : further) columns.push_back({{one.name}});
  const CsvTable table(file_content(path), columns);
  std::vector<Experiment> out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    above_zero(table, row, time), not_negative(table, row, memory);
    Experiment one{table.text(row, name), table.number(row, time), table.number(row, score), table.number(row, memory)};
    for (const Column column : {tokens_in, tokens_out})
      if (table.has(column)) not_negative(table, row, column);
    if (table.has(tokens_in)) one.tokens_in = table.number(row, tokens_in);
    if (table.has(tokens_out)) one.tokens_out = table.number(row, tokens_out);
    if (table.has(service)) one.service = table.text(row, service);
    for (std::size_t f = 0; f < further.size(); ++f) {
      if (!(std::fabs(table.number(row, first_further + f)) <= greatest))
        table.refuse(row, first_further + f, "a number from -1e9 to 1e9");
      one.further.push_back(table.number(row, first_further + f));
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<CloudInstance> read_instances(const std::string& path) {
  enum Column : std::uint8_t { name, tflops, memory, price, bandwidth };
  const CsvTable table(
      file_content(path),
      {{{"instance"}, true}, {{"tflops"}}, {{"memory_gb"}}, {{"price_per_h"}}, {{"bandwidth_gb_s"}, false, false}});
  std::vector<CloudInstance> out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    above_zero(table, row, tflops), not_negative(table, row, memory), not_negative(table, row, price);
    if (table.has(bandwidth)) above_zero(table, row, bandwidth);
    out.push_back({table.text(row, name), table.number(row, tflops), table.number(row, memory),
                   table.number(row, price), table.has(bandwidth) ? table.number(row, bandwidth) : 0.0});
  }
  return out;
}

std::vector<TokenService> read_services(const std::string& path) {
  const CsvTable table(file_content(path), {{{"service"}, true}, {{"price_in"}}, {{"price_out"}}});
  std::vector<TokenService> out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    not_negative(table, row, 1), not_negative(table, row, 2);
    out.push_back({table.text(row, 0), table.number(row, 1), table.number(row, 2)});
  }
  return out;
}

/// What was answered in one experiment.
struct Answers {
  std::vector<int> truths;
  std::vector<std::optional<int>> scores;
  Confusion counts;
  std::size_t classes_unparsed = 0;
};
std::map<std::string, Answers> read_answers(const std::string& path) {
  enum Column : std::uint8_t { name, truth, answer };
  const CsvTable table(file_content(path), {{{"experiment"}, true}, {{"truth"}, true}, {{"answer"}, true}});
  std::map<std::string, Answers> out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Answers& to = out[table.text(row, name)];
    const std::string &is = table.text(row, truth), &said = table.text(row, answer);
    if (const auto wanted = entailment(is)) {
      const auto seen = entailment(said);
      Confusion& n = to.counts;
      double& cell = *wanted == 0 ? (!seen        ? n.first_unparsed
                                     : *seen == 0 ? n.first_as_first
                                                  : n.first_as_second)
                                  : (!seen        ? n.second_unparsed
                                     : *seen == 0 ? n.second_as_first
                                                  : n.second_as_second);
      cell += 1.0, to.classes_unparsed += seen ? 0 : 1;
      continue;
    }
    int value = -1;
    const auto [end, error] = std::from_chars(is.data(), is.data() + is.size(), value);
    constexpr int most = 24;
    if (error != std::errc() || end != is.data() + is.size() || value < 0 || value > most)
      table.refuse(row, truth, "a whole number from 0 to 24, Entailment or Contradiction");
    to.truths.push_back(value), to.scores.push_back(total_score(said));
  }
  return out;
}

class Study {
 public:
  Study(const ergode_input& input, const ergode_host& host) : input_(input), host_(host) {
    if (input.number_count < P::all) throw std::runtime_error("parameters are missing");
    json_ = nlohmann::json::parse(input.json, input.json + input.json_size, nullptr, false);
    q_.further = of_file("further", std::vector<FurtherObjective>(), read_further);
    if (!q_.further.empty() && file("experiments").empty())
      throw plugin_support::bad_parameter("further",
                                          "Further objectives are columns of experiments, and none are given.");
    q_.experiments = of_file("experiments", usual_experiments,
                             [this](const std::string& path) { return read_experiments(path, q_.further); });
    q_.instances = of_file("instances", usual_instances, read_instances);
    q_.services = of_file("services", usual_services, read_services);
    const auto row = static_cast<std::size_t>(number(P::reference));
    if (row > q_.instances.size())
      throw plugin_support::bad_parameter("reference",
                                          "There are " + std::to_string(q_.instances.size()) + " instances.");
    if (row > 0) q_.reference = q_.instances[row - 1].name;
    q_.scaling = static_cast<Scaling>(number(P::scaling));
    static const std::vector<std::vector<Objective>> objectives = {{Objective::score, Objective::cost},
                                                                   {Objective::score, Objective::time, Objective::cost},
                                                                   {Objective::time, Objective::cost},
                                                                   {Objective::score, Objective::time}};
    q_.objectives = objectives.at(static_cast<std::size_t>(number(P::objectives)));
    q_.rate_per_s = number(P::rate), q_.servers = static_cast<std::uint32_t>(number(P::servers));
    if (number(P::most_time) > 0.0) q_.most_time_s = number(P::most_time);
    if (number(P::most_cost) > 0.0) q_.most_cost = number(P::most_cost);
    if (number(P::worst_score) > 0.0) q_.worst_score = number(P::worst_score);
    q_.more_score = number(P::score_sense) != 0.0;
  }

  int32_t run() {
    const PlanAnswer answer = plans(q_);
    double feasible = 0.0, front = 0.0;
    for (const Plan& one : answer.plans) {
      feasible += one.why_not.empty() ? 1.0 : 0.0, front += one.on_front ? 1.0 : 0.0;
      tell(one);
    }
    observe(Out::feasible, feasible), observe(Out::front_size, front);
    if (answer.recommended) tell_recommended(answer.plans[*answer.recommended]);
    else host_.tell(host_.context, ERGODE_WARNING, nullptr, answer.why_none.c_str());
    break_even();
    sensitivity();
    if (!file("answers").empty()) scores(of_file("answers", std::map<std::string, Answers>(), read_answers));
    return ERGODE_OK;
  }

 private:
  double number(std::uint32_t index) const { return input_.numbers[index]; }
  std::string file(const char* name) const {
    return json_.is_object() && json_.contains(name) && json_[name].is_string() ? json_[name].get<std::string>() : "";
  }
  template <class Rows, class Read>
  Rows of_file(const char* name, const Rows& otherwise, const Read& read) const {
    const std::string path = file(name);
    if (path.empty()) return otherwise;
    try {
      return read(path);
    } catch (const std::invalid_argument& bad) {
      const std::string what = bad.what();
      throw plugin_support::bad_parameter(name, (what.find(path) != std::string::npos ? "" : path + ": ") + what + ".");
    }
  }
  void observe(std::uint32_t output, double value) const { host_.observe(host_.context, output, &value, 1); }
  void row(std::uint32_t table, const std::vector<ergode_cell>& cells) const {
    if (input_.replication == 0) host_.row(host_.context, table, cells.data(), cells.size());
  }
  static ergode_cell cell(double x) { return {nullptr, x}; }
  static ergode_cell cell(const std::string& text) { return {text.c_str(), 0.0}; }
  static ergode_cell yes(bool is) { return {is ? "yes" : "", 0.0}; }
  const std::string& experiment(const Plan& one) const { return q_.experiments[one.experiment].name; }
  const std::string& place(const Plan& one) const {
    return one.at_service ? q_.services[one.place].name : q_.instances[one.place].name;
  }
  double score(const Plan& one) const { return q_.experiments[one.experiment].score; }
  std::string further(const Plan& one) const {
    std::string out;
    for (std::size_t f = 0; f < q_.further.size(); ++f) {
      char text[32];
      std::snprintf(text, sizeof text, " %.6g", q_.experiments[one.experiment].further[f]);
      out += (out.empty() ? "" : ", ") + q_.further[f].name + text;
    }
    return out;
  }

  void tell(const Plan& one) const {
    const ergode_cell servers = cell(one.at_service ? std::nan("") : one.servers);
    const bool waits = q_.rate_per_s > 0.0 && !one.at_service;
    const std::string others = further(one);
    row(Tables::plans, {cell(experiment(one)), cell(place(one)), cell(one.why_not), servers,
                        cell(waits ? one.waiting.utilisation : std::nan("")), cell(score(one)), cell(one.service_s),
                        cell(one.time_s), cell(one.cost), yes(one.on_front), yes(one.allowed), cell(others)});
    if (one.on_front)
      row(Tables::front, {cell(experiment(one)), cell(place(one)), servers, cell(score(one)), cell(one.time_s),
                          cell(one.cost), cell(others)});
  }
  void tell_recommended(const Plan& best) const {
    observe(Out::best_cost, best.cost), observe(Out::best_time, best.time_s), observe(Out::best_score, score(best));
    const std::string others = further(best), because = "the cheapest on the front of the plans within the limits";
    row(Tables::recommended,
        {cell(experiment(best)), cell(place(best)), cell(best.at_service ? std::nan("") : best.servers),
         cell(score(best)), cell(best.time_s), cell(best.cost), cell(because), cell(others)});
  }
  void break_even() const {
    for (const Experiment& one : q_.experiments)
      for (const TokenService& service : q_.services) {
        const double query = service_cost(service, one.tokens_in, one.tokens_out);
        if (!(query > 0.0) || (!one.service.empty() && one.service != service.name)) continue;
        for (const CloudInstance& instance : q_.instances)
          row(Tables::break_even, {cell(one.name), cell(service.name), cell(query), cell(instance.name),
                                   cell(break_even_per_h(instance, query))});
      }
  }
  void sensitivity() const {
    for (std::size_t j = 0; j < q_.instances.size(); ++j)
      for (const double factor : {0.5, 0.8, 1.25, 2.0}) {
        PlanQuestion other = q_;
        other.instances[j].price_per_h *= factor;
        const PlanAnswer answer = plans(other);
        const Plan* best = answer.recommended ? &answer.plans[*answer.recommended] : nullptr;
        const std::string what = best == nullptr ? "none" : experiment(*best) + " on " + place(*best);
        row(Tables::sensitivity, {cell(q_.instances[j].name), cell(other.instances[j].price_per_h), cell(what),
                                  cell(best == nullptr ? std::nan("") : best->cost)});
      }
  }
  void scores(const std::map<std::string, Answers>& all) const {
    for (const auto& [name, one] : all) {
      const MeanError error = mean_absolute_error(one.truths, one.scores);
      const bool classes = one.counts.size() > 0.0;
      const Classified c = classified(one.counts);
      const auto if_classes = [&](double x) { return cell(classes ? x : std::nan("")); };
      row(Tables::scores, {cell(name), cell(static_cast<double>(one.truths.size()) + one.counts.size()),
                           cell(static_cast<double>(error.dropped + one.classes_unparsed)), cell(error.mean),
                           if_classes(c.accuracy), if_classes(c.f1_weighted), if_classes(c.f1_macro)});
    }
  }

  const ergode_input& input_;
  const ergode_host& host_;
  nlohmann::json json_;
  PlanQuestion q_;
};

int32_t run(const ergode_input* input, const ergode_host* host) {
  try {
    return Study(*input, *host).run();
  } catch (const std::exception& bad) {
    return plugin_support::told(*host, bad);
  }
}

constexpr ergode_simulator the_simulator = {sizeof(ergode_simulator), 0, run};
constexpr ergode_plugin the_plugin = {
    sizeof(ergode_plugin), ERGODE_PLUGIN_ABI_MAJOR, ERGODE_PLUGIN_ABI_MINOR, 0, &the_simulator, nullptr};

}  // namespace
}  // namespace cost_effectiveness

const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major) {
  return host_abi_major == ERGODE_PLUGIN_ABI_MAJOR ? &cost_effectiveness::the_plugin : nullptr;
}
