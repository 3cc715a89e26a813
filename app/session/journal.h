#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "core/base/diagnostic.h"
#include "core/base/file_access.h"
#include "core/base/process.h"
#include "core/document/document.h"
#include "core/results/result_store.h"
#include "core/study/solver.h"

namespace ergode {

/// How often the journal of a run is written, for the first time after half a second: so much of it is lost in a kill.
inline constexpr double journal_period_s = 5.0;

/// Which exact solvers stand beside a run: none; those of the mission that are quick; with those of the long run too;
/// or all, each with its own patience.
enum class Beside { none, quick, quick_and_long_run, all };

/// What was asked for, as a journal keeps it: the options that are set, the overrides, and what stands beside; JSON,
/// with the version of the program.
std::string asked_text(const RunRequest& request, Beside beside);

/// A run that can go on: what was asked for then, and where it stands.
struct Resumable {
  RunRequest request;  ///< without model path and folder: they are the caller's
  Beside beside = Beside::quick;
  RunJournal journal;
};

/// The run of a store whose id is or begins with `run_id` ("latest": the one written last), ready to go on.
/// @param document  the model as it is now
/// @param files     where the data files lie that it may name
/// Errors: RES005 no such run, or not interrupted; RES014 the model or a data file has changed since, the run still
/// goes on, or its journal is of another version.
std::variant<Resumable, Diagnostic> find_resumable(const ResultStore& store, const std::string& run_id,
                                                   const Document& document, const FileAccess& files);

/// Takes the run up for this process, right before it goes on: whoever finds its journal from now on is refused while
/// this process lives. A store that cannot be written lets it go on all the same. RES014: another process was sooner.
std::optional<Diagnostic> take_up(const std::string& store_path, RunJournal& journal);
/// It is nobody's any more, if it still was this process's: it ended before it had a journal of its own.
void give_back(const std::string& store_path, const std::string& run_id);

/// The first data file of a run that does not hold any more what it held then, in words; nothing when all do.
/// Reads them all. Also a file that may no longer be named, or cannot be read.
std::optional<std::string> changed_data(const Provenance& run, const FileAccess& files);

/// Forgets the journal of a run that was taken up again, once its continuation is in the store under another id: that
/// one has a record, or a journal of its own. A store that cannot be written keeps it; nothing is lost by that.
void settle_resumed(const std::string& store_path, const RunJournal& resumed, const ResultSet& continuation);

/// Writes the journal of a run while it goes on, on a thread of its own: whenever the control has a new checkpoint, it
/// goes into the store with the latest snapshot. A store that refuses is tried again with the next checkpoint.
class JournalWriter {
 public:
  /// @param store_path   of the store; made when it is missing
  /// @param run_id       under which it is kept; started_utc goes with it
  /// @param asked        asked_text()
  /// @param control      of the run, whose checkpoint_period_s is set; kept as long as this
  JournalWriter(std::string store_path, std::string run_id, std::string started_utc, std::string asked,
                std::shared_ptr<RunControl> control);
  ~JournalWriter();  ///< Ends without writing, after what is being written just now.
  /// The store has moved: the newest checkpoint goes there at once, and no journal of this run stays behind. Empty:
  /// nothing is to be kept any more. Any thread; waits while a journal is written.
  void move_to(std::string store_path);
  /// Writes the last checkpoint now, without an owner, so that anybody may take the run up, and nothing from then on.
  /// Waits for the disk.
  void finish();

 private:
  void write_newest();

  std::mutex mutex_;  // guards the path, and that one journal is written at a time
  std::string store_path_, owner_ = this_process();
  const std::string run_id_, started_utc_, asked_;
  const std::shared_ptr<RunControl> control_;
  std::shared_ptr<const std::string> written_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it is joined before what it uses goes
};

}  // namespace ergode
