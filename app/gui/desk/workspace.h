#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/file_access.h"
#include "core/catalogue/catalogue.h"
#include "core/document/command.h"
#include "core/study/solver.h"

namespace ergode {

/// The open model and what the user is looking at: document with history, file, shown diagram, selection, problems.
/// Panels and canvas read it and listen; every edit goes through push(). Lives in the main thread; checks run in the
/// background on a copy.
///
/// Pointers and references into the document, the selection and the problems are good until the next edit; ids stay.
/// Every edit emits changed() and history_changed(), and 60 ms after the last one a check begins.
class Workspace : public QObject {
  Q_OBJECT
 public:
  using Check = std::function<Diagnostics(const Document&)>;

  explicit Workspace(QObject* parent = nullptr);
  ~Workspace() override;

  const Document& document() const { return stack_.document(); }
  const CommandStack& history() const { return stack_; }
  const Element* find(ElementId id) const { return document().find(id); }
  const KindSpec* kind_of(const Element& element) const;
  /// Notation of the shown diagram, or null.
  const NotationSpec* notation() const;

  /// Applies one undo step. Empty commands are ignored.
  void push(Command command);
  /// The same as part of the last step: a thing that was just made gets its name.
  void join(Command command);
  /// Nothing happens when there is nothing to undo (redo).
  void undo();
  void redo();

  /// A new, unnamed model with one diagram of a kind (DiagramKind::name); empty: with one chart and one system diagram.
  void start_new(const QString& diagram_kind = {});
  /// Reads a file; on failure nothing changes and the diagnostics say why; warnings come on success too. Never sets the
  /// modified flag. Waits for the file.
  Diagnostics open(const QString& path);
  /// Shows a document that was made in memory (templates, tests).
  void adopt(Document document, const QString& path = {});
  /// The same for a copy that is in no file yet and names files: they are in `data_folder`, and are copied beside it
  /// when it is saved first, where there are none of their names.
  void adopt_copy(Document document, const QString& data_folder);
  /// The same for a document that is in no file, or not in this state: it counts as modified until it is saved.
  void adopt_unsaved(Document document, const QString& path);
  /// Atomic; returns why it failed (FMT009), also for a store's name or a file that is no model. `path` becomes the
  /// model's file. Waits for the disk.
  std::optional<Diagnostic> save(const QString& path);
  const QString& path() const { return path_; }
  bool modified() const { return unsaved_ || !stack_.clean(); }
  /// Whether the file was changed by someone else since it was read or written here.
  bool changed_on_disk() const;
  /// "Station blackout" or "Untitled".
  QString title() const;
  /// What other programs call the open document: "plant.ergode"; its title while it is in no file.
  QString file_title() const;

  /// What the open model may name besides what lies in its folder. Folders are allowed until the program ends.
  FileAccess files() const;
  void allow_folder(const QString& folder);
  /// What a run asked for now would take: the files and the chosen scenario.
  RunRequest run_context() const;
  /// The scenario chosen for the next run; empty: base values.
  const QString& scenario() const { return scenario_; }
  /// The name is not checked: a scenario may be gone when the run begins.
  void choose_scenario(const QString& name);

  ElementId diagram() const { return diagram_; }
  /// Shows another diagram, with nothing selected.
  void show_diagram(ElementId id);
  const std::vector<ElementId>& selection() const { return selection_; }
  /// Unknown ids are left out; emits only when the selection becomes another.
  void select(std::vector<ElementId> ids);
  bool selected(ElementId id) const;
  /// Selects an element, shows its diagram and asks the canvas to centre on it.
  void reveal(ElementId id);

  /// Of the state that was checked last, worst first; see checked().
  const Diagnostics& problems() const { return problems_; }
  /// Worst problem of an element, or null. O(problems).
  const Diagnostic* worst_problem(ElementId id) const;
  /// Whether the problems belong to the present state of the document.
  bool checked() const { return checked_generation_ == generation_; }
  /// Time from the last edit to its problems [ms].
  qint64 check_latency_ms() const { return check_latency_ms_; }
  /// Replaces the check; the default is the one of the command line. It is called in the background, on a copy, and
  /// must not throw.
  void set_check(Check check);
  /// Begins a check without waiting for the pause; its problems come with problems_changed(). One that is running ends
  /// first and is then thrown away.
  void check_now();
  /// Checks what the model would be with an edit that somebody is still typing, in the background and once he pauses.
  /// Only the newest is answered, and only while `who` lives.
  void check_draft(Command edit, QObject* who, std::function<void(const Diagnostics&)> then);
  /// Applies a quick fix made for the present document. A parameter that it makes is selected and asked for its value.
  /// @returns whether it asked for one
  bool mend(const QuickFix& fix);

  /// Something worth a line in the status bar and in the log.
  void say(const QString& text) { Q_EMIT message(text); }

 Q_SIGNALS:
  void replaced();  ///< another document
  void saved();     ///< into its file, which may be another one than before
  void changed(const std::vector<ergode::ElementId>& ids);
  void scenario_chosen();
  void history_changed();  ///< undo depth, modified flag or file
  void diagram_shown();
  void selection_changed();
  void revealed(ergode::ElementId id);
  void problems_changed();
  void value_wanted();  ///< of the selected parameter, which has none yet
  void look_changed();  ///< colours and icons are others now
  void message(const QString& text);

 private:
  void take(Document document, const QString& path, const QString& data_folder = {});
  void on_changed(const std::vector<ElementId>& ids);
  void start_check();
  Check present_check() const;
  void take_problems(std::uint64_t generation, Diagnostics problems);
  void remember_file();

  CommandStack stack_;
  QString path_, scenario_, data_folder_;
  std::vector<std::string> allowed_folders_;
  qint64 file_stamp_ms_ = 0;
  ElementId diagram_;
  std::vector<ElementId> selection_;
  Diagnostics problems_;
  Check check_;
  QTimer check_delay_, draft_delay_;
  std::function<void()> draft_;
  std::uint64_t drafts_ = 0;
  QElapsedTimer since_edit_;
  std::uint64_t generation_ = 0, checked_generation_ = ~std::uint64_t{0};
  bool check_running_ = false, unsaved_ = false;
  qint64 check_latency_ms_ = 0;
  std::shared_ptr<std::atomic<bool>> alive_;
};

}  // namespace ergode
