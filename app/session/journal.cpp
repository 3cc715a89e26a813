#include "app/session/journal.h"

#include <chrono>
#include <utility>

#include "core/base/data_files.h"
#include "core/base/text_place.h"
#include "core/format/hash.h"
#include "solvers/run_options.h"

namespace ergode {
namespace {

constexpr const char* beside_names[] = {"none", "quick", "quick and long run", "all"};

Diagnostic refused(const std::string& path, std::string message, std::string hint) {
  return {.code = "RES014", .pointer = path, .message = std::move(message), .hint = std::move(hint)};
}

/// "process 4711 on buildhost" of "buildhost:4711:...".
std::string owner_text(const std::string& owner) {
  const std::size_t host = owner.find(':'), process = owner.find(':', host == std::string::npos ? host : host + 1);
  if (process == std::string::npos) return owner;
  return "process " + owner.substr(host + 1, process - host - 1) + " on " + owner.substr(0, host);
}

}  // namespace

std::string asked_text(const RunRequest& request, Beside beside) {
  const Value out = {{"version", ERGODE_VERSION},
                     {"options", run_option_texts(request)},
                     {"overrides", request.overrides},
                     {"beside", beside_names[static_cast<int>(beside)]}};
  return out.dump(-1, Value::BadText::replace);
}

std::variant<Resumable, Diagnostic> find_resumable(const ResultStore& store, const std::string& run_id,
                                                   const Document& document, const FileAccess& files) {
  auto found = store.journal(run_id);
  if (const auto* problem = std::get_if<Diagnostic>(&found)) return *problem;
  Resumable out{.request = {}, .journal = std::move(std::get<RunJournal>(found))};
  const std::string run = "Run " + out.journal.run_id;
  if (process_alive(out.journal.owner))
    return refused(store.path(), run + " still goes on in " + owner_text(out.journal.owner) + ".",
                   "Let it end, or stop it there.");
  if (out.journal.so_far.provenance.semantic_hash != semantic_hash(document))
    return refused(store.path(), run + " was made of a model that has changed since.",
                   "Undo the changes, or start a new run.");
  if (const auto changed = changed_data(out.journal.so_far.provenance, files))
    return refused(store.path(), run + " cannot go on: " + *changed, "Put the old file back, or start a new run.");
  const auto asked = Value::parse_or_discard(out.journal.asked);
  const std::string version = asked.is_object() ? asked.value("version", std::string()) : std::string();
  if (version != ERGODE_VERSION)
    return refused(store.path(),
                   run + " was begun by version " + (version.empty() ? "?" : version) + ", this is " ERGODE_VERSION ".",
                   "Start a new run.");
  try {
    if (!asked.at("options").is_object() || !asked.at("overrides").is_object())
      throw Value::Exception("options and overrides are no objects");
    for (const auto& [name, text] : asked.at("options").items())
      if (auto problem = set_run_option(out.request, name, text.text())) return *problem;
    for (const auto& [name, text] : asked.at("overrides").items()) out.request.overrides[name] = text.text();
    const std::string& beside = asked.at("beside").text();
    for (const Beside known : {Beside::none, Beside::quick, Beside::quick_and_long_run, Beside::all})
      if (beside == beside_names[static_cast<int>(known)]) out.beside = known;
  } catch (const Value::Exception&) {
    return refused(store.path(), "The journal of run " + out.journal.run_id + " is damaged.", "Start a new run.");
  }
  // The record says which seed was taken; the model's own may be drawn anew.
  out.request.seed = out.journal.so_far.provenance.seed;
  return out;
}

std::optional<Diagnostic> take_up(const std::string& store_path, RunJournal& journal) {
  auto store = ResultStore::open(store_path, ResultStore::Access::existing);
  auto* opened = std::get_if<ResultStore>(&store);
  if (opened == nullptr) return std::nullopt;
  const auto taken = opened->change_owner(journal.run_id, journal.owner, this_process());
  if (const bool* mine = std::get_if<bool>(&taken); mine != nullptr && !*mine) {
    const auto now = opened->journal(journal.run_id);
    const auto* other = std::get_if<RunJournal>(&now);
    return refused(store_path,
                   "Run " + journal.run_id + " was taken up just now" +
                       (other == nullptr ? "." : " by " + owner_text(other->owner) + "."),
                   "Let it end, or stop it there.");
  }
  journal.owner = this_process();
  return std::nullopt;
}

void give_back(const std::string& store_path, const std::string& run_id) {
  auto store = ResultStore::open(store_path, ResultStore::Access::existing);
  if (auto* opened = std::get_if<ResultStore>(&store)) opened->change_owner(run_id, this_process(), "");
}

std::optional<std::string> changed_data(const Provenance& run, const FileAccess& files) {
  const DataFiles now(files);
  for (const auto& [name, hash] : run.data_files) {
    const auto text = now.text(name);
    if (const auto* refusal = std::get_if<FileRefusal>(&text))
      return refusal->why + (refusal->folder.empty() ? "" : " --allow-folder " + refusal->folder + " allows it.");
    if (const auto* problem = std::get_if<Diagnostic>(&text)) return problem->message;
  }
  for (const FileRead& file : now.read())
    if (const std::string& then = run.data_files.at(file.name); file.sha256 != then)
      return "the data file " + quotable(file.name) + " has changed since; its sha256 is " + file.sha256 + ", wanted " +
             then + ".";
  return std::nullopt;
}

void settle_resumed(const std::string& store_path, const RunJournal& resumed, const ResultSet& continuation) {
  if (resumed.run_id == continuation.provenance.run_id) return;
  auto store = ResultStore::open(store_path, ResultStore::Access::existing);
  if (auto* opened = std::get_if<ResultStore>(&store)) opened->drop_journal(resumed.run_id);
}

JournalWriter::JournalWriter(std::string store_path, std::string run_id, std::string started_utc, std::string asked,
                             std::shared_ptr<RunControl> control)
    : store_path_(std::move(store_path)),
      run_id_(std::move(run_id)),
      started_utc_(std::move(started_utc)),
      asked_(std::move(asked)),
      control_(std::move(control)),
      thread_([this](const std::stop_token& over) {
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, over, std::chrono::milliseconds(200), [] { return false; }) &&
               !over.stop_requested())
          write_newest();
      }) {}

