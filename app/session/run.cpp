#include "app/session/run.h"

#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/statechart/event.hpp>
#include <boost/statechart/simple_state.hpp>
#include <boost/statechart/state.hpp>
#include <boost/statechart/state_machine.hpp>
#include <boost/statechart/transition.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/session/stamp.h"
#include "core/base/text.h"
#include "solvers/markov/markov_options.h"

namespace ergode {

namespace sc = boost::statechart;
namespace mpl = boost::mpl;

// Boost.Statechart names a function of every event that it never defines: that takes types with linkage.
namespace run_events {

struct StartAsked : sc::event<StartAsked> {};
struct PauseAsked : sc::event<PauseAsked> {};
struct ResumeAsked : sc::event<ResumeAsked> {};
struct StopAsked : sc::event<StopAsked> {};
struct Prepared : sc::event<Prepared> {};
struct Returned : sc::event<Returned> {};
struct Completed : sc::event<Completed> {};
struct Interrupted : sc::event<Interrupted> {};
struct Fault : sc::event<Fault> {};

}  // namespace run_events

namespace {

using namespace run_events;

struct Idle;
struct Active;
struct Preparing;
struct Running;
struct Advancing;
struct Paused;
struct Finishing;
struct Done;
struct Cancelled;
struct Failed;

struct Chart : sc::state_machine<Chart, Idle> {
  RunState state = RunState::idle;
  std::set<RunVerb> verbs;
  std::shared_ptr<RunControl> control;
  void enter(RunState now, std::set<RunVerb> allowed) {
    state = now;
    verbs = std::move(allowed);
  }
};

struct Idle : sc::state<Idle, Chart> {
  using reactions = sc::transition<StartAsked, Active>;
  explicit Idle(my_context c) : my_base(c) { context<Chart>().enter(RunState::idle, {RunVerb::start}); }
};

struct Active : sc::simple_state<Active, Chart, Preparing> {
  using reactions = sc::transition<Fault, Failed>;
};

struct Preparing : sc::state<Preparing, Active> {
  using reactions = mpl::list<sc::transition<Prepared, Running>, sc::transition<StopAsked, Finishing>>;
  explicit Preparing(my_context c) : my_base(c) { context<Chart>().enter(RunState::preparing, {RunVerb::stop}); }
};

struct Running : sc::simple_state<Running, Active, Advancing> {
  using reactions = mpl::list<sc::transition<StopAsked, Finishing>, sc::transition<Returned, Finishing>>;
};

struct Advancing : sc::state<Advancing, Running> {
  using reactions = sc::transition<PauseAsked, Paused>;
  explicit Advancing(my_context c) : my_base(c) {
    context<Chart>().enter(RunState::advancing, {RunVerb::pause, RunVerb::stop});
  }
};

struct Paused : sc::state<Paused, Running> {
  using reactions = sc::transition<ResumeAsked, Advancing>;
  explicit Paused(my_context c) : my_base(c), control_(context<Chart>().control) {
    context<Chart>().enter(RunState::paused, {RunVerb::resume, RunVerb::stop});
    control_->pause = true;
  }
  ~Paused() {
    control_->paused_s = control_->paused_s + std::chrono::duration<double>(Clock::now() - since_).count();
    control_->pause = false;
  }
  using Clock = std::chrono::steady_clock;
  std::shared_ptr<RunControl> control_;
  Clock::time_point since_ = Clock::now();
};

struct Finishing : sc::state<Finishing, Active> {
  using reactions = mpl::list<sc::transition<Completed, Done>, sc::transition<Interrupted, Cancelled>>;
  explicit Finishing(my_context c) : my_base(c) {
    Chart& chart = context<Chart>();
    const bool asked = dynamic_cast<const StopAsked*>(triggering_event()) != nullptr;
    chart.enter(RunState::finishing, {});
    if (asked) chart.control->stop.request_stop();
  }
};

struct Done : sc::state<Done, Chart> {
  using reactions = sc::transition<StartAsked, Active>;
  explicit Done(my_context c) : my_base(c) { context<Chart>().enter(RunState::done, {RunVerb::start}); }
};

struct Cancelled : sc::state<Cancelled, Chart> {
  using reactions = sc::transition<StartAsked, Active>;
  explicit Cancelled(my_context c) : my_base(c) { context<Chart>().enter(RunState::cancelled, {RunVerb::start}); }
};

struct Failed : sc::state<Failed, Chart> {
  using reactions = sc::transition<StartAsked, Active>;
  explicit Failed(my_context c) : my_base(c) { context<Chart>().enter(RunState::failed, {RunVerb::start}); }
};

/// Stops a solver when another stop is asked for or its time is over, whichever comes first.
class Deadline {
 public:
  Deadline(std::stop_source stop, std::stop_token other, double seconds)
      : passed_on_(std::move(other), [stop]() mutable { stop.request_stop(); }),
        watch_([this, stop, seconds](const std::stop_token& over) mutable {
          std::unique_lock lock(mutex_);
          const std::chrono::duration<double> limit(std::min(seconds, 1e8));
          if (!ended_.wait_for(lock, over, limit, [] { return false; }) && !over.stop_requested()) stop.request_stop();
        }) {}

