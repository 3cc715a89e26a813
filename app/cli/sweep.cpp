#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/progress_line.h"
#include "app/session/figure.h"
#include "app/session/keep.h"
#include "app/session/paired_comparison.h"
#include "app/session/sweep.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/results/result_store.h"
#include "solvers/registry.h"
#include "solvers/run_options.h"

namespace ergode::cli {
namespace {

constexpr std::uint64_t default_pairs = 10;

struct SweepFlags {
  std::string model, out, plot, progress;
  std::vector<std::string> vary, measures;
  bool json = false, csv = false, table = false, no_store = false, no_cross_check = false, force = false,
       compare = false;
  std::optional<std::uint64_t> pairs;
  RunFlags run;
};

/// A cell with as many digits as a table has room for.
std::vector<std::vector<std::string>> texts(const ResultTable& table) {
  std::vector<std::vector<std::string>> rows(1);
  for (const ResultTable::Column& column : table.columns) rows[0].push_back(column_text(column));
  for (const auto& row : table.rows) {
    rows.emplace_back();
    for (const ResultTable::Cell& cell : row) rows.back().push_back(cell_text(cell));
  }
  return rows;
}

/// Without the ends of intervals and exact values that are the value itself, in every row: of an exact solver all are.
void leave_out_echoes(ResultTable& table) {
  for (std::size_t c = table.columns.size(); c-- > 1;) {
    const std::string& label = table.columns[c].label;
    const std::string of = label.substr(0, label.rfind(' '));
    std::size_t value = 0;
    while (value < c && table.columns[value].label != of) ++value;
    const auto echo = [&](const auto& row) { return cell_text(row[c]) == cell_text(row[value]); };
    if (value == c || of == label || !std::all_of(table.rows.begin(), table.rows.end(), echo)) continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

std::string points_text(const Sweep& sweep, const std::vector<std::string>& measures, bool folded = false) {
  ResultTable table = sweep_table(sweep, measures);
  if (folded) leave_out_echoes(table);
  std::vector<bool> right(table.columns.size(), true);
  for (std::size_t c = 0; c < right.size(); ++c)
    right[c] = table.columns[c].label != "warnings" && table.columns[c].label != "problem";
  return text_table(texts(table), right);
}

/// Of measures that nobody named a line holds as many as fit, the headlines before the others, and those that the model
/// asks for before what solvers tell unasked.
/// @param asked  the measures of the model; empty: all are printed, whatever the width
void print_points(const Sweep& sweep, const std::vector<std::string>& measures,
                  const std::vector<const Element*>& asked) {
  const std::size_t width = output_width();
  std::string text = points_text(sweep, measures);
  if (asked.empty() || widest_line(text) <= width) {
    std::cout << text;
    return;
  }
  const auto worth = [&](const std::string& id) {
    const auto found = std::find_if(asked.begin(), asked.end(), [&](const Element* m) { return m->name() == id; });
    return found == asked.end() ? 2 : (*found)->text("headline") == "true" ? 0 : 1;
  };
  std::vector<std::string> by_worth = measures, shown;
  std::stable_sort(by_worth.begin(), by_worth.end(),
                   [&](const std::string& a, const std::string& b) { return worth(a) < worth(b); });
  for (const std::string& id : by_worth) {
    shown.push_back(id);
    std::string with = points_text(sweep, shown, true);
    if (shown.size() > 1 && widest_line(with) > width) {
      shown.pop_back();
      break;
    }
    text = std::move(with);
  }
  std::cout << text;
  if (const std::size_t left = measures.size() - shown.size(); left > 0)
    std::cout << "and " << counted(left, "measure") << " more: --measure NAME prints one, --csv and --json have all\n";
}

/// [{code, severity, message, ..., points: [0, 3]}]
Value warnings_json(const SweepWarnings& warnings, const Document& document) {
  Value out = Value::array();
  for (const SweepWarning& one : warnings.all()) {
    Value said = diagnostics_json({one.what}, &document)[0];
    said["points"] = one.points;
    out.push_back(std::move(said));
  }
  return out;
}

/// Its runs are pieces of one answer: it is kept with the first of them. @returns what went wrong, or ok
int keep_comparison(const std::string& store, const PairedComparison& made) {
  const auto record = comparison_record(made);
  if (record == nullptr) return ok;
  const Kept kept = keep_runs(store, {record});
  print_diagnostics(kept.diagnostics, nullptr);
  if (kept.store.empty()) return run_error;
  auto opened = ResultStore::open(kept.store, ResultStore::Access::existing);
  if (auto* into = std::get_if<ResultStore>(&opened))
    if (const auto why = into->annotate(record->provenance.run_id, comparison_label(made), "", false))
      print_diagnostics({*why}, nullptr);
  tell("comparison kept as run " + record->provenance.run_id + " in " + kept.store);
  return ok;
}

/// @param store  where it is kept; empty: nowhere
int compare(const SweepFlags& flags, const SweepOrder& order, const SweepAxis& axis, const std::string& store) {
  watch_interrupts();
  const auto pairs = static_cast<std::size_t>(flags.pairs.value_or(default_pairs));
  ProgressLine progress(flags.progress);
  const PairedComparison made =
      compare_choices(order, axis, pairs, flags.measures, was_interrupted,
                      [&](std::size_t done) { progress.show(done, pairs, "runs of each value"); });
  progress.end(nullptr);
  for (const SweepWarning& one : made.warnings.all()) print_diagnostics({one.what}, &order.document);
  for (const std::string& problem : made.problems) complain("RUN041", problem);
  if (flags.json) {
    Value json = comparison_json(made);
    json["model"] = order.document.model().name(), json["solver"] = order.request.solver;
    json["warnings"] = warnings_json(made.warnings, order.document);
    std::cout << json_text(json) << "\n";
  } else if (flags.csv) {
    std::cout << comparison_csv(made);
  } else {
    ResultTable table = comparison_table(made);
    // On a terminal each measure is named once.
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      if (i % axis.values.size() != 0) table.rows[i][0] = table.rows[i][1] = std::string();
    std::vector<bool> right(table.columns.size(), true);
    right[0] = right[1] = right[2] = false;
    std::cout << text_table(texts(table), right) << table.note << "\n";
  }
  if (was_interrupted()) return interrupted;
  if (made.rows.empty()) return run_error;
  if (!store.empty())
    if (const int code = keep_comparison(store, made); code != ok) return code;
  return made.problems.empty() ? ok : not_reached;
}

int sweep(const SweepFlags& flags) {
  if (flags.json + flags.csv + flags.table > 1) {
    complain("RUN010", "--json, --csv and --table each say what is printed; wanted one of them.");
    return usage;
  }
  SweepOrder order;
  if (const auto code = flags.run.fill(order.request)) return *code;
  if (const Diagnostics unused = options_without_use(flags.run.values, order.request); !unused.empty())
    return print_diagnostics(unused, nullptr), usage;
  Opened opened = open_model(flags.model);
  if (!opened.document) return model_invalid;
  order.document = std::move(*opened.document);
  order.request.model_path = opened.path, order.request.folder = opened.folder;
  permit_named_files(order.document, order.request);
  order.solver = find_solver(order.request.solver);
  if (order.solver == nullptr) {
    complain("RUN010", "there is no solver \"" + order.request.solver + "\" that a sweep could ask.",
             "`ergode solvers` lists them; a sweep asks one.");
    return usage;
  }
  order.beside = flags.no_cross_check ? Beside::none : Beside::quick;
  std::vector<SweepAxis> axes;
  for (const std::string& text : flags.vary) {
    auto axis = parse_sweep_axis(text, order.document, order.request);
    if (const auto* problem = std::get_if<Diagnostic>(&axis)) return print_diagnostics({*problem}, nullptr), usage;
    axes.push_back(std::move(std::get<SweepAxis>(axis)));
    if (order.request.overrides.contains(axes.back().name)) {
      complain("RUN040", "\"" + axes.back().name + "\" is both set and varied; wanted one of the two.");
      return usage;
    }
  }
  if (flags.compare && (axes.size() != 1 || axes.front().values.size() < 2 || !flags.plot.empty())) {
    complain("RUN040",
             "--compare compares the values of one parameter; wanted one --vary with two values or more, and "
             "no --plot.");
    return usage;
  }
  if (flags.pairs && !flags.compare) {
    complain("RUN010", "--pairs is for --compare, and means nothing for this sweep.",
             "Leave it out, or add --compare.");
    return usage;
  }
  if (flags.pairs && (*flags.pairs < 2 || *flags.pairs > 10'000)) {
    complain("RUN040", "--pairs is " + std::to_string(*flags.pairs) + "; wanted 2 to 10000.");
    return usage;
  }
  const bool stored = !flags.no_store && opened.path != "-";
  const std::string store = stored ? store_path(opened.path, flags.out) : std::string();
  if (stored && !flags.out.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(flags.out, ignored);
  }
  if (flags.compare) {
    if (const Diagnostics unknown = unknown_measures(order, flags.measures); !unknown.empty())
      return print_diagnostics(unknown, nullptr), usage;
    order.beside = Beside::none;
    return compare(flags, order, axes.front(), store);
  }
  auto made = Sweep::of(std::move(axes));
  if (const auto* problem = std::get_if<Diagnostic>(&made)) return print_diagnostics({*problem}, nullptr), usage;
  Sweep& todo = std::get<Sweep>(made);
  const Output plot{flags.plot, {.force = flags.force, .inputs = {opened.path}}};
  Diagnostics problems;
  std::optional<std::string> format;
  if (!flags.plot.empty()) {
    format = figure_format(flags.plot == "-" ? "x.svg" : flags.plot, problems);
    if (!format) return print_diagnostics(problems, nullptr), usage;
    if (const int code = may_write(plot); code != ok) return code;
  }
  watch_interrupts();
  int code = ok;
  std::size_t answered = 0;
  SweepWarnings warnings;
  ProgressLine progress(flags.progress);
  if (const Diagnostics unknown = unknown_measures(order, flags.measures); !unknown.empty())
    return print_diagnostics(unknown, nullptr), usage;
  for (SweepPoint& point : todo.points) {
    if (was_interrupted()) {
      point.problem = "Not run: the sweep was interrupted.";
      continue;
    }
    const auto place = static_cast<std::size_t>(&point - todo.points.data());
    progress.begin("point " + std::to_string(place + 1) + "/" + std::to_string(todo.points.size()) + "  ");
    // What one point says others may say too, some of it while it is waited for.
    const auto hear = [&](const Diagnostics& said) {
      Diagnostics fresh = warnings.hear(place, said);
      if (!fresh.empty()) progress.interrupt();
      for (Diagnostic& one : fresh)
        one.message +=
            " (first at point " + std::to_string(place + 1) + " of " + std::to_string(todo.points.size()) + ")";
      print_diagnostics(fresh, &order.document);
    };
    solve_point(order, todo, point, was_interrupted, [&](const Run& run) {
      hear(run.told());
      if (const auto first = run.first()) progress.show(*first);
      else if (const auto snapshot = run.latest()) progress.show(*snapshot);
    });
    hear(point.said);
    progress.begin({});
    progress.show(place + 1, todo.points.size(), "points");  // exact solvers tell of no replications
    answered += point.results != nullptr;
    if (point.results == nullptr || !stored || code == run_error) continue;
    const Kept kept = keep_runs(store, {point.results});
    print_diagnostics(kept.diagnostics, nullptr);
    if (kept.store.empty()) code = run_error;
  }
  progress.end(nullptr);
  if (stored && answered > 0) tell(counted(answered, "run") + " kept in " + store);
  std::vector<std::string> measures = sweep_measures(todo, flags.measures);
  for (const std::string& asked : flags.measures)
    if (answered > 0 && std::find(measures.begin(), measures.end(), asked) == measures.end()) {
      const std::string near = nearest_word(asked, sweep_measures(todo));
      complain("RUN010", "No point answers a measure \"" + asked + "\".",
               near.empty() ? "" : "Did you mean " + near + "?");
      return usage;
    }
  if (flags.json) {
    Value json = sweep_json(todo, measures);
    json["model"] = order.document.model().name(), json["solver"] = order.request.solver;
    json["warnings"] = warnings_json(warnings, order.document);
    std::cout << json_text(json) << "\n";
  } else if (flags.csv) {
    std::cout << sweep_csv(todo, measures);
  } else {
    print_points(todo, measures,
                 flags.measures.empty() ? order.document.of(Section::measure) : std::vector<const Element*>());
  }
  if (format && !measures.empty()) {
    const auto bytes = sweep_plot(todo, measures.front(), *format, problems);
    print_diagnostics(problems, nullptr);
    if (bytes)
      if (const int wrote = write_output(plot, *bytes); wrote != ok) code = wrote;
  }
  if (was_interrupted()) return interrupted;
  std::size_t wrong = 0;
  for (const SweepPoint& point : todo.points) wrong += !point.problem.empty();
  if (code != ok || wrong == 0) return code;
  complain("RUN041", std::to_string(wrong) + " of " + counted(todo.points.size(), "point") +
                         " have a problem; the last column says which.");
  return answered == 0 ? run_error : not_reached;
}

}  // namespace

void add_sweep(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<SweepFlags>();
  CLI::App* sub = app.add_subcommand("sweep", R"(Examples:
  ergode sweep queue.ergode --vary "lambda=0.1 /s:0.9 /s:9" --solver mva
  ergode sweep queue.ergode --vary "mu=1:10:20:log" --measure queue_length --csv > curve.csv
  ergode sweep queue.ergode --vary "lambda=0.5:0.9:5" --vary "mu=1:2:3" --json
  ergode sweep queue.ergode --vary "lambda=0.1:0.9" --measure queue_length --plot curve.svg
  ergode sweep cluster.ergode --vary policy=fifo,srtf,las --compare
  ergode sweep queue.ergode --vary "desk.servers=1:8:8" --vary "desk.capacity=5:50:10"
  ergode sweep cloud.ergode --vary "contract=on_demand,spot" --vary "lambda=1:4:4"

Runs a model once for each value of one or more parameters, or numbers of elements, and prints a table with a row for
each point. Each point goes
the way of `ergode run`: it is checked, solved, compared with exact solvers and kept in MODEL's store of results. All
points have the same seed, so simulations share their random numbers. A point that fails does not stop the others; its
row says why. With --compare each value of one parameter runs ten times, all of them with the
same seeds, and differences to the first value are told with their intervals; `ergode report` and the workbench show
the comparison with the first of its runs, which is kept.)");
  sub->add_option("MODEL", flags->model, "Model file; - reads standard input.")->required();
  sub->add_option("--vary", flags->vary,
                  "A parameter, or a number of an element as in desk.servers, with its values: FROM, TO and how many "
                  "(default 11), ends included; log for equal factors. A unit may follow FROM or TO; without one its "
                  "own. Or a list of values, as policy=fifo,srtf,las; of a choice or a condition its name alone means "
                  "all of them. May be repeated: all combinations.")
      ->type_name("NAME=FROM:TO[:STEPS][:log] or NAME=A,B,C")
      ->required()
      ->allow_extra_args(false);
  sub->add_option("--measure", flags->measures, "Only this measure. May be repeated.")
      ->type_name("ID")
      ->allow_extra_args(false);
  std::vector<std::string> options;
  for (const RunOption& option : run_options()) options.push_back(option.name);
  flags->run.add_to(*sub, options);
  sub->add_flag("--compare", flags->compare,
                "Compare the values of one parameter with the first one on the same random numbers: mean of each, "
                "difference and its interval. It is kept with the first of its runs.");
  sub->add_option("--pairs", flags->pairs, "Runs of each value for --compare, each of its own seed; 2 to 10000.")
      ->type_name("N")
      ->default_str(std::to_string(default_pairs));
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->add_flag("--csv", flags->csv, "Print CSV with a head line.");
  sub->add_flag("--table", flags->table, "Print an aligned table (the default).");
  sub->add_option("--plot", flags->plot,
                  "Draw the first measure over the first parameter, over words as points: .svg or .pdf.")
      ->type_name("FILE");
  sub->add_option("--out", flags->out, "Folder for the store of results; default: beside the model.")
      ->type_name("FOLDER");
  sub->add_flag("--no-store", flags->no_store, "Do not keep the runs.");
  add_progress_flag(*sub, flags->progress);
  sub->add_flag("--no-cross-check", flags->no_cross_check, "Do not ask exact solvers.");
  add_force_flag(*sub, flags->force);
  sub->callback([flags, &chosen] { chosen = [flags] { return sweep(*flags); }; });
}

}  // namespace ergode::cli
