#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <set>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/progress_line.h"
#include "app/cli/run_output.h"
#include "app/session/check.h"
#include "app/session/import.h"
#include "app/session/keep.h"
#include "app/session/overload.h"
#include "app/session/publish.h"
#include "app/session/run.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/expression/machine_code.h"
#include "core/results/result_csv.h"
#include "core/results/result_store.h"
#include "core/study/precision_goals.h"
#include "solvers/registry.h"
#include "solvers/run_options.h"

namespace ergode::cli {
namespace {

struct RunCommandFlags {
  std::string model, out, report, progress, events, horizon = "10s", resume, table;
  bool json = false, force = false, no_store = false, no_cross_check = false, refuse_overload = false;
  RunFlags run;
  std::vector<std::string> given;  ///< names of the flags on the command line
};

/// One `ergode run`, from its flags to its exit code.
class RunCommand {
 public:
  explicit RunCommand(const RunCommandFlags& flags) : flags_(flags) {}

  int execute() {
    if (const auto code = ask()) return *code;
    if (const auto code = check()) return *code;
    const Output report{flags_.report, {.force = flags_.force, .inputs = {opened_.path}}};
    if (!flags_.report.empty())
      if (const int code = may_write_report(report); code != ok) return code;
    if (!flags_.no_store && opened_.path != "-") store_ = store_path(opened_.path, flags_.out);
    if (resumed_)
      if (const auto sooner = take_up(store_, *resumed_)) return print_diagnostics({*sooner}, nullptr), run_error;
    run();
    const auto result = run_.result();
    if (result == nullptr && was_interrupted())
      return tell("Stopped before there was a result: nothing was kept."), interrupted;
    if (run_.state() == RunState::failed) {
      const std::string why = run_.failure();
      constexpr std::string_view own = "RUN001: ";  // said once
      const std::string text = "the run failed: " + (why.starts_with(own) ? why.substr(own.size()) : why);
      complain("RUN001", text);
      Diagnostics by = run_.failed_by();
      if (by.empty()) by.push_back({.code = "RUN001", .message = text});
      if (result == nullptr) return not_run(by, run_error);
    }
    if (result == nullptr) return run_error;
    print_diagnostics(found_by_the_run(*result, problems_), &*opened_.document);
    int code = keep(result);
    if (!flags_.table.empty() && table_asked(*result) == nullptr) return complain_of_table(*result);
    // Before anything is printed: whoever reads that may close the pipe.
    if (!flags_.report.empty()) {
      const int wrote = write_output(report, make_report(*question_, *result));
      if (wrote != ok) code = wrote;
    }
    show(*result);
    const bool tables_left_out = std::any_of(result->diagnostics.begin(), result->diagnostics.end(),
                                             [](const Diagnostic& d) { return d.code == "RUN045"; });
    if (was_interrupted() && (result->status != RunStatus::complete || tables_left_out)) return interrupted;
    if (run_.state() == RunState::failed) return run_error;
    return code == ok ? reached(*result) : code;
  }

 private:
  /// What is asked for: by the flags, or by the journal of the run that is taken up again.
  std::optional<int> ask() {
    if (flags_.resume.empty()) {
      if (const auto code = flags_.run.fill(request_)) return code;
      beside_ = request_.solver == "all" ? Beside::all : flags_.no_cross_check ? Beside::none : Beside::quick;
      if (const Diagnostics unused = options_without_use(flags_.run.values, request_); !unused.empty())
        return print_diagnostics(unused, nullptr), usage;
    }
    Diagnostics found_in_file;
    opened_ = open_model(flags_.model, &found_in_file);
    print_diagnostics(found_in_file, opened_.document ? &*opened_.document : nullptr);
    if (!opened_.document) return not_run(found_in_file, model_invalid);
    if (!flags_.resume.empty()) {
      const auto store = ResultStore::open(store_path(opened_.path, flags_.out), ResultStore::Access::existing);
      if (const auto* problem = std::get_if<Diagnostic>(&store))
        return print_diagnostics({*problem}, nullptr), run_error;
      auto found = find_resumable(std::get<ResultStore>(store), flags_.resume, *opened_.document,
                                  {opened_.folder, flags_.run.allowed_folders});
      if (const auto* problem = std::get_if<Diagnostic>(&found))
        return print_diagnostics({*problem}, nullptr), run_error;
      auto& resumable = std::get<Resumable>(found);
      request_ = std::move(resumable.request), beside_ = resumable.beside, resumed_ = std::move(resumable.journal);
      request_.allowed_folders = flags_.run.allowed_folders;
      // The number of threads is the machine's; nothing else may change.
      if (const auto threads = flags_.run.values.find("threads");
          threads != flags_.run.values.end() && !threads->second.empty())
        if (const auto problem = set_run_option(request_, "threads", threads->second))
          return print_diagnostics({*problem}, nullptr), usage;
    }
    request_.model_path = opened_.path, request_.folder = opened_.folder;
    request_.allowed_folders = flags_.run.allowed_folders;  // Never by a journal: permission is the user's, each time.
    if (flags_.resume.empty()) permit_named_files(*opened_.document, request_);
    if (beside_ == Beside::all) request_.solver = "simulation";
    solver_ = find_solver(request_.solver);
    if (solver_ != nullptr) return std::nullopt;
    std::vector<std::string> names = {"all"};
    for (const auto& known : solvers()) names.push_back(known->spec().name);
    const std::string near = nearest_word(request_.solver, names);
    complain("RUN010", "there is no solver \"" + request_.solver + "\".",
             near.empty() ? "" : "Did you mean " + near + "?");
    return usage;
  }

