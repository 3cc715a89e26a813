#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <thread>

#include "app/cli/commands.h"
#include "app/session/check.h"
#include "app/session/import.h"
#include "app/session/publish.h"
#include "app/session/run.h"
#include "core/base/text.h"
#include "core/results/answer.h"
#include "core/results/result_json.h"
#include "core/results/result_store.h"
#include "core/results/value_text.h"
#include "core/study/run_options.h"
#include "solvers/registry.h"

namespace ergode::cli {
namespace {

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int) {
  interrupts = interrupts + 1;
  if (interrupts > 1) std::_Exit(interrupted);
}

struct Flags {
  std::string model, out, report, progress = "auto", events, horizon = "10s";
  bool json = false, quiet = false, no_store = false, no_cross_check = false;
  RunFlags run;
};

/// Progress on standard error: a bar on a terminal, else a line every ten seconds when asked for.
class ProgressLine {
 public:
  explicit ProgressLine(const Flags& flags) {
    const char* terminal = std::getenv("TERM");
    const bool tty = isatty(STDERR_FILENO) != 0 && (terminal == nullptr || std::string_view(terminal) != "dumb");
    bar_ = !flags.quiet && (flags.progress == "bar" || (flags.progress == "auto" && tty));
    plain_ = !flags.quiet && flags.progress == "plain";
  }
  void show(const Snapshot& now) {
    if (bar_) std::fprintf(stderr, "\r%s", text(now, true).c_str()), shown_ = true;
    const auto clock = std::chrono::steady_clock::now();
    if (plain_ && clock - last_ >= std::chrono::seconds(10))
      std::fprintf(stderr, "%s\n", text(now, false).c_str()), last_ = clock;
  }
  void end(const Snapshot* last) {
    if (bar_ && last != nullptr) std::fprintf(stderr, "\r%s", text(*last, true).c_str()), shown_ = true;
    if (shown_) std::fprintf(stderr, "\n");
  }

 private:
  static std::string text(const Snapshot& now, bool bar) {
    const double share = now.target > 0 ? static_cast<double>(now.done) / static_cast<double>(now.target) : 0.0;
    const double rate = now.elapsed_s > 0 ? static_cast<double>(now.done) / now.elapsed_s : 0.0;
    std::string out;
    if (bar && now.target > 0) {
      constexpr int width = 28;
      const int full = static_cast<int>(share * width);
      out += "[" + std::string(static_cast<std::size_t>(full), '#') +
             std::string(static_cast<std::size_t>(width - full), '.') + "] ";
    }
    if (now.target > 0) out += std::to_string(static_cast<int>(std::floor(share * 100))) + " %  ";
    out += std::to_string(now.done) + (now.target > 0 ? "/" + std::to_string(now.target) : "") + " replications";
    out += "  " + number_text(rate, 3) + " /s";
    if (std::isfinite(now.worst_relative_half_width))
      out += "  ±" + number_text(now.worst_relative_half_width * 100, 3) + " %";
    if (now.target > now.done && rate > 0)
      out += "  ETA " +
             std::to_string(static_cast<long>(std::ceil(static_cast<double>(now.target - now.done) / rate))) + " s";
    if (bar) out += std::string(out.size() < 96 ? 96 - out.size() : 0, ' ');
    return out;
  }
  bool bar_ = false, plain_ = false, shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::vector<std::string> names_of(const CompanyResults& company, bool long_run) {
  std::vector<std::string> out;
  for (const auto& set : company)
    if (is_long_run(*set) == long_run) out.push_back(set->provenance.solver);
  return out;
}

/// Bounds are shown as such: their middle is nobody's answer.
std::string exact_text(const MeasureResult& m) {
  return answer_of(m, false) == Answer::bounds ? interval_text(m) : value_text(m);
}

/// The estimates, and beside them what exact solvers say: one column each when all were asked for, else the first.
class Table {
 public:
  Table(const ResultSet& results, const CompanyResults& company, bool all)
      : results_(results), company_(company), all_(all) {
    simulated_ = !results.measures.empty() && !results.measures.front().exact;
    for (const MeasureResult& m : results.measures) {
      any_exact_ = any_exact_ || (simulated_ && !exact_answers(company, m.id).empty());
      any_cause_ = any_cause_ || m.causes.has_value();
      bounded_ = bounded_ || (!simulated_ && m.upper > m.lower);
      any_weight_ = any_weight_ || m.effective_samples > 0.0;
    }
    if (all) exact_ = names_of(company, false), limits_ = names_of(company, true);
    else if (any_exact_) exact_ = {"exact"};
  }

