// What measurements of GPUs say: how far they differ, which are outliers, what goes with it, and a law for a model.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "app/cli/commands.h"
#include "core/base/csv.h"
#include "core/base/plural.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/devices/device_character.h"
#include "solvers/cluster/devices/variation.h"

namespace ergode::cli {
namespace {

struct DeviceFlags {
  std::string file, app, profile, scale, gpus = "1,2,4,8,16,32";
  bool json = false, csv = false;
};

using TextRows = std::vector<std::vector<std::string>>;

Value json_number(double value) { return std::isfinite(value) ? Value(value) : Value(nullptr); }

std::string percent(double share) { return std::isfinite(share) ? number_text(100.0 * share, 5) + " %" : "-"; }

Value box_json(const BoxStatistics& box, const std::vector<std::string>* names) {
  Value out = {{"count", box.count},
               {"median", box.median},
               {"q1", box.q1},
               {"q3", box.q3},
               {"lower_whisker", box.lower_whisker},
               {"upper_whisker", box.upper_whisker},
               {"least", box.least},
               {"greatest", box.greatest},
               {"mean", box.mean},
               {"sd", box.sd},
               {"variation", json_number(box.variation())}};
  for (const auto& [key, list] : {std::pair("high_outliers", &box.high), {"low_outliers", &box.low}}) {
    if (names == nullptr) {
      out[key] = list->size();
      continue;
    }
    out[key] = Value::array();
    for (const std::uint32_t one : *list) out[key].push_back((*names)[one]);
  }
  return out;
}

Value components_json(const VarianceComponents& one) {
  return {{"gpus", one.groups},
          {"runs", one.values},
          {"between_cv", json_number(one.between_cv())},
          {"within_cv", json_number(one.within_cv())},
          {"icc", json_number(one.icc())}};
}

Value profile_json(const SlownessProfile& profile, const std::vector<double>& gpus) {
  Value out = {{"p", profile.p},
               {"values", profile.values},
               {"law", profile.law_text()},
               {"variation", profile.variation()},
               {"slowest_of", Value::array()}};
  for (const double k : gpus)
    out["slowest_of"].push_back(
        {{"gpus", k}, {"mean", profile.mean_of_greatest(k)}, {"median", profile.median_of_greatest(k)}});
  return out;
}

/// Mean slowdown of a job on k of the GPUs that were measured, whichever they are.
double slowest_of_these(const DeviceCharacter& made, double k) {
  std::vector<double> sorted = made.medians[0];
  std::sort(sorted.begin(), sorted.end());
  return mean_greatest_of(sorted, static_cast<std::size_t>(k)) / made.of_gpus.median;
}

Value device_json(const DeviceMeasurements& measured, const DeviceCharacter& made, const std::vector<double>& gpus) {
  Value out = {{"app", made.app}, {"runs", box_json(made.of_runs, nullptr)}};
  out["gpus"] = box_json(made.of_gpus, &measured.gpus);
  for (const auto& [key, matrix] : {std::pair("spearman", &made.spearman), {"pearson", &made.pearson}}) {
    out[key] = Value::object();
    for (std::size_t i = 0; i < made.quantities.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        out[key][std::string(device_quantity_name(made.quantities[j])) + "-" +
                 device_quantity_name(made.quantities[i])] = json_number((*matrix)[i][j]);
  }
  out["components"] = components_json(made.components);
  out["components_without_outliers"] = components_json(made.without_outliers);
  for (const auto& [key, groups] : {std::pair("nodes", &made.nodes), {"cabinets", &made.cabinets}}) {
    if (groups->empty()) continue;
    out[key] = Value::array();
    for (const auto& group : *groups) {
      Value one = box_json(group.box, nullptr);
      one["name"] = group.name;
      out[key].push_back(std::move(one));
    }
  }
  out["bins"] = Value::array();
  for (std::size_t bin = 0; bin < made.bins.score.size(); ++bin)
    out["bins"].push_back(
        {{"score", made.bins.score[bin]},
         {"gpus", std::count(made.bins.bin_of.begin(), made.bins.bin_of.end(), static_cast<std::uint32_t>(bin))}});
  out["profile"] = profile_json(made.profile, gpus);
  out["slowest_of_these"] = Value::array();
  for (const double k : gpus)
    out["slowest_of_these"].push_back({{"gpus", k}, {"mean", json_number(slowest_of_these(made, k))}});
  return out;
}

/// @param made  null: there are no measurements
std::string slowest_text(const SlownessProfile& profile, const DeviceCharacter* made, const std::vector<double>& gpus) {
  TextRows rows = {{"GPUs of a job", "mean slowdown", "median slowdown"}};
  if (made != nullptr) rows[0].push_back("mean on those measured");
  for (const double k : gpus) {
    rows.push_back(
        {number_text(k), number_text(profile.mean_of_greatest(k), 6), number_text(profile.median_of_greatest(k), 6)});
    if (made == nullptr) continue;
    const double mean = slowest_of_these(*made, k);
    rows.back().push_back(std::isfinite(mean) ? number_text(mean, 6) : "-");
  }
  return text_table(rows, std::vector<bool>(rows[0].size(), true)) +
         "\nOf independent devices by the law below, which is straight between quantiles, against the median one" +
         (made != nullptr ? "; and of as many different ones of those that were measured.\n\n" : ".\n\n") +
         profile.law_text() + "\n";
}

std::string outliers_text(const DeviceMeasurements& measured, const DeviceCharacter& made) {
  TextRows rows = {{"outlier", "time", "of the median"}};
  for (std::size_t q = 1; q < made.quantities.size(); ++q) rows[0].push_back(device_quantity_name(made.quantities[q]));
  std::vector<std::uint32_t> all = made.of_gpus.high;
  all.insert(all.end(), made.of_gpus.low.begin(), made.of_gpus.low.end());
  std::sort(all.begin(), all.end(), [&](auto a, auto b) { return made.medians[0][a] > made.medians[0][b]; });
  constexpr std::size_t most_shown = 40;
  for (std::size_t i = 0; i < std::min(all.size(), most_shown); ++i) {
    const std::uint32_t gpu = all[i];
    rows.push_back({quotable(measured.gpus[gpu]), number_text(made.medians[0][gpu], 7),
                    number_text(made.medians[0][gpu] / made.of_gpus.median, 5)});
    for (std::size_t q = 1; q < made.quantities.size(); ++q)
      rows.back().push_back(number_text(made.medians[static_cast<std::size_t>(made.quantities[q])][gpu], 6));
  }
  if (all.empty()) return "";
  std::vector<bool> right(rows[0].size(), true);
  right[0] = false;
  return text_table(rows, right) +
         (all.size() > most_shown ? counted(all.size() - most_shown, "more outlier") + ": --csv tells all.\n" : "") +
         "\n";
}

std::string groups_text(const char* what, const std::vector<DeviceCharacter::Group>& groups) {
  if (groups.empty()) return "";
  TextRows rows = {{what, "GPUs", "lower whisker", "q1", "median", "q3", "upper whisker", "V", "outliers"}};
  constexpr std::size_t most_shown = 60;
  for (std::size_t i = 0; i < std::min(groups.size(), most_shown); ++i) {
    const BoxStatistics& box = groups[i].box;
    rows.push_back({quotable(groups[i].name), std::to_string(box.count), number_text(box.lower_whisker, 7),
                    number_text(box.q1, 7), number_text(box.median, 7), number_text(box.q3, 7),
                    number_text(box.upper_whisker, 7), percent(box.variation()),
                    std::to_string(box.high.size() + box.low.size())});
  }
  return text_table(rows, {false, true, true, true, true, true, true, true, true}) +
         (groups.size() > most_shown ? counted(groups.size() - most_shown, "more row") + ": --json tells all.\n" : "") +
         "\n";
}

std::string correlations_text(const DeviceCharacter& made) {
  if (made.quantities.size() < 2) return "";
  TextRows rows = {{"over runs", "Spearman", "Pearson"}};
  const auto told = [](double r) { return std::isfinite(r) ? number_text(r, 4) : std::string("-"); };
  for (std::size_t i = 0; i < made.quantities.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      rows.push_back(
          {std::string(device_quantity_name(made.quantities[j])) + ", " + device_quantity_name(made.quantities[i]),
           told(made.spearman[i][j]), told(made.pearson[i][j])});
  return text_table(rows, {false, true, true}) + "\n";
}

std::string device_text(const DeviceMeasurements& measured, const DeviceCharacter& made,
                        const std::vector<double>& gpus) {
  const auto row = [](const char* what, std::string runs, std::string of_gpus) {
    return std::vector<std::string>{what, std::move(runs), std::move(of_gpus)};
  };
  const BoxStatistics &runs = made.of_runs, &box = made.of_gpus;
  TextRows rows = {row("", "all runs", "medians of GPUs"),
                   row("number", std::to_string(runs.count), std::to_string(box.count))};
  for (const auto& [what, field] : {std::pair("least", &BoxStatistics::least),
                                    {"lower whisker", &BoxStatistics::lower_whisker},
                                    {"q1", &BoxStatistics::q1},
                                    {"median", &BoxStatistics::median},
                                    {"q3", &BoxStatistics::q3},
                                    {"upper whisker", &BoxStatistics::upper_whisker},
                                    {"greatest", &BoxStatistics::greatest},
                                    {"mean", &BoxStatistics::mean},
                                    {"standard deviation", &BoxStatistics::sd}})
    rows.push_back(row(what, number_text(runs.*field, 7), number_text(box.*field, 7)));
  rows.push_back(row("variation V", percent(runs.variation()), percent(box.variation())));
  rows.push_back(row("coefficient of variation", percent(runs.cv()), percent(box.cv())));
  rows.push_back(row("outliers, slow", std::to_string(runs.high.size()), std::to_string(box.high.size())));
  rows.push_back(row("outliers, fast", std::to_string(runs.low.size()), std::to_string(box.low.size())));
  std::string out = (made.app.empty() ? "" : quotable(made.app) + "\n") + text_table(rows, {false, true, true}) + "\n";
  out += outliers_text(measured, made) + correlations_text(made);
  rows = {{"variance of time", "between GPUs", "within a GPU", "intraclass correlation"}};
  for (const auto& [what, one] :
       {std::pair("all GPUs", &made.components), {"without outliers", &made.without_outliers}})
    rows.push_back({what, percent(one->between_cv()), percent(one->within_cv()),
                    std::isfinite(one->icc()) ? number_text(one->icc(), 4) : "-"});
  out += text_table(rows, {false, true, true, true}) + "\n";
  out += groups_text("cabinet", made.cabinets) + groups_text("node", made.nodes);
  rows = {{"bin", "GPUs", "score"}};
  for (std::size_t bin = 0; bin < made.bins.score.size(); ++bin)
    rows.push_back({std::to_string(bin + 1),
                    std::to_string(std::count(made.bins.bin_of.begin(), made.bins.bin_of.end(), bin)),
                    number_text(made.bins.score[bin], 5)});
  return out + text_table(rows, {true, true, true}) + "\n" + slowest_text(made.profile, &made, gpus);
}

/// A row a GPU.
std::string device_csv(const DeviceMeasurements& measured, const DeviceCharacter& made, bool head) {
  std::string out;
  if (head) {
    out = "app,gpu,node,cabinet,runs,slowdown,bin,score,outlier";
    for (std::size_t q = 0; q < device_quantities; ++q)
      out += "," + std::string(device_quantity_name(static_cast<DeviceQuantity>(q))) + "_median";
    out += "\n";
  }
  std::vector<std::size_t> runs(measured.gpus.size());
  for (const std::uint32_t gpu : measured.gpu_of) ++runs[gpu];
  std::vector<const char*> outlier(measured.gpus.size(), "");
  for (const std::uint32_t gpu : made.of_gpus.high) outlier[gpu] = "slow";
  for (const std::uint32_t gpu : made.of_gpus.low) outlier[gpu] = "fast";
  for (std::size_t gpu = 0; gpu < measured.gpus.size(); ++gpu) {
    out += csv_cell(made.app) + "," + csv_cell(measured.gpus[gpu]) + ",";
    if (!measured.nodes.empty()) out += csv_cell(measured.nodes[gpu]);
    out += ",";
    if (!measured.cabinets.empty()) out += csv_cell(measured.cabinets[gpu]);
    out += "," + std::to_string(runs[gpu]) + "," + number_text(made.medians[0][gpu] / made.of_gpus.median, 9) + "," +
           std::to_string(made.bins.bin_of[gpu] + 1) + "," + number_text(made.bins.score[made.bins.bin_of[gpu]], 9) +
           "," + outlier[gpu];
    for (std::size_t q = 0; q < device_quantities; ++q)
      out += "," + (made.medians[q].empty() ? std::string() : number_text(made.medians[q][gpu], 12));
    out += "\n";
  }
  return out;
}

int misuse(const std::string& message) {
  complain("RUN010", message, "`ergode help devices` has examples.");
  return usage;
}

int built_in(const DeviceFlags& flags, const std::vector<double>& gpus) {
  const DeviceProfile* found = find_device_profile(flags.profile);
  if (found == nullptr) {
    std::string known;
    for (const DeviceProfile& one : device_profiles()) known += (known.empty() ? "" : ", ") + std::string(one.name);
    return misuse("--profile is \"" + quotable(flags.profile) + "\"; wanted one of " + known + ".");
  }
  SlownessProfile profile = found->profile();
  if (!flags.scale.empty()) {
    const auto wanted = parse_number(flags.scale);
    if (!wanted || !(*wanted > 0.0 && *wanted <= 100.0))
      return misuse("--scale is \"" + quotable(flags.scale) + "\"; wanted a variation in per cent, above 0 to 100.");
    profile = profile.scaled_to(*wanted / 100.0);
  }
  if (flags.csv) return misuse("--csv is for measurements; a profile has no rows of GPUs.");
  if (flags.json) {
    Value out = profile_json(profile, gpus);
    out["name"] = found->name;
    std::cout << json_text(out) << "\n";
  } else {
    std::cout << found->label << ", variation V " << percent(profile.variation()) << "\n\n"
              << slowest_text(profile, nullptr, gpus);
  }
  return ok;
}

int devices(const DeviceFlags& flags) {
  std::vector<double> gpus;
  for (const std::string& part : split(flags.gpus, ',')) {
    const auto k = parse_number(trim(part));
    if (!k || !(*k >= 1.0 && *k <= 1e6 && *k == std::floor(*k)))
      return misuse("--gpus has \"" + quotable(part) +
                    "\"; wanted whole numbers from 1 to 1000000, with commas between.");
    gpus.push_back(*k);
  }
  if (flags.json && flags.csv) return misuse("--json and --csv are two forms; wanted one.");
  if (flags.file.empty() == flags.profile.empty())
    return misuse(flags.file.empty() ? "No FILE is named; wanted one, or --profile."
                                     : "A FILE and --profile are named; wanted one of them.");
  if (!flags.profile.empty()) return built_in(flags, gpus);
  if (!flags.scale.empty()) return misuse("--scale is for --profile; measurements are what they are.");
  const auto text = read_text(flags.file);
  if (const auto* problem = std::get_if<Diagnostic>(&text)) {
    complain("DEV001", problem->message);
    return model_invalid;
  }
  auto read = read_device_measurements(std::get<std::string>(text), flags.file);
  if (const auto* problems = std::get_if<Diagnostics>(&read)) {
    print_diagnostics(*problems, nullptr);
    return model_invalid;
  }
  auto& sets = std::get<0>(read);
  std::string known;
  for (const DeviceMeasurements& one : sets) known += (known.empty() ? "" : ", ") + quotable(one.app);
  if (!flags.app.empty()) {
    std::erase_if(sets, [&](const DeviceMeasurements& one) { return one.app != flags.app; });
    if (sets.empty()) {
      complain("DEV001", flags.file + " has no application '" + quotable(flags.app) + "'; there are " + known + ".");
      return model_invalid;
    }
  }
  Value all = Value::array();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const DeviceCharacter made = characterise(sets[i]);
    if (flags.json) all.push_back(device_json(sets[i], made, gpus));
    else if (flags.csv) std::cout << device_csv(sets[i], made, i == 0);
    else std::cout << (i == 0 ? "" : "\n") << device_text(sets[i], made, gpus);
  }
  if (flags.json) std::cout << json_text({{"file", flags.file}, {"applications", std::move(all)}}) << "\n";
  return ok;
}

}  // namespace

void add_devices(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<DeviceFlags>();
  CLI::App* sub = app.add_subcommand("devices", R"(Examples:
  ergode devices runs.csv                              variation, outliers, correlations, bins of all GPUs
  ergode devices runs.csv --csv                        a row a GPU: slowdown, bin, score, outlier
  ergode devices runs.csv --app sgemm --gpus 4,64      one application; slowdown of jobs on 4 and on 64 GPUs
  ergode devices --profile sgemm_longhorn --scale 8    a built-in profile, stretched to a variation of 8 %

Says how much GPUs differ that should be alike, from measurements of their runs. A file has the columns gpu and perf_ms, and as there are app, node, cabinet, run, freq_mhz, mem_mhz, temp_c, power_w. Printed are quartiles, the variation V (whisker range over median), outliers, correlations, components of variance, boxes of cabinets and nodes, bins as placement sees them, the slowdown of jobs that wait for the slowest of their GPUs, and the law quantile_table(...) for a model. After Sinha et al., SC 2022.)");
  sub->add_option("FILE", flags->file, "A CSV file with a header.");
  sub->add_option("--app", flags->app, "Only this application of the file.")->type_name("NAME");
  sub->add_option("--profile", flags->profile, "Instead of a file: a built-in profile.")->type_name("NAME");
  sub->add_option("--scale", flags->scale, "Stretches the profile to this variation, in per cent.")->type_name("V");
  sub->add_option("--gpus", flags->gpus, "GPUs of jobs whose slowdown is told; default: 1,2,4,8,16,32.")
      ->type_name("LIST");
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->add_flag("--csv", flags->csv, "Print a row for each GPU.");
  sub->callback([flags, &chosen] { chosen = [flags] { return devices(*flags); }; });
}

}  // namespace ergode::cli