 private:
  std::stop_callback<std::function<void()>> passed_on_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread watch_;  // last: it is joined before what it uses goes
};

std::string first_error(const Diagnostics& list, std::string otherwise) {
  for (const Diagnostic& d : list)
    if (d.severity == Severity::error) return d.code.empty() ? d.message : d.code + ": " + d.message;
  return otherwise;
}

constexpr const char* stopped_without_result = "It was stopped before there was a result.";

}  // namespace

/// Everything the front end and the worker share; every field is guarded by the mutex.
struct Run::Lifecycle {
  mutable std::mutex mutex;
  std::condition_variable ended;
  Chart chart;
  std::shared_ptr<RunControl> control = std::make_shared<RunControl>();
  RunRequest request;
  std::shared_ptr<const ResultSet> result;
  CompanyResults company;
  std::vector<Declined> declined;
  std::string failure;
  Diagnostics failed_by;
  std::string journal_store;  ///< of the run going on; it may move before there is a journal
  std::unique_ptr<JournalWriter> journal;
  std::jthread worker;

  bool active() const {
    return chart.state == RunState::preparing || chart.state == RunState::advancing ||
           chart.state == RunState::paused || chart.state == RunState::finishing;
  }

  template <typename Event>
  bool ask(RunVerb verb, const Event& event) {
    const std::lock_guard lock(mutex);
    if (!chart.verbs.contains(verb)) return false;
    chart.process_event(event);
    return true;
  }

  void fail(std::string text, Diagnostics by = {}) {
    const std::lock_guard lock(mutex);
    failure = std::move(text), failed_by = std::move(by);
    chart.process_event(Fault());
    ended.notify_all();
  }

  /// What stood beside the run belongs to its record. The mutex is held.
  void keep(ResultSet results) {
    results.company = company, results.declined = declined;
    result = std::make_shared<const ResultSet>(std::move(results));
  }

  void finish(ResultSet results) {
    const std::lock_guard lock(mutex);
    const bool partial = results.status == RunStatus::partial;
    keep(std::move(results));
    chart.process_event(Returned());
    if (partial) chart.process_event(Interrupted());
    else chart.process_event(Completed());
    ended.notify_all();
  }

  /// The answer, or nothing and the reasons.
  std::shared_ptr<const ResultSet> ask(const Solver& solver, const Order& order, const Question& question,
                                       Declined& declining) {
    Diagnostics& reasons = declining.reasons;
    reasons = solver.fits(question);
    if (has_errors(reasons)) return nullptr;
    declining.fits = true;
    RunControl own;
    own.limits = order.company_limits;
    // Solvers keep their limits; who knows of none is stopped a little later.
    const double patience_s = order.company_limits.time_s.value_or(std::numeric_limits<double>::infinity());
    const Deadline deadline(own.stop, control->stop.get_token(), 1.1 * patience_s);
    auto answer = std::make_shared<const ResultSet>(solve_stamped(solver, question, own));
    if (answer->status == RunStatus::complete) return answer;
    reasons = answer->diagnostics;
    if (own.stop.stop_requested())
      reasons = {{.code = "RUN003",
                  .message = control->stop.stop_requested()
                                 ? "It was stopped with the run."
                                 : "It was stopped after " + number_text(patience_s, 3) + " s.",
                  .hint = "Ask for it alone, or for all solvers."}};
    else if (!has_errors(reasons)) reasons.push_back({.code = "RUN001", .message = answer->stop_reason});
    return nullptr;
  }

