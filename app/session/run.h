#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/company.h"
#include "app/session/journal.h"
#include "core/document/document.h"
#include "core/study/solver.h"

namespace ergode {

/// Where a run stands. `finishing` is shown as "Stopping" when the user asked for it.
enum class RunState { idle, preparing, advancing, paused, finishing, done, cancelled, failed };
/// For people: "Ready", "Preparing", "Running", "Paused", "Finishing", "Done", "Stopped", "Failed".
const char* to_text(RunState);

/// What a user can ask of a run. Front ends enable their buttons and commands by Run::enabled() and nothing else.
enum class RunVerb { start, pause, resume, stop };

/// One solver applied to one model, scenario and seed, on a thread of its own, and its lifecycle:
///
///     Idle -> Active{ Preparing -> Running{ Advancing <-> Paused } -> Finishing } -> Done | Cancelled | Failed
///
/// From each of the last three a new start is possible. Exact solvers given as company are asked in Preparing, so that
/// their values can be laid over the simulation from its first snapshot. All functions may be called from any thread;
/// none of them waits except wait() and the destructor. Nothing is ever called back: the front end polls.
class Run {
 public:
  /// What is run. The question keeps a copy of the model: editing goes on meanwhile. Solvers must outlive the run.
  struct Order {
    Question question{Document(), {}};
    const Solver* solver = nullptr;
    std::vector<const Solver*> company;  ///< Exact solvers; those that give no answer are listed with their reason.
    std::uint64_t state_limit = company_state_limit;  ///< of Markov solvers in the company
    /// What one of the company may take.
    Limits company_limits = {.time_s = company_patience_s, .bytes = company_memory, .operations = company_operations};
    /// Where a journal is kept while the run goes on, and stays when it is stopped; empty: nowhere.
    std::string journal_store = {};
    /// For the journal: what stands beside the run, as the caller chose it.
    Beside beside = Beside::none;
    /// The run goes on where this journal ends, under its id unless a record has that already.
    std::optional<RunJournal> resumed = {};

    /// Chooses the company of `known` and what each of it may take: one rule for both front ends and for runs that are
    /// taken up again. `request` and `solver` are set before; an exact solver has no company.
    void ask_beside(Beside which, const std::vector<const Solver*>& known);
  };

  /// Idle, with no run yet.
  Run();
  ~Run();  ///< Stops and waits.
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Each verb returns false, and does nothing, when it is not enabled in the present state.
  ///
  /// start() needs a solver and forgets the last run's results. Errors of the model come as RunState::failed, not from
  /// here.
  bool start(Order order);
  bool pause();
  bool resume();
  bool stop();  ///< The solver has 1 s; what it merged so far is kept as a partial result.
  /// The store has moved: the journal goes on there, or begins there; empty: it ends. Nothing when no run is going on.
  void move_journal(const std::string& store);

  /// As of now; what a run does on its own thread may have changed it before the answer is looked at.
  RunState state() const;
  bool enabled(RunVerb verb) const;
  /// Why a verb is not enabled, as a sentence; empty when it is.
  std::string why_not(RunVerb verb) const;
  /// Active: from start until done, cancelled or failed.
  bool active() const;

  /// Latest published progress of the present or last run; null before its first. About 20 a second come from
  /// simulations.
  std::shared_ptr<const Snapshot> latest() const;
  /// How far its first replication is, while none has ended and that is known.
  std::optional<FirstReplication> first() const;
  /// What the present or last run said before it had a result, oldest first: why none may ever come.
  Diagnostics told() const;
  /// The final results with the company and those that declined; null until done or cancelled, and after a failure
  /// without results.
  std::shared_ptr<const ResultSet> result() const;
  /// Results of the exact solvers asked in company, there from Advancing on.
  CompanyResults company() const;
  /// Solvers asked in company that gave no answer.
  std::vector<Declined> declined() const;
  /// What was asked, as it was at the start.
  RunRequest request() const;
  /// Text of the failure; empty unless failed.
  std::string failure() const;
  /// What the solver found, with its places; empty where it has said nothing, or did not fail.
  Diagnostics failed_by() const;
  /// Blocks until the run is not active. Returns at once when it is not. A run that is paused stays active.
  void wait();

 private:
  struct Lifecycle;
  std::unique_ptr<Lifecycle> life_;
};

/// Waits until a run that was started is not active any more, looking at it some hundred times a second.
/// @param stopped  asked each time: once it is true the run is stopped, as soon as it can be
/// @param watched  hears each time of the run
void watch_to_the_end(Run& run, const std::function<bool()>& stopped,
                      const std::function<void(const Run&)>& watched = {});

}  // namespace ergode