  std::optional<int> check() {
    question_.emplace(*opened_.document, request_);
    problems_ = check_model(*question_);
    // Warnings do not stop a run; they are printed, and kept with the results.
    print_diagnostics(problems_, &*opened_.document);
    if (has_errors(problems_)) {
      tell("Nothing was run. Mend the errors above in " + opened_.path + ", or open it in ergode-workbench.");
      return not_run(problems_, model_invalid);
    }
    if (const Diagnostics overloads = overloads_among(problems_); flags_.refuse_overload && !overloads.empty()) {
      complain("RUN048", "Nothing was run, as --refuse-overload asks: " + overload_text(overloads));
      return not_run(problems_, model_invalid);
    }
    if (const Diagnostics unused = unused_by_the_model(); !unused.empty())
      return print_diagnostics(unused, nullptr), usage;
    const Diagnostics reasons = solver_->fits(*question_);
    if (!has_errors(reasons)) return std::nullopt;
    complain("RUN005", "The solver " + solver_->spec().name + " does not fit this model:");
    print_diagnostics(reasons, &*opened_.document);
    return not_run(reasons, run_error);
  }

  /// Whoever reads JSON learns why there are no results. @returns the code
  int not_run(const Diagnostics& why, int code) const {
    if (flags_.json)
      std::cout << json_text(problems_json(why, opened_.document ? &*opened_.document : nullptr)) << "\n";
    return code;
  }

  /// Options of the integration where nothing is integrated. The model is asked only when there is one of them.
  Diagnostics unused_by_the_model() const {
    if (!flags_.resume.empty()) return {};
    RunRequest asked = request_;
    if (beside_ == Beside::all) asked.solver = "all";
    const auto& given = flags_.run.values;
    if (options_without_use(given, asked, false).empty()) return {};
    return options_without_use(given, asked, integrates(*question_));
  }