  void print() {
    const Answer own = results_.long_run ? Answer::long_run : simulated_ ? Answer::estimate : Answer::exact;
    std::vector<std::string> head = {"measure", to_text(own), "unit"};
    std::vector<bool> right = {false, true, false};
    const auto column = [&](const std::string& name, bool number) { head.push_back(name), right.push_back(number); };
    if (simulated_) column(number_text(results_.measures.front().confidence * 100, 4) + " % interval", false);
    if (bounded_) column("error at most", true);
    if (any_weight_) column("effective", true);
    for (const std::string& name : exact_)
      column(all_ ? answer_label(Answer::exact, name) : to_text(Answer::exact), true);
    if (!exact_.empty()) column("inside", false);
    for (const std::string& name : limits_) column(answer_label(Answer::long_run, name), true);
    if (any_cause_)
      for (const char* cause : {"independent", "non-lethal", "lethal"}) column(cause, true);
    std::vector<std::vector<std::string>> rows = {std::move(head)};
    for (const MeasureResult& m : results_.measures) rows.push_back(row(m));
    std::cout << text_table(rows, right);
  }

 private:
  std::vector<std::string> row(const MeasureResult& m) const {
    std::vector<std::string> out = {m.id, value_text(m), m.unit};
    if (simulated_) out.push_back(m.not_available.empty() ? interval_text(m) : m.not_available);
    if (bounded_) out.push_back(m.upper > m.lower ? number_text(0.5 * (m.upper - m.lower), 2) : "");
    if (any_weight_) out.push_back(m.effective_samples > 0.0 ? number_text(std::floor(m.effective_samples), 9) : "");
    const std::vector<const MeasureResult*> exact = exact_answers(company_, m.id);
    for (const std::string& name : exact_) {
      const auto own =
          std::find_if(exact.begin(), exact.end(), [&](const MeasureResult* e) { return !all_ || e->solver == name; });
      out.push_back(own == exact.end() ? "" : exact_text(**own));
    }
    if (!exact_.empty())
      out.push_back(exact.empty() || !m.not_available.empty() ? "" : all_inside(m, exact) ? "yes" : "no");
    for (const std::string& name : limits_) {
      const MeasureResult* limit = long_run_answer(company_, m.id);
      out.push_back(limit == nullptr || limit->solver != name ? ""
                    : limit->unit == m.unit                   ? value_text(*limit)
                                                              : value_text(*limit) + " " + limit->unit);
    }
    if (any_cause_)
      for (const char* cause : {"independent", "non_lethal", "lethal"})
        out.push_back(m.causes && m.causes->contains(cause) ? part_text(m, m.causes->at(cause)) : "");
    return out;
  }

