#include "solvers/simulation/simulation_options.h"

#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

bool simulates(const RunRequest& r) { return r.solver == "simulation" || r.solver == "all"; }
bool takes(const RunRequest& r, const char* method) {
  if (!simulates(r)) return false;
  const std::string asked = simulation_options().read(r).variance_reduction;
  return asked == method || asked == "auto";
}
bool splits(const RunRequest& r) { return takes(r, "splitting"); }
bool biases(const RunRequest& r) { return takes(r, "failure-biasing"); }

bool runs_long(const RunRequest& r) {
  return simulates(r) && simulation_options().read(r).output_analysis == "batch-means";
}

bool set_levels(SimulationOptions& options, std::string_view text) {
  options.levels.clear();
  for (const std::string& part : split(text, ',')) {
    const auto value = parse_number(trim(part));
    if (!value || !std::isfinite(*value) || (!options.levels.empty() && !(*value > options.levels.back())))
      return false;
    options.levels.push_back(*value);
  }
  return true;
}
std::string levels_text(const SimulationOptions& options) {
  std::string out;
  for (const double level : options.levels) out += (out.empty() ? "" : ", ") + number_text(level);
  return out;
}

}  // namespace

const OptionTable<SimulationOptions>& simulation_options() {
  static const OptionTable<SimulationOptions> table = [] {
    using Options = SimulationOptions;
    OptionTable<Options> t;
    t.word({"variance-reduction", "NAME", "none",
            "Method of the simulation for rare events: none, failure-biasing (failures by rates, shocks, demands and "
            "rare branches are made likelier and weighted), splitting (paths are multiplied on their way to the "
            "event), auto (tries them in a pilot run, says which it takes and why)."},
           &Options::variance_reduction, {"none", "auto", "failure-biasing", "splitting"});
    t.only_for("the simulation", simulates);
    t.number({"bias-probability", "P", "0.5",
              "Failure biasing: probability that a failure comes before the next repair; spread equally over the "
              "failures."},
             "a number between 0 and 1", between_0_and_1, &Options::bias_probability);
    t.only_for("--variance-reduction failure-biasing or auto", biases);
    t.word({"importance", "EXPR", "failures standing",
            "Splitting: expression of the model that grows towards the rare event, as in count(pump[*].Failed)."},
           &Options::importance);
    t.only_for("--variance-reduction splitting or auto", splits);
    t.add(
        {"levels", "LIST", "by a pilot run", "Splitting: values of the importance at which paths are split: 1, 2, 3."},
        "ascending numbers separated by commas", set_levels, levels_text);
    t.only_for("--variance-reduction splitting or auto", splits);
    t.count({"effort", "N", "1000",
             "Splitting: paths from each level. A replication is one whole repetition; 100 are made when no number is "
             "given."},
            "2 to 1000000", 2, 1000000, &Options::effort);
    t.only_for("--variance-reduction splitting or auto", splits);
    t.word({"output-analysis", "NAME", "replications",
            "How long-run means, rates and quantiles get their intervals: replications of the mission, or batch-means: "
            "one history that goes on beyond the mission time until --precision is reached."},
           &Options::output_analysis, {"replications", "batch-means"});
    t.only_for("the simulation", simulates);
    t.word({"warm-up", "NAME", "heidelberger-welch",
            "One long run: what is left out at its beginning. heidelberger-welch (tenths, until the rest passes a test "
            "of stationarity), mser-5 (what makes the standard error least), none."},
           &Options::warm_up, {"heidelberger-welch", "mser-5", "none"});
    t.only_for("--output-analysis batch-means", runs_long);
    t.count({"longest", "N", "10000", "One long run: it ends after so many mission times, precise or not."},
            "1 to 1000000000", 1, 1000000000, &Options::longest);
    t.only_for("--output-analysis batch-means", runs_long);
    t.word({"control-variates", "NAME", "utilisation",
            "One long run: what is known beforehand and makes other means more precise. utilisation (of stations whose "
            "load follows from the traffic equations: mean numbers and times are corrected by how much more or less "
            "than that their servers had to do), none."},
           &Options::control_variates, {"utilisation", "none"});
    t.only_for("--output-analysis batch-means", runs_long);
    return t;
  }();
  return table;
}

}  // namespace ergode