  void ask_company(const Order& order) {
    for (const Solver* solver : order.company) {
      if (solver == nullptr || solver == order.solver || control->stop.stop_requested()) continue;
      RunRequest asked = order.question.request();
      asked.solver = solver->spec().name;
      if (markov_options().read(asked).state_limit > order.state_limit)
        asked.options["state-limit"] = std::to_string(order.state_limit);
      const std::vector<std::string>& methods = solver->spec().methods;
      if (const auto method = asked.options.find("method");
          method != asked.options.end() && std::find(methods.begin(), methods.end(), method->second) == methods.end())
        asked.options.erase(method);
      Declined declining{.solver = asked.solver, .reasons = {}};
      Diagnostics& reasons = declining.reasons;
      std::shared_ptr<const ResultSet> answer;
      // Whatever happens to a companion is its own affair.
      try {
        answer = ask(*solver, order, order.question.with(asked), declining);
      } catch (const std::exception& error) {
        reasons = {{.code = "RUN001", .message = std::string("It failed: ") + error.what()}};
      } catch (...) {
        reasons = {{.code = "RUN001", .message = "It failed with an unknown error."}};
      }
      const std::lock_guard lock(mutex);
      if (answer != nullptr) company.push_back(std::move(answer));
      else declined.push_back(std::move(declining));
    }
  }

  enum class Afterwards { recorded, resumable, forgotten };
  /// A run that was stopped or failed can be taken up again, and is nobody's from now on; of one that ended, the record
  /// says everything; one that failed before it had anything would only fail once more.
  void end_journal(const Order& order, Afterwards what) {
    const auto [store, writer] = [&] {
      const std::lock_guard lock(mutex);
      return std::pair(std::exchange(journal_store, {}), std::move(journal));
    }();
    if (writer != nullptr && what == Afterwards::resumable) writer->finish();
    if (writer != nullptr && what == Afterwards::forgotten) writer->move_to({});
    if (order.resumed && what != Afterwards::recorded && !store.empty()) give_back(store, order.resumed->run_id);
  }

