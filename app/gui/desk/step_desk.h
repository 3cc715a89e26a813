#pragma once
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>
#include <unordered_set>

#include "app/gui/desk/workspace.h"
#include "app/session/stepper.h"

namespace ergode {

/// The desktop's end of stepping: one history of the shown model, played at a speed, with breakpoints. An edit of the
/// model ends it, because it is then a history of another model.
class StepDesk : public QObject {
  Q_OBJECT
 public:
  explicit StepDesk(Workspace& workspace, QObject* parent = nullptr);

  const Stepper* history() const { return stepper_.get(); }
  /// Begins a history with this request unless one is going on; the files are those of the workspace.
  /// @returns false after refused().
  bool begin(const RunRequest& request);
  /// Like step_back(), give() and restart() below: nothing without a history, else changed() at its end.
  void step();
  void step_back();
  void give(const QString& event, std::optional<std::uint32_t> component);
  void restart();
  void end();
  void play_or_pause();
  bool playing() const { return timer_.isActive(); }
  /// Steps per second while playing; 0: as fast as the screen allows.
  void set_speed(int steps_per_second);
  int speed() const { return speed_; }
  /// Sets or clears each; they outlive histories, until another model is opened.
  void toggle_breakpoints(const std::vector<ElementId>& elements);
  const std::unordered_set<ElementId>& breakpoints() const { return breakpoints_; }
  /// Whose states are shown: one component, or all.
  void show_component(std::optional<std::uint32_t> component);
  std::optional<std::uint32_t> component() const { return component_; }
  /// States in which the shown component is, or all are; empty without a history.
  std::unordered_set<ElementId> active() const;
  /// What the last step did: empty, "Breakpoint", "End of the mission", or why the model cannot go on.
  const QString& said() const { return said_; }
  /// @returns why it was not written, or nothing.
  QString save_trace(const QString& path) const;
  /// Begins a history of the trace's seed and goes through it. @returns why it is another, or nothing.
  QString replay_trace(const QString& path);

 Q_SIGNALS:
  void changed();
  void refused(const QString& reason, ergode::ElementId element);

 private:
  void took(Stepper::Stop stop);
  void pass_breakpoints();

  Workspace& workspace_;
  std::unique_ptr<Stepper> stepper_;
  std::unordered_set<ElementId> breakpoints_;
  std::optional<std::uint32_t> component_;
  QTimer timer_;
  int speed_ = 4;
  QString said_;
};

}  // namespace ergode