JournalWriter::~JournalWriter() = default;

void JournalWriter::move_to(std::string store_path) {
  const std::lock_guard lock(mutex_);
  if (store_path == store_path_) return;
  const std::string left = std::exchange(store_path_, std::move(store_path));
  // Nothing was written yet: nothing has to follow.
  if (std::exchange(written_, nullptr) == nullptr) return;
  write_newest();
  auto store = ResultStore::open(left, ResultStore::Access::existing);
  if (auto* opened = std::get_if<ResultStore>(&store)) opened->drop_journal(run_id_);
}

void JournalWriter::finish() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  written_.reset();  // once more, whatever was written: the run has no owner from now on
  owner_.clear();
  write_newest();
}

void JournalWriter::write_newest() {
  const std::shared_ptr<const std::string> checkpoint = control_->checkpoint();
  if (checkpoint == nullptr || checkpoint == written_ || store_path_.empty()) return;
  RunJournal journal{.run_id = run_id_, .owner = owner_, .asked = asked_, .checkpoint = *checkpoint, .so_far = {}};
  if (const auto snapshot = control_->latest()) journal.so_far = snapshot->results;
  Provenance& provenance = journal.so_far.provenance;
  provenance.run_id = run_id_;
  provenance.made.started_utc = started_utc_;
  provenance.made.host = host_name();
  if (const auto snapshot = control_->latest()) provenance.made.elapsed_s = snapshot->elapsed_s;
  journal.so_far.status = RunStatus::partial;
  journal.so_far.stop_reason = "interrupted";
  auto store = ResultStore::open(store_path_);
  auto* opened = std::get_if<ResultStore>(&store);
  if (opened != nullptr && !opened->write_journal(journal)) written_ = checkpoint;
}

}  // namespace ergode