  void run() {
    Run::Order order{.question = *question_, .solver = solver_, .company = {}};
    std::vector<const Solver*> known;
    for (const auto& one : solvers()) known.push_back(one.get());
    order.ask_beside(beside_, known);
    order.resumed = resumed_;
    if (!store_.empty()) {
      if (!flags_.out.empty()) {
        std::error_code ignored;
        std::filesystem::create_directories(flags_.out, ignored);
      }
      order.journal_store = store_;
    }
    watch_interrupts();
    run_.start(std::move(order));
    ProgressLine progress(flags_.progress);
    while (run_.active()) {
      if (was_interrupted() && run_.enabled(RunVerb::stop)) run_.stop();
      if (const auto first = run_.first()) progress.show(*first);
      else if (const auto snapshot = run_.latest()) progress.show(*snapshot);
      print_told(progress);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    run_.wait();
    print_told(progress);
    const auto last = run_.latest();
    progress.end(last.get());
  }

  /// What the run says while it goes on; not said again at its end.
  void print_told(ProgressLine& progress) {
    const Diagnostics told = run_.told();
    if (told.size() == told_) return;
    progress.interrupt();
    const Diagnostics fresh(told.begin() + static_cast<std::ptrdiff_t>(told_), told.end());
    print_diagnostics(fresh, &*opened_.document);
    problems_.insert(problems_.end(), fresh.begin(), fresh.end());
    told_ = told.size();
  }

  /// Into the store, its company before it when all were asked for; elsewhere when the store cannot be written.
  int keep(const std::shared_ptr<const ResultSet>& result) {
    if (store_.empty()) return ok;
    std::vector<std::shared_ptr<const ResultSet>> runs;
    if (beside_ == Beside::all) runs = run_.company();
    runs.push_back(result);
    const Kept kept = keep_runs(store_, runs);
    print_diagnostics(kept.diagnostics, nullptr);
    if (kept.store.empty()) return run_error;
    // Whoever looks for the run must know where it went, however little he wants to hear.
    if (talk() == Talk::quiet && kept.store != store_)
      complain("RES013", "The run is kept in " + kept.store + ".", {}, Severity::warning);
    for (const auto& one : runs) tell("run " + one->provenance.run_id + " kept in " + kept.store);
    if (resumed_) settle_resumed(store_, *resumed_, *result);
    const bool has_journal = !request_.options.contains("output-analysis");  // one long run keeps none
    if (result->status == RunStatus::partial && kept.store == store_ && has_journal)
      tell("`ergode run " + opened_.path + " --resume " + result->provenance.run_id +
           (flags_.out.empty() ? "" : " --out " + flags_.out) + "` goes on with it");
    return ok;
  }

  void show(const ResultSet& result) const {
    const bool all = beside_ == Beside::all;
    const CompanyResults company = run_.company();
    if (!flags_.table.empty()) {
      const ResultTable& table = *table_asked(result);
      std::cout << table_csv(table);
      if (const std::size_t guarded = guarded_cells(table); guarded > 0)
        tell(counted(guarded, "cell") +
             " begin as formulas do and have an apostrophe before them, so that no spreadsheet "
             "runs them; --json has them as they are");
      return;
    }
    if (flags_.json) {
      write_run_json(std::cout, result, company, run_.declined(), all ? &*opened_.document : nullptr);
      return;
    }
    if (result.measures.empty())
      std::cout << "Nothing was asked: the model has no measures. Add some, in the workbench by Model > Measure every "
                   "element, and run it again.\n";
    print_run_table(result, company, all);
    if (all)
      for (const auto& other : company) print_diagnostics(other->diagnostics, &*opened_.document);
    const bool in_full = all || talk() == Talk::verbose;
    // A solver that does not fit the model is no news; one that would have had the answer is.
    if (!all)
      for (const auto& other : company)
        for (const Diagnostic& d : other->diagnostics)
          if (d.code == "SOL005") std::cout << "\n" << d.message << "\n";
    if (!in_full)
      for (const Declined& one : run_.declined())
        if (one.fits) std::cout << "\n" << one.solver << " gave no answer. " << why(one) << "\n";
    if (in_full)
      for (const Declined& one : run_.declined()) {
        std::cout << "\n" << one.solver << " gave no answer:\n" << std::flush;
        print_diagnostics(one.reasons, &*opened_.document, stdout);
      }
    if (!solver_->spec().exact)
      std::cout << "\n"
                << counted(result.replications, "replication") << ", seed " << result.provenance.seed << ", stopped by "
                << result.stop_reason << "\n";
  }

  /// Of the run, else of an exact solver beside it; null: there is none.
  const ResultTable* table_asked(const ResultSet& result) const {
    for (const ResultTable& table : result.tables)
      if (table.name == flags_.table) return &table;
    for (const auto& other : run_.company())
      for (const ResultTable& table : other->tables)
        if (table.name == flags_.table) return &table;
    return nullptr;
  }
  int complain_of_table(const ResultSet& result) const {
    // Of several solvers with a table of one name the first is printed.
    std::vector<std::string> known;
    const auto add = [&](const ResultSet& one) {
      for (const ResultTable& table : one.tables)
        if (std::find(known.begin(), known.end(), table.name) == known.end()) known.push_back(table.name);
    };
    add(result);
    for (const auto& other : run_.company()) add(*other);
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    const std::string near = nearest_word(flags_.table, known);
    complain("RUN010",
             "--table is \"" + quotable(flags_.table) + "\"; " +
                 (names.empty() ? "the run has no tables." : "wanted one of: " + names + "."),
             near.empty() ? "" : "Did you mean " + near + "?");
    return usage;
  }

  int reached(const ResultSet& result) const {
    if (result.status == RunStatus::partial) {
      complain("RUN006", "The results are partial: stopped by " + result.stop_reason + ".");
      return not_reached;
    }
    // Whoever names both a precision and a number of replications wants to know when the number was too small.
    if (const auto which = precision_not_reached(result)) {
      complain("RUN006", "The precision was not reached: stopped by " + result.stop_reason + ". " + *which);
      return not_reached;
    }
    return ok;
  }

  const RunCommandFlags& flags_;
  RunRequest request_;
  Beside beside_ = Beside::quick;
  Opened opened_;
  std::optional<Question> question_;  ///< from check() on
  const Solver* solver_ = nullptr;
  Diagnostics problems_;
  std::optional<RunJournal> resumed_;
  std::string store_;
  std::size_t told_ = 0;  ///< so many of what the run said are printed
  Run run_;
};

/// RunCommandFlags that mean nothing for what is run are refused: whoever gives one believes that it does something.
std::optional<int> refuse_others(const RunCommandFlags& flags, const std::set<std::string>& known, const char* what) {
  for (const std::string& name : flags.given)
    if (!known.contains(name)) {
      complain("RUN010", name + " means nothing for " + what + ".", "Leave it out.");
      return usage;
    }
  return std::nullopt;
}

int execute(const RunCommandFlags& flags) {
  static const std::set<std::string> of_output = {"MODEL", "--json", "--quiet", "--verbose", "--no-color"};
  const auto with = [&](std::set<std::string> more) {
    more.insert(of_output.begin(), of_output.end());
    return more;
  };
  if (is_chart_file(flags.model)) {
    if (const auto code = refuse_others(flags, with({"--events", "--horizon", "--seed", "--no-store", "--progress"}),
                                        "an SCXML document"))
      return *code;
    RunRequest request;
    if (const auto code = flags.run.fill(request)) return *code;
    return run_chart({flags.model, flags.events, flags.horizon, request.seed.value_or(1), flags.json});
  }
  for (const char* own : {"--events", "--horizon"})
    if (std::find(flags.given.begin(), flags.given.end(), own) != flags.given.end()) {
      complain("RUN010", std::string(own) + " is for SCXML documents; a model has its own.");
      return usage;
    }
  if (!flags.out.empty() && (flags.no_store || flags.model == "-")) {
    complain("RUN010",
             std::string("--out names the folder of the store, and ") +
                 (flags.no_store ? "--no-store keeps nothing." : "a model of standard input has none."),
             "Leave one of them out.");
    return usage;
  }
  if (!flags.resume.empty())
    if (const auto code = refuse_others(
            flags, with({"--resume", "--threads", "--out", "--report", "--force", "--progress", "--allow-folder"}),
            "a run that is taken up again"))
      return *code;
  return RunCommand(flags).execute();
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<RunCommandFlags>();
  CLI::App* sub = app.add_subcommand("run", R"(Examples:
  ergode run plant.ergode
  ergode run plant.ergode --replications 1e6 --seed 7 --threads 2 --json
  ergode run plant.ergode --precision 0.01 --set "repair_crews = 2" --scenario base
  ergode run plant.ergode --precision 0.03 --precision response=0.01
  ergode run plant.ergode --solver ccf-closed-form --set delay_law=exponential
  ergode run machine.scxml --events "t1,t2@+100ms,t3@2s" --horizon 10s --json
  ergode run plant.ergode --solver ctmc-transient --error-bound 1e-14
  ergode run plant.ergode --solver all --json
  ergode run plant.ergode --resume latest        go on with a run that was interrupted

Runs a model and prints its measures. Exact solvers that fit the model are asked too; their values stand beside the
estimates. The run is kept in MODEL's store of results.

An SCXML document is run once, in simulated time, until it reaches a final state or the horizon; printed are the states
that are active at the start and after each event. An event comes as soon as the chart is at rest, or at a time since
the start (@2s) or since the event before it (@+100ms).)");
  sub->add_option("MODEL", flags->model, "Model file; - reads standard input.")->required();
  std::vector<std::string> options;
  for (const RunOption& option : run_options()) options.push_back(option.name);
  flags->run.add_to(*sub, options);
  sub->add_flag(
      "--json", flags->json,
      "Print one JSON document: run, measures, series; of a model that is not run, or whose run fails, its problems.");
  sub->add_option("--table", flags->table, "Print one table of the run whole, as CSV: jobs, decisions.")
      ->type_name("NAME")
      ->excludes("--json");
  sub->add_option("--events", flags->events, "SCXML: events given to the chart: t1,t2@+100ms,t3@2s.")
      ->type_name("LIST");
  sub->add_option("--horizon", flags->horizon, "SCXML: end of the run. Default: 10s.")->type_name("TIME");
  sub->add_option("--out", flags->out, "Folder for the store of results; default: beside the model.")
      ->type_name("FOLDER");
  sub->add_option("--report", flags->report, "Write an HTML report too.")->type_name("FILE");
  sub->add_flag("--no-store", flags->no_store, "Do not keep the run.");
  sub->add_flag("--no-cross-check", flags->no_cross_check, "Do not ask exact solvers.");
  sub->add_flag("--refuse-overload", flags->refuse_overload,
                "Do not run a model in which a station gets more work than it can do (QN010); else that is a warning.");
  // Hidden: the results are the same bit for bit, so nobody needs it but who doubts that; see core/README.md.
  sub->add_flag_callback("--interpret", [] { use_machine_code(false); })->group("");
  add_progress_flag(*sub, flags->progress);
  sub->add_option(
         "--resume", flags->resume,
         "Go on with a run that was interrupted; `ergode results MODEL` lists them. It ends with the bits of a "
         "run that was not.")
      ->type_name("RUN");
  add_force_flag(*sub, flags->force);
  sub->callback([flags, sub, &chosen] {
    for (const CLI::Option* option : sub->get_options())
      if (option->count() > 0) flags->given.push_back(option->get_name());
    chosen = [flags] { return execute(*flags); };
  });
}

}  // namespace ergode::cli
