// Stepping through one history: its actions and what they show on canvas and outline.

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/desk/exports.h"
#include "app/gui/desk/step_desk.h"
#include "app/gui/main_window.h"
#include "app/gui/panels/outline_panel.h"
#include "app/gui/run_bar.h"

namespace ergode {

void MainWindow::join_step_actions() {
  Actions& a = *actions_;
  const auto on = [this, &a](const char* name, auto what) { connect(a[name], &QAction::triggered, this, what); };
  const auto begun = [this] {
    if (step_desk_->history() != nullptr) return true;
    show_dock(QStringLiteral("step"));
    return step_desk_->begin(run_bar_->request());
  };
  // The first F7 shows the beginning; a step that nobody saw would be lost.
  on("step.forward", [this, begun] {
    if (step_desk_->history() == nullptr) begun();
    else step_desk_->step();
  });
  on("step.play", [this, begun] {
    if (begun()) step_desk_->play_or_pause();
  });
  on("step.back", [this] { step_desk_->step_back(); });
  on("step.restart", [this] { step_desk_->restart(); });
  on("step.end", [this] { step_desk_->end(); });
  on("step.breakpoint", [this] { step_desk_->toggle_breakpoints(workspace_.selection()); });
  on("step.save_trace", [this] {
    const QString path =
        ask_where_to_write(this, tr("Save trace"), QStringLiteral("trace.json"), tr("Traces (*.json)"));
    if (path.isEmpty()) return;
    const QString problem = step_desk_->save_trace(path);
    if (!problem.isEmpty()) show_banner(tr("The trace was not saved. %1").arg(problem), {});
    else workspace_.say(tr("Wrote %1").arg(path));
  });
  on("step.replay_trace", [this] {
    const QString path = ask_what_to_read(this, tr("Replay trace"), tr("Traces (*.json)"));
    if (path.isEmpty()) return;
    const auto problem = step_desk_->replay_trace(path);
    show_dock(QStringLiteral("step"));
    if (problem) show_banner(QString::fromStdString(problem->code + ": " + problem->message), {});
    else workspace_.say(tr("The history is the one of %1, bit by bit").arg(path));
  });
  connect(step_desk_, &StepDesk::refused, this, [this](const QString& reason, ElementId element) {
    show_banner(tr("The model was not stepped. %1").arg(reason), element);
  });
  const auto show = [this] {
    const auto active = step_desk_->active();
    const Stepper* history = step_desk_->history();
    canvas_->show_history(active, step_desk_->breakpoints());
    // Who is seen on his way is not there yet: so the moves come first.
    canvas_->show_moves(step_desk_->take_moves(), step_desk_->travel_s());
    canvas_->show_present(history != nullptr, history != nullptr ? history->present() : std::vector<Present>());
    outline_->show_active({active.begin(), active.end()});
    refresh_step_actions();
  };
  connect(step_desk_, &StepDesk::changed, this, show);
  connect(step_desk_, &StepDesk::jumped, canvas_, &CanvasView::end_moves);
  join_speed_actions();
  connect(&workspace_, &Workspace::selection_changed, this, &MainWindow::refresh_step_actions);
  refresh_step_actions();
}

void MainWindow::join_speed_actions() {
  Actions& a = *actions_;
  const auto kept = [this, &a](const char* name, const char* key, bool otherwise, auto set) {
    a[name]->setCheckable(true);
    a[name]->setChecked(settings_.value(QLatin1String(key), otherwise).toBool());
    set(a[name]->isChecked());
    connect(a[name], &QAction::toggled, this, [this, key, set](bool on) {
      settings_.setValue(QLatin1String(key), on);
      set(on);
    });
  };
  kept("step.model_time", "step/model_time", false,
       [this](bool on) { step_desk_->set_clock(on ? StepDesk::Clock::model_time : StepDesk::Clock::events); });
  kept("step.motion", "step/motion", true, [this](bool on) {
    step_desk_->show_motion(on);
    if (!on) canvas_->end_moves();
  });
  connect(a["step.faster"], &QAction::triggered, step_desk_, [this] { step_desk_->change_speed(true); });
  connect(a["step.slower"], &QAction::triggered, step_desk_, [this] { step_desk_->change_speed(false); });
}

void MainWindow::refresh_step_actions() {
  Actions& a = *actions_;
  const Stepper* history = step_desk_->history();
  const QString none = tr("There is no history; F7 begins one.");
  const QString ended = history != nullptr && history->ended() ? tr("The history has ended.") : QString();
  a.enable("step.forward", ended);
  a.enable("step.play", ended);
  a["step.play"]->setText(step_desk_->playing() ? tr("Pause p&laying") : tr("P&lay"));
  a["step.model_time"]->setChecked(step_desk_->clock() == StepDesk::Clock::model_time);
  a.enable("step.back", history == nullptr ? none : history->steps() == 0 ? tr("This is the beginning.") : QString());
  for (const char* name : {"step.restart", "step.end", "step.save_trace"})
    a.enable(name, history == nullptr ? none : QString());
  a.enable("step.breakpoint", workspace_.selection().empty() ? tr("Select states or transitions.") : QString());
}

}  // namespace ergode
