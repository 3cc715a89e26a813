#include "app/gui/desk/workspace.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>

#include "app/gui/desk/exports.h"
#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/new_model.h"
#include "app/session/overwrite.h"
#include "core/format/model_file.h"

namespace ergode {

Workspace::Workspace(QObject* parent) : QObject(parent), alive_(std::make_shared<std::atomic<bool>>(true)) {
  check_delay_.setSingleShot(true);
  check_delay_.setInterval(60);
  connect(&check_delay_, &QTimer::timeout, this, &Workspace::start_check);
  draft_delay_.setSingleShot(true);
  draft_delay_.setInterval(250);
  connect(&draft_delay_, &QTimer::timeout, this, [this] { draft_(); });
}

Workspace::~Workspace() {
  *alive_ = false;
  stack_.changed = nullptr;
}

const KindSpec* Workspace::kind_of(const Element& element) const { return catalogue().kind_of(document(), element); }

const NotationSpec* Workspace::notation() const {
  const Element* shown = find(diagram_);
  return shown != nullptr ? catalogue().notation(shown->text("notation")) : nullptr;
}

void Workspace::push(Command command) { stack_.push(std::move(command)); }
void Workspace::join(Command command) { stack_.join(std::move(command)); }
void Workspace::undo() {
  if (stack_.can_undo()) stack_.undo();
}
void Workspace::redo() {
  if (stack_.can_redo()) stack_.redo();
}

void Workspace::start_new(const QString& diagram_kind) { take(new_model(diagram_kind.toStdString()), {}); }

Diagnostics Workspace::open(const QString& path) {
  ReadOutcome outcome = read_model(path.toStdString());
  if (!outcome.document) return outcome.diagnostics;
  take(std::move(*outcome.document), path);
  return outcome.diagnostics;
}

void Workspace::adopt(Document document, const QString& path) { take(std::move(document), path); }

void Workspace::adopt_copy(Document document, const QString& data_folder) {
  take(std::move(document), {}, data_folder);
}

void Workspace::adopt_unsaved(Document document, const QString& path) {
  take(std::move(document), path);
  unsaved_ = true;
  Q_EMIT history_changed();
}

void Workspace::take(Document document, const QString& path, const QString& data_folder) {
  stack_ = CommandStack(std::move(document));
  stack_.mark_clean();
  stack_.changed = [this](const std::vector<ElementId>& ids) { on_changed(ids); };
  unsaved_ = false;
  path_ = path, data_folder_ = data_folder;
  remember_file();
  selection_.clear();
  problems_.clear();
  const auto diagrams = this->document().of(Section::diagram);
  // What runs is the system; it is what a reader of a finished model wants to see first.
  diagram_ = diagrams.empty() ? ElementId() : diagrams.front()->id;
  ++generation_;
  since_edit_.start();
  Q_EMIT replaced();
  Q_EMIT diagram_shown();
  Q_EMIT selection_changed();
  Q_EMIT history_changed();
  Q_EMIT problems_changed();
  check_now();
}

std::optional<Diagnostic> Workspace::save(const QString& path) {
  if (auto refused = refuse_overwrite(path.toStdString(), {.force = true, .models = true})) return refused;
  if (auto failed = save_model(document(), path.toStdString())) return failed;
  const bool folder_changed = path_.isEmpty() || QFileInfo(path).absolutePath() != QFileInfo(path_).absolutePath();
  path_ = path;
  // The files of the example come along; what is there stays.
  if (!data_folder_.isEmpty())
    for (const QFileInfo& file : QDir(data_folder_).entryInfoList(QDir::Files))
      QFile::copy(file.filePath(), QFileInfo(path).absoluteDir().filePath(file.fileName()));
  data_folder_.clear();
  remember_file();
  unsaved_ = false;
  stack_.mark_clean();
  Q_EMIT saved();
  Q_EMIT history_changed();
  if (folder_changed) {  // Files that the model names are looked for elsewhere now.
    ++generation_;
    check_now();
  }
  return std::nullopt;
}

void Workspace::remember_file() {
  const QFileInfo info(path_);
  if (!path_.isEmpty()) begin_exports_in(info.absolutePath());
  file_stamp_ms_ = !path_.isEmpty() && info.exists() ? info.lastModified().toMSecsSinceEpoch() : 0;
}

bool Workspace::changed_on_disk() const {
  const QFileInfo info(path_);
  return file_stamp_ms_ != 0 && info.exists() && info.lastModified().toMSecsSinceEpoch() != file_stamp_ms_;
}

QString Workspace::title() const {
  const QString name = QString::fromStdString(document().model().name()).trimmed();
  if (!name.isEmpty()) return name;
  return path_.isEmpty() ? tr("Untitled") : QFileInfo(path_).completeBaseName();
}

QString Workspace::file_title() const { return path_.isEmpty() ? title() : QFileInfo(path_).fileName(); }

FileAccess Workspace::files() const {
  FileAccess out{path_.isEmpty() ? data_folder_.toStdString() : QFileInfo(path_).absolutePath().toStdString()};
  out.allowed = allowed_folders_;
  return out;
}

void Workspace::allow_folder(const QString& folder) {
  allowed_folders_.push_back(folder.toStdString());
  ++generation_;
  check_now();
}

RunRequest Workspace::run_context() const {
  RunRequest out;
  FileAccess access = files();
  out.folder = std::move(access.folder), out.allowed_folders = std::move(access.allowed);
  out.model_path = path_.toStdString();
  out.scenario = scenario_.toStdString();
  return out;
}

void Workspace::choose_scenario(const QString& name) {
  if (name == scenario_) return;
  scenario_ = name;
  Q_EMIT scenario_chosen();
}

void Workspace::on_changed(const std::vector<ElementId>& ids) {
  ++generation_;
  ++drafts_;  // What is being checked as a draft was made of an older state.
  draft_delay_.stop();
  since_edit_.start();
  const std::size_t before = selection_.size();
  std::erase_if(selection_, [this](ElementId id) { return find(id) == nullptr; });
  if (find(diagram_) == nullptr) {
    const auto diagrams = document().of(Section::diagram);
    show_diagram(diagrams.empty() ? ElementId() : diagrams.front()->id);
  }
  Q_EMIT changed(ids);
  if (selection_.size() != before) Q_EMIT selection_changed();
  Q_EMIT history_changed();
  check_delay_.start();
}

void Workspace::show_diagram(ElementId id) {
  if (id == diagram_) return;
  diagram_ = id;
  selection_.clear();
  Q_EMIT diagram_shown();
  Q_EMIT selection_changed();
}

void Workspace::select(std::vector<ElementId> ids) {
  std::erase_if(ids, [this](ElementId id) { return find(id) == nullptr; });
  if (ids == selection_) return;
  selection_ = std::move(ids);
  Q_EMIT selection_changed();
}

bool Workspace::selected(ElementId id) const {
  return std::find(selection_.begin(), selection_.end(), id) != selection_.end();
}

void Workspace::reveal(ElementId id) {
  const Element* element = find(id);
  if (element == nullptr) return;
  if (element->section == Section::diagram) return show_diagram(id);
  if (element->diagram) show_diagram(element->diagram);
  select({id});
  Q_EMIT revealed(id);
}

const Diagnostic* Workspace::worst_problem(ElementId id) const {
  const Diagnostic* worst = nullptr;
  for (const Diagnostic& problem : problems_)
    if (problem.element == id && (worst == nullptr || problem.severity > worst->severity)) worst = &problem;
  return worst;
}

void Workspace::set_check(Check check) {
  check_ = std::move(check);
  ++generation_;
  check_now();
}

void Workspace::check_now() {
  check_delay_.stop();
  start_check();
}

Workspace::Check Workspace::present_check() const {
  if (check_) return check_;
  // Every scenario is checked in any case.
  return [access = files()](const Document& document) {
    RunRequest request;
    request.folder = access.folder, request.allowed_folders = access.allowed;
    return check_model(document, request);
  };
}

void Workspace::start_check() {
  if (check_running_) return;  // The running one sees at its end that it is late and starts another.
  check_running_ = true;
  const std::uint64_t generation = generation_;
  QThreadPool::globalInstance()->start(
      [this, alive = alive_, generation, check = present_check(), copy = std::make_shared<const Document>(document())] {
        Diagnostics found = check(*copy);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [this, alive, generation, found = std::move(found)] {
              if (*alive) take_problems(generation, found);
            },
            Qt::QueuedConnection);
      });
}