  void work(const Order& order) {
    try {
      const Diagnostics reasons = order.solver->fits(order.question);
      if (has_errors(reasons)) throw std::runtime_error(first_error(reasons, "The solver cannot answer this model."));
      ask_company(order);
      RunStart start = start_of_run();
      if (order.resumed) {
        control->resume_from = order.resumed->checkpoint;
        if (!order.resumed->recorded) start.run_id = order.resumed->run_id;
      }
      {
        const std::lock_guard lock(mutex);
        if (!journal_store.empty() && !order.solver->spec().exact) {
          control->checkpoint_period_s = journal_period_s;
          journal = std::make_unique<JournalWriter>(journal_store, start.run_id, start.started_utc,
                                                    asked_text(order.question.request(), order.beside), control);
        }
        chart.process_event(Prepared());
      }
      ResultSet results = solve_stamped(*order.solver, order.question, *control, start);
      tell_of_means_alone(*order.solver, order.question.document(), results);
      if (order.resumed)
        results.provenance.made.resumed =
            order.resumed->run_id + " after " + std::to_string(order.resumed->so_far.replications) + " replications";
      // Before the results are shown: whoever sees them may resume the run at once.
      const bool nothing_yet = results.status == RunStatus::failed && results.replications == 0 && !order.resumed;
      end_journal(order, results.status == RunStatus::complete ? Afterwards::recorded
                         : nothing_yet                         ? Afterwards::forgotten
                                                               : Afterwards::resumable);
      if (results.status == RunStatus::failed) {
        std::string text = first_error(results.diagnostics, results.stop_reason);
        if (text.empty()) text = "The solver gave no reason.";
        // What a solver says that was stopped on its way tells nothing of the model.
        if (results.replications == 0 && control->stop.stop_requested()) text = stopped_without_result;
        Diagnostics by;
        for (const Diagnostic& d : results.diagnostics)
          if (d.severity == Severity::error) by.push_back(d);
        // What was merged before the failure is kept: it may have taken hours.
        if (results.replications > 0) {
          results.diagnostics.push_back(
              {.severity = Severity::warning,
               .code = "RUN032",
               .message =
                   "The histories that failed are missing from these estimates, which are therefore not those of "
                   "the model: use them to look for the failure only."});
          const std::lock_guard lock(mutex);
          keep(std::move(results));
        }
        return fail(std::move(text), std::move(by));
      }
      finish(std::move(results));
    } catch (const std::exception& error) {
      end_journal(order, Afterwards::resumable);
      fail(error.what());
    } catch (...) {
      end_journal(order, Afterwards::resumable);
      fail("The solver stopped with an unknown error.");
    }
  }
};

Run::Run() : life_(std::make_unique<Lifecycle>()) { life_->chart.initiate(); }

Run::~Run() {
  stop();
  wait();
}

bool Run::start(Order order) {
  std::jthread last;
  {
    const std::lock_guard lock(life_->mutex);
    if (!life_->chart.verbs.contains(RunVerb::start) || order.solver == nullptr) return false;
    last = std::move(life_->worker);
  }
  // Not under the mutex: others ask for the state meanwhile.
  if (last.joinable()) last.join();
  const std::lock_guard lock(life_->mutex);
  if (!life_->chart.verbs.contains(RunVerb::start)) return false;
  // A fresh one: whoever still looks at the last run keeps the old.
  life_->control = std::make_shared<RunControl>();
  life_->chart.control = life_->control;
  life_->request = order.question.request();
  life_->result.reset();
  life_->company.clear(), life_->declined.clear();
  life_->failure.clear(), life_->failed_by.clear();
  life_->journal_store = order.journal_store;
  life_->chart.process_event(StartAsked());
  life_->worker = std::jthread([life = life_.get(), ordered = std::move(order)] { life->work(ordered); });
  return true;
}

bool Run::pause() { return life_->ask(RunVerb::pause, PauseAsked()); }
bool Run::resume() { return life_->ask(RunVerb::resume, ResumeAsked()); }
bool Run::stop() { return life_->ask(RunVerb::stop, StopAsked()); }

void Run::move_journal(const std::string& store) {
  const std::lock_guard lock(life_->mutex);
  if (life_->journal_store.empty()) return;
  life_->journal_store = store;
  if (life_->journal != nullptr) life_->journal->move_to(store);
}

RunState Run::state() const {
  const std::lock_guard lock(life_->mutex);
  return life_->chart.state;
}

bool Run::enabled(RunVerb verb) const {
  const std::lock_guard lock(life_->mutex);
  return life_->chart.verbs.contains(verb);
}

std::string Run::why_not(RunVerb verb) const {
  if (enabled(verb)) return {};
  const RunState now = state();
  if (verb == RunVerb::start) return "A run is going on; stop it first.";
  if (now == RunState::finishing) return "The run is finishing.";
  if (!active()) return "No run is going on.";
  if (verb == RunVerb::pause)
    return now == RunState::paused ? "The run is paused already." : "The run is being prepared.";
  return "The run is not paused.";
}

bool Run::active() const {
  const std::lock_guard lock(life_->mutex);
  return life_->active();
}

Diagnostics Run::told() const {
  const std::lock_guard lock(life_->mutex);
  return life_->control->told();
}

std::optional<FirstReplication> Run::first() const {
  const std::lock_guard lock(life_->mutex);
  return life_->control->first();
}

std::shared_ptr<const Snapshot> Run::latest() const {
  const std::lock_guard lock(life_->mutex);
  return life_->control->latest();
}

std::shared_ptr<const ResultSet> Run::result() const {
  const std::lock_guard lock(life_->mutex);
  return life_->result;
}

CompanyResults Run::company() const {
  const std::lock_guard lock(life_->mutex);
  return life_->company;
}

std::vector<Declined> Run::declined() const {
  const std::lock_guard lock(life_->mutex);
  return life_->declined;
}

RunRequest Run::request() const {
  const std::lock_guard lock(life_->mutex);
  return life_->request;
}

std::string Run::failure() const {
  const std::lock_guard lock(life_->mutex);
  return life_->failure;
}

Diagnostics Run::failed_by() const {
  const std::lock_guard lock(life_->mutex);
  return life_->failed_by;
}

void Run::wait() {
  std::unique_lock lock(life_->mutex);
  life_->ended.wait(lock, [this] { return !life_->active(); });
}

const char* to_text(RunState state) {
  switch (state) {
    case RunState::idle:
      return "Ready";
    case RunState::preparing:
      return "Preparing";
    case RunState::advancing:
      return "Running";
    case RunState::paused:
      return "Paused";
    case RunState::finishing:
      return "Finishing";
    case RunState::done:
      return "Done";
    case RunState::cancelled:
      return "Stopped";
    case RunState::failed:
      return "Failed";
  }
  return "Ready";
}

void watch_to_the_end(Run& run, const std::function<bool()>& stopped, const std::function<void(const Run&)>& watched) {
  while (run.active()) {
    if (stopped() && run.enabled(RunVerb::stop)) run.stop();
    if (watched) watched(run);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  run.wait();
}

}  // namespace ergode
