#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "app/cli/commands.h"
#include "app/session/check.h"
#include "app/session/publish.h"
#include "app/session/run.h"
#include "core/base/text.h"
#include "core/results/result_json.h"
#include "core/results/result_store.h"
#include "solvers/registry.h"

namespace ergode::cli {
namespace {

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int) {
  interrupts = interrupts + 1;
  if (interrupts > 1) std::_Exit(interrupted);
}

struct Flags {
  std::string model, out, report, progress = "auto";
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

const MeasureResult* exact_value(const std::vector<std::shared_ptr<const ResultSet>>& company, const std::string& id) {
  for (const auto& set : company)
    if (const MeasureResult* m = set->measure(id); m != nullptr && m->not_available.empty()) return m;
  return nullptr;
}

bool inside(const MeasureResult& m, double exact) { return exact >= m.lower && exact <= m.upper; }

std::string value_text(double v) { return std::isfinite(v) ? number_text(v, 6) : "–"; }

void print_table(const ResultSet& results, const std::vector<std::shared_ptr<const ResultSet>>& company) {
  const bool simulated = !results.measures.empty() && !results.measures.front().exact;
  bool any_exact = false, any_cause = false;
  for (const MeasureResult& m : results.measures) {
    any_exact = any_exact || (simulated && exact_value(company, m.id) != nullptr);
    any_cause = any_cause || m.causes.has_value();
  }
  std::vector<std::vector<std::string>> rows(1);
  rows[0] = {"measure", "estimate", "unit"};
  std::vector<bool> right = {false, true, false};
  if (simulated) {
    rows[0].push_back(number_text(results.measures.front().confidence * 100, 4) + " % interval");
    right.push_back(false);
  }
  if (any_exact) rows[0].insert(rows[0].end(), {"exact", "inside"}), right.insert(right.end(), {true, false});
  if (any_cause)
    rows[0].insert(rows[0].end(), {"independent", "non-lethal", "lethal"}),
        right.insert(right.end(), {true, true, true});
  for (const MeasureResult& m : results.measures) {
    std::vector<std::string> row = {m.id, value_text(m.estimate), m.unit};
    if (simulated)
      row.push_back(m.not_available.empty() ? "[" + value_text(m.lower) + ", " + value_text(m.upper) + "]"
                                            : m.not_available);
    if (any_exact) {
      const MeasureResult* exact = exact_value(company, m.id);
      row.push_back(exact == nullptr ? "" : value_text(exact->estimate));
      row.push_back(exact == nullptr || !m.not_available.empty() ? "" : inside(m, exact->estimate) ? "yes" : "no");
    }
    if (any_cause)
      for (const char* cause : {"independent", "non_lethal", "lethal"})
        row.push_back(m.causes && m.causes->contains(cause) ? value_text(m.causes->at(cause)) : "");
    rows.push_back(std::move(row));
  }
  std::cout << text_table(rows, right);
}

nlohmann::ordered_json run_json(const ResultSet& results,
                                const std::vector<std::shared_ptr<const ResultSet>>& company) {
  nlohmann::ordered_json out = to_json(results);
  for (nlohmann::ordered_json& m : out["measures"]) {
    const std::string id = m["id"];
    const MeasureResult* own = results.measure(id);
    const MeasureResult* exact = exact_value(company, id);
    if (own == nullptr || own->exact || exact == nullptr) continue;
    m["exact_value"] = exact->estimate;
    m["exact_solver"] = exact->solver;
    m["exact_inside_interval"] = own->not_available.empty() && inside(*own, exact->estimate);
  }
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
  RunRequest request;
  if (const auto code = flags.run.fill(request)) return *code;
  const Solver* solver = find_solver(request.solver);
  if (solver == nullptr) {
    std::vector<std::string> names;
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
  if (!solver->spec().exact && !flags.no_cross_check)
    for (const auto& other : solvers())
      if (other->spec().exact) order.company.push_back(other.get());
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
  if (store) {
    if (const auto problem = store->add(*result)) {
      print_diagnostics({*problem}, nullptr);
      code = run_error;
    } else if (!flags.quiet) {
      std::fprintf(stderr, "run %s kept in %s\n", result->provenance.run_id.c_str(), store->path().c_str());
    }
  }
  const auto company = run.company();
  if (flags.json) {
    std::cout << run_json(*result, company).dump(2) << "\n";
  } else {
    print_table(*result, company);
    if (!solver->spec().exact)
      std::cout << "\n"
                << result->replications << " replications, seed " << result->provenance.seed << ", stopped by "
                << result->stop_reason << "\n";
  }
  if (!flags.report.empty()) {
    std::vector<ResultSet> sets = {*result};
    for (const auto& other : company) sets.push_back(*other);
    if (const int wrote = write_output(flags.report, make_report(&*opened.document, sets, opened.folder)); wrote != ok)
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

Runs a model and prints its measures. Exact solvers that fit the model are asked too; their values stand beside the
estimates. The run is kept in MODEL's store of results.)");
  sub->add_option("MODEL", flags->model, "Model file; - reads standard input.")->required();
  flags->run.add_to(*sub, {"solver", "scenario", "seed", "replications", "threads", "precision", "wall-time",
                           "confidence", "variance-reduction", "bias-probability", "importance", "levels", "effort"});
  sub->add_flag("--json", flags->json, "Print one JSON document: run, measures, series.");
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
