#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>
#include <unordered_set>

#include "app/gui/desk/workspace.h"
#include "app/session/stepper.h"

namespace ergode {

/// The desktop's end of stepping: one history of the shown model, played by one of two clocks, with breakpoints. An
/// edit of the model ends it, because it is then a history of another model.
///
/// By events: so many steps a second, however far apart they are. By model time: so much of it passes in a second of
/// the wall clock, and all that is due happens; where that takes longer than a frame has, the history falls behind and
/// reached_rate() says at what speed it really goes.
class StepDesk : public QObject {
  Q_OBJECT
 public:
  enum class Clock { events, model_time };
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
  /// Steps per second while playing by events; 0: as fast as the screen allows.
  void set_speed(int steps_per_second);
  int speed() const { return speed_; }
  void set_clock(Clock clock);
  Clock clock() const { return clock_; }
  /// Model time [s] that passes in a second while playing by it. Until somebody says so, of a history what makes
  /// four to ten events of its beginning a second, and without one a unit of the model's time.
  void set_rate(double model_s_per_s);
  double rate() const;
  /// As it is typed: "90 s", "1.5 h", or a number in the unit of the model's time. @returns why not, or nothing.
  QString ask_rate(const QString& text);
  /// "1 h": the rate as it was typed, or in the unit of the model's time.
  QString rate_text() const;
  /// The next greater or smaller of the speeds of the present clock: 1, 4, 16 a second, fastest; 1, 2, 5, 10, ... units
  /// of time.
  void change_speed(bool faster);
  /// Model time [s] that is shown: between two events it passes while playing by model time.
  double time_s() const;
  /// What was reached in the last second of playing by model time [s/s], where that is less than was asked for; else 0.
  double reached_rate() const { return behind_ ? reached_ : 0.0; }
  /// Wall time [s] passes while playing by model time; by the timer, some 30 times a second.
  void pass(double wall_s);
  /// Whether those who move are to be seen on their way.
  void show_motion(bool on);
  bool motion() const { return motion_; }
  /// Who moved since this was last asked for, and how long [s] each is seen on an edge; nobody where that is 0.
  std::vector<Moved> take_moves() { return stepper_ ? stepper_->take_moves() : std::vector<Moved>(); }
  double travel_s() const;
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
  /// Chooses the trace's scenario, begins a history of its seed and of the values that were set, and goes through it.
  /// @returns why it is another (error), or that the model is (warning), or nothing.
  std::optional<Diagnostic> replay_trace(const QString& path);

 Q_SIGNALS:
  void changed();
  /// Time passed, and nothing happened.
  void passed();
  /// Another moment is shown than the next one; changed() comes after it.
  void jumped();
  void refused(const QString& reason, ergode::ElementId element);

 private:
  void took(Stepper::Stop stop);
  void jump();
  void pause();
  void pass_breakpoints();
  void find_pace();
  double unit_s() const;

  Workspace& workspace_;
  std::unique_ptr<Stepper> stepper_;
  std::unordered_set<ElementId> breakpoints_;
  std::optional<std::uint32_t> component_;
  QTimer timer_;
  QElapsedTimer since_;  ///< the last frame
  int speed_ = 4;
  Clock clock_ = Clock::events;
  double rate_ = 0.0, pace_ = 0.0, time_s_ = 0.0;  ///< rate: 0 until chosen; pace: 0 until found
  QString typed_;                                  ///< the rate
  std::size_t shown_steps_ = 0;                    ///< of the history, when changed() was last said
  double wall_s_ = 0.0, gone_s_ = 0.0, owed_s_ = 0.0, reached_ = 0.0;
  bool behind_ = false, motion_ = true;
  QString said_;
};

}  // namespace ergode