void Workspace::check_draft(Command edit, QObject* who, std::function<void(const Diagnostics&)> then) {
  const std::uint64_t number = ++drafts_;
  draft_ = [this, number, edit = std::move(edit), who = QPointer<QObject>(who), then = std::move(then)] {
    CommandStack draft(document());
    draft.push(edit);
    QThreadPool::globalInstance()->start([this, number, who, then, alive = alive_, check = present_check(),
                                          copy = std::make_shared<const Document>(draft.document())] {
      Diagnostics found = check(*copy);
      QMetaObject::invokeMethod(
          QCoreApplication::instance(),
          [this, number, who, then, alive, found = std::move(found)] {
            if (*alive && who != nullptr && number == drafts_) then(found);
          },
          Qt::QueuedConnection);
    });
  };
  draft_delay_.start();
}

bool Workspace::mend(const QuickFix& fix) {
  const Command command = *fix.command;  // the push may destroy whoever holds the fix
  const std::size_t before = document().of(Section::parameter).size();
  push(command);
  const auto parameters = document().of(Section::parameter);
  if (parameters.size() <= before || parameters.back()->has("value")) return false;
  select({parameters.back()->id});
  Q_EMIT value_wanted();
  return true;
}

void Workspace::take_problems(std::uint64_t generation, Diagnostics problems) {
  check_running_ = false;
  if (generation != generation_) return start_check();
  checked_generation_ = generation;
  check_latency_ms_ = since_edit_.elapsed();
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.severity > b.severity; });
  problems_ = std::move(problems);
  Q_EMIT problems_changed();
}

}  // namespace ergode