  const ResultSet& results_;
  const CompanyResults& company_;
  bool all_, simulated_ = false, any_exact_ = false, any_cause_ = false, any_weight_ = false, bounded_ = false;
  std::vector<std::string> exact_, limits_;
};

nlohmann::ordered_json run_json(const ResultSet& results, const CompanyResults& company,
                                const std::vector<Declined>& declined, const Document& document, bool all) {
  nlohmann::ordered_json out = to_json(results);
  for (nlohmann::ordered_json& m : out["measures"]) {
    const std::string id = m["id"];
    const MeasureResult* own = results.measure(id);
    if (own == nullptr || own->exact) continue;
    const bool answered = own->not_available.empty();
    const std::vector<const MeasureResult*> exact = exact_answers(company, id);
    if (!exact.empty()) {
      m["exact_value"] = exact.front()->estimate;
      m["exact_solver"] = exact.front()->solver;
      if (answered) m["exact_inside_interval"] = inside(*own, *exact.front());
    }
    if (!all) continue;
    m["exact"] = nlohmann::ordered_json::array();
    for (const MeasureResult* e : exact) {
      m["exact"].push_back({{"solver", e->solver},
                            {"method", e->method},
                            {"value", e->estimate},
                            {"lower", e->lower},
                            {"upper", e->upper}});
      // Where nothing was estimated there is no interval to be inside of.
      if (answered) m["exact"].back()["inside_interval"] = inside(*own, *e);
    }
    if (const MeasureResult* limit = long_run_answer(company, id))
      m["long_run"] = {{"solver", limit->solver}, {"value", limit->estimate}, {"unit", limit->unit}};
  }
  if (!all) return out;
  out["solvers"] = nlohmann::ordered_json::array();
  out["solvers"].push_back({{"name", results.provenance.solver}, {"answered", true}});
  for (const auto& set : company)
    out["solvers"].push_back({{"name", set->provenance.solver},
                              {"answered", true},
                              {"options", set->provenance.options},
                              {"diagnostics", diagnostics_json(set->diagnostics, &document)}});
  for (const Declined& one : declined)
    out["solvers"].push_back(
        {{"name", one.solver}, {"answered", false}, {"reasons", diagnostics_json(one.reasons, &document)}});
  return out;
}

/// What the run itself found; the check before it printed the rest.
Diagnostics warnings_of_the_run(const ResultSet& results, const Diagnostics& printed) {
  Diagnostics out;
  for (const Diagnostic& d : results.diagnostics)
    if (std::none_of(printed.begin(), printed.end(),
                     [&](const Diagnostic& p) { return p.code == d.code && p.message == d.message; }))
      out.push_back(d);
  return out;
}

int execute(const Flags& flags) {
  if (is_chart_file(flags.model)) {
    const auto seed = flags.run.values.find("seed");
    return run_chart({flags.model, flags.events, flags.horizon,
                      seed == flags.run.values.end() ? std::string() : seed->second, flags.json, flags.quiet});
  }
  if (!flags.events.empty()) {
    std::fprintf(stderr, "error RUN010: --events is for SCXML documents; a model has events of its own.\n");
    return usage;
  }
  RunRequest request;
  if (const auto code = flags.run.fill(request)) return *code;
  const bool all = request.solver == "all";
  if (all) request.solver = "simulation";
  const Solver* solver = find_solver(request.solver);
  if (solver == nullptr) {
    std::vector<std::string> names = {"all"};
    for (const auto& known : solvers()) names.push_back(known->spec().name);
    const std::string near = nearest_word(request.solver, names);
    std::fprintf(stderr, "error RUN010: there is no solver \"%s\".%s\n", request.solver.c_str(),
                 near.empty() ? "" : (" Did you mean " + near + "?").c_str());
    return usage;
  }
  const Opened opened = open_model(flags.model);
  if (!opened.document) return model_invalid;
  request.model_path = opened.path, request.folder = opened.folder;

  const Diagnostics problems = check_model(*opened.document, request);
  // Warnings do not stop a run; they are printed, and kept with the results.
  if (!flags.quiet || has_errors(problems)) print_diagnostics(problems, &*opened.document);
  if (has_errors(problems)) return model_invalid;
  const Diagnostics reasons = solver->fits(*opened.document, request);
  if (has_errors(reasons)) {
    std::fprintf(stderr, "The solver %s does not fit this model:\n", solver->spec().name.c_str());
    print_diagnostics(reasons, &*opened.document);
    return run_error;
  }

  std::optional<ResultStore> store;
  if (!flags.no_store && opened.path != "-") {
    if (!flags.out.empty()) {
      std::error_code ignored;
      std::filesystem::create_directories(flags.out, ignored);
    }
    auto made = ResultStore::open(store_path(opened.path, flags.out));
    if (auto* good = std::get_if<ResultStore>(&made)) {
      store = std::move(*good);
    } else if (!flags.out.empty()) {
      print_diagnostics({std::get<Diagnostic>(made)}, nullptr);
      return run_error;
    } else {
      Diagnostic why = std::get<Diagnostic>(made);
      why.severity = Severity::warning;
      why.hint = "The run will not be kept; give a folder with --out.";
      print_diagnostics({why}, nullptr);
    }
  }

  Run run;
  Run::Order order{.document = *opened.document, .request = request, .solver = solver, .company = {}};
  if (all) order.state_limit = request.state_limit, order.patience_s = std::numeric_limits<double>::infinity();
  if (!solver->spec().exact && (all || !flags.no_cross_check))
    for (const auto& other : solvers())
      if (other->spec().exact && (all || !other->spec().long_run)) order.company.push_back(other.get());
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  run.start(std::move(order));
  ProgressLine progress(flags);
  while (run.active()) {
    if (interrupts > 0 && run.enabled(RunVerb::stop)) run.stop();
    if (const auto snapshot = run.latest()) progress.show(*snapshot);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  run.wait();
  const auto last = run.latest();
  progress.end(last.get());

  const auto result = run.result();
  if (run.state() == RunState::failed)
    std::fprintf(stderr, "error RUN001: the run failed: %s\n", run.failure().c_str());
  if (result != nullptr && !flags.quiet) print_diagnostics(warnings_of_the_run(*result, problems), &*opened.document);
  if (result == nullptr) return interrupts > 0 ? interrupted : run_error;
  int code = ok;
  const CompanyResults company = run.company();
  const auto keep = [&](const ResultSet& results) {
    if (const auto problem = store->add(results)) {
      print_diagnostics({*problem}, nullptr);
      code = run_error;
    } else if (!flags.quiet) {
      std::fprintf(stderr, "run %s kept in %s\n", results.provenance.run_id.c_str(), store->path().c_str());
    }
  };
  if (store) {
    if (all)
      for (const auto& other : company) keep(*other);
    keep(*result);
  }
  if (flags.json) {
    std::cout << run_json(*result, company, run.declined(), *opened.document, all).dump(2) << "\n";
  } else {
    Table(*result, company, all).print();
    if (all) {
      for (const auto& other : company)
        if (!flags.quiet) print_diagnostics(other->diagnostics, &*opened.document);
      for (const Declined& one : run.declined()) {
        std::cout << "\n" << one.solver << " gave no answer:\n" << std::flush;
        print_diagnostics(one.reasons, &*opened.document, stdout);
      }
    }
    if (!solver->spec().exact)
      std::cout << "\n"
                << result->replications << " replications, seed " << result->provenance.seed << ", stopped by "
                << result->stop_reason << "\n";
  }
  if (!flags.report.empty()) {
    if (const int wrote = write_output(flags.report, make_report(&*opened.document, *result, opened.folder));
        wrote != ok)
      code = wrote;
  }
  if (!std::cout.flush()) return run_error;
  if (interrupts > 0) return interrupted;
  if (run.state() == RunState::failed) return run_error;
  if (code == ok && result->status == RunStatus::partial) {
    std::fprintf(stderr, "The results are partial: stopped by %s.\n", result->stop_reason.c_str());
    return not_reached;
  }
  // Whoever names both a precision and a number of replications wants to know when the number was too small.
  if (code == ok && request.precision && result->stop_reason != "precision" && !solver->spec().exact) {
    std::fprintf(stderr, "The precision %s was not reached: stopped by %s.\n", number_text(*request.precision).c_str(),
                 result->stop_reason.c_str());
    return not_reached;
  }
  return code;
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  CLI::App* sub = app.add_subcommand("run", R"(Examples:
  ergode run plant.ergode
  ergode run plant.ergode --replications 1e6 --seed 7 --threads 2 --json
  ergode run plant.ergode --precision 0.01 --set "repair_crews = 2" --scenario base
  ergode run plant.ergode --solver ccf-closed-form --set delay_law=exponential
  ergode run machine.scxml --events "t1,t2@+100ms,t3@2s" --horizon 10s --json
  ergode run plant.ergode --solver ctmc-transient --error-bound 1e-14
  ergode run plant.ergode --solver all --json

Runs a model and prints its measures. Exact solvers that fit the model are asked too; their values stand beside the
estimates. The run is kept in MODEL's store of results.

An SCXML document is run once, in simulated time, until it reaches a final state or the horizon; printed are the states
that are active at the start and after each event. An event comes as soon as the chart is at rest, or at a time since
the start (@2s) or since the event before it (@+100ms).)");
  sub->add_option("MODEL", flags->model, "Model file; - reads standard input.")->required();
  std::vector<std::string> options;
  for (const RunOptionSpec& option : run_option_specs()) options.push_back(option.name);
  flags->run.add_to(*sub, options);
  sub->add_flag("--json", flags->json, "Print one JSON document: run, measures, series.");
  sub->add_option("--events", flags->events, "SCXML: events given to the chart: t1,t2@+100ms,t3@2s.")
      ->type_name("LIST");
  sub->add_option("--horizon", flags->horizon, "SCXML: end of the run. Default: 10s.")->type_name("TIME");
  sub->add_option("--out", flags->out, "Folder for the store of results; default: beside the model.")
      ->type_name("FOLDER");
  sub->add_option("--report", flags->report, "Write an HTML report too.")->type_name("FILE");
  sub->add_flag("--no-store", flags->no_store, "Do not keep the run.");
  sub->add_flag("--no-cross-check", flags->no_cross_check, "Do not ask exact solvers.");
  sub->add_option("--progress", flags->progress,
                  "bar, plain (a line each ten seconds), none; default: a bar on a terminal.")
      ->check(CLI::IsMember({"auto", "bar", "plain", "none"}));
  sub->add_flag("-q,--quiet", flags->quiet, "No messages but errors.");
  sub->callback([flags, &chosen] { chosen = [flags] { return execute(*flags); }; });
}

}  // namespace ergode::cli
