#include "app/gui/desk/step_desk.h"

#include <algorithm>
#include <cmath>

#include "app/gui/desk/exports.h"
#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/unit.h"

namespace ergode {
namespace {

constexpr int frame_of_steps_ms = 33;
/// Of a frame: what it may take of the window's time, and the longest pause that is made up for.
constexpr double budget_s = 0.012, longest_s = 0.25;
constexpr double window_s = 1.0;  ///< over which the speed reached is measured
constexpr int speeds[] = {1, 4, 16, 0};
constexpr double least_rate = 1e-9, most_rate = 1e12;

/// The next greater or smaller of 1, 2, 5, 10, ...
double next_round(double value, bool greater) {
  constexpr double hair = 1e-9;
  const double decade = std::pow(10.0, std::floor(std::log10(value) + hair));
  const double digits = value / decade;
  if (greater) return (digits < 2 - hair ? 2 : digits < 5 - hair ? 5 : 10) * decade;
  return (digits > 5 + hair ? 5 : digits > 2 + hair ? 2 : digits > 1 + hair ? 1 : 0.5) * decade;
}

}  // namespace

StepDesk::StepDesk(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  set_speed(speed_);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (clock_ == Clock::events) step();
    else pass(static_cast<double>(since_.restart()) / 1000.0);
  });
  connect(&workspace_, &Workspace::changed, this, [this] {
    if (!stepper_) return;
    end();
    workspace_.say(tr("The model was edited; stepping ended"));
  });
  connect(&workspace_, &Workspace::scenario_chosen, this, [this] {
    if (!stepper_) return;
    end();
    workspace_.say(tr("Another scenario was chosen; stepping ended"));
  });
  connect(&workspace_, &Workspace::replaced, this, [this] {
    breakpoints_.clear();
    component_.reset();
    rate_ = pace_ = 0.0;
    typed_.clear();
    end();
  });
}

bool StepDesk::begin(const RunRequest& request) {
  if (stepper_) return true;
  RunRequest asked = request;
  const FileAccess files = workspace_.files();
  asked.folder = files.folder, asked.allowed_folders = files.allowed;
  Diagnostics problems;
  stepper_ = Stepper::begin(workspace_.document(), asked, problems);
  if (!stepper_) {
    const auto worst = std::find_if(problems.begin(), problems.end(),
                                    [](const Diagnostic& d) { return d.severity == Severity::error; });
    Q_EMIT refused(worst != problems.end() ? QString::fromStdString(worst->message) : tr("It has errors."),
                   worst != problems.end() ? worst->element : ElementId());
    return false;
  }
  if (component_ && *component_ >= stepper_->components().size()) component_.reset();
  find_pace();
  pass_breakpoints();
  jump();
  return true;
}

// A model in hours whose customers come by the second and one whose pumps fail by the year: a unit of time a second
// would be a blur in the one and still in the other.
void StepDesk::find_pace() {
  if (clock_ != Clock::model_time || rate_ > 0.0 || !stepper_) return;
  constexpr int enough = 60;
  constexpr qint64 longest_ms = 30;
  constexpr double events_a_second = 4.0;
  const bool begins = stepper_->steps() == 0;
  QElapsedTimer wall;
  wall.start();
  while (begins && !stepper_->ended() && stepper_->steps() < enough && wall.elapsed() < longest_ms) stepper_->step();
  const double units = stepper_->now_s() / unit_s() / static_cast<double>(std::max<std::size_t>(1, stepper_->steps()));
  if (units > 0.0) pace_ = std::clamp(next_round(events_a_second * units, true) * unit_s(), least_rate, most_rate);
  if (begins) stepper_->restart();
}

void StepDesk::jump() {
  said_.clear();
  time_s_ = stepper_ ? stepper_->now_s() : 0.0;
  shown_steps_ = stepper_ ? stepper_->steps() : 0;
  owed_s_ = 0.0;
  behind_ = false;
  Q_EMIT jumped();
  Q_EMIT changed();
}

void StepDesk::pause() {
  timer_.stop();
  owed_s_ = 0.0;
  behind_ = false;
}

void StepDesk::took(Stepper::Stop stop) {
  said_.clear();
  if (stop == Stepper::Stop::breakpoint) said_ = tr("Breakpoint");
  if (stop == Stepper::Stop::end) said_ = tr("End of the mission");
  if (stop == Stepper::Stop::failure) said_ = QString::fromStdString(stepper_->failure().front().message);
  if (stop != Stepper::Stop::step) pause();
  time_s_ = std::max(time_s_, stepper_->now_s());
  shown_steps_ = stepper_->steps();
  Q_EMIT changed();
}

void StepDesk::pass(double wall_s) {
  if (!stepper_ || stepper_->ended() || !(wall_s > 0.0)) return;
  const double before = time_s_, until = before + owed_s_ + rate() * std::min(wall_s, longest_s);
  const Stepper::Reached reached = stepper_->go_to(until, budget_s);
  time_s_ = reached.behind ? std::clamp(stepper_->now_s(), before, until) : until;
  // A frame that somebody else held up is made up for in the next ones; what a model cannot do is not.
  owed_s_ = std::min(until - time_s_, rate() * longest_s);
  wall_s_ += wall_s, gone_s_ += time_s_ - before;
  if (wall_s_ >= window_s) {
    constexpr double enough = 0.95;
    reached_ = gone_s_ / wall_s_, behind_ = reached_ < enough * rate();
    wall_s_ = gone_s_ = 0.0;
  }
  if (reached.stop != Stepper::Stop::step) {
    time_s_ = std::max(before, stepper_->now_s());
    return took(reached.stop);
  }
  // Where something flows, what happened may lie a little ahead: it is shown when its time has come.
  if (stepper_->steps() != shown_steps_ && stepper_->now_s() <= time_s_) return took(Stepper::Stop::step);
  Q_EMIT passed();
}

double StepDesk::time_s() const {
  if (!stepper_) return 0.0;
  return stepper_->ended() && stepper_->failure().empty() ? stepper_->now_s() : time_s_;
}

void StepDesk::step() {
  if (stepper_) took(stepper_->step());
}

void StepDesk::give(const QString& event, std::optional<std::uint32_t> component) {
  if (stepper_ && !event.isEmpty()) took(stepper_->give(event.toStdString(), component));
}

void StepDesk::step_back() {
  pause();
  if (stepper_ && stepper_->step_back()) jump();
}

void StepDesk::restart() {
  pause();
  if (!stepper_) return;
  stepper_->restart();
  jump();
}

void StepDesk::end() {
  pause();
  stepper_.reset();
  jump();
}

void StepDesk::play_or_pause() {
  if (timer_.isActive()) {
    pause();
    // What was ahead of the time shown is shown now.
    if (stepper_) time_s_ = std::max(time_s_, stepper_->now_s()), shown_steps_ = stepper_->steps();
  } else if (stepper_ && !stepper_->ended()) {
    wall_s_ = gone_s_ = owed_s_ = 0.0, behind_ = false;
    since_.start();
    timer_.start();
  }
  Q_EMIT changed();
}

void StepDesk::set_speed(int steps_per_second) {
  speed_ = steps_per_second;
  set_clock(clock_);
}

void StepDesk::set_clock(Clock clock) {
  const bool another = clock_ != clock;
  clock_ = clock;
  if (another) find_pace();
  timer_.setInterval(clock == Clock::model_time ? frame_of_steps_ms : speed_ > 0 ? 1000 / speed_ : 0);
  wall_s_ = gone_s_ = owed_s_ = 0.0, behind_ = false;
  since_.start();
  Q_EMIT changed();
}

double StepDesk::unit_s() const {
  const auto unit = parse_unit(workspace_.document().model().text("time_unit", "h"));
  return unit ? unit->scale : 3600.0;
}

double StepDesk::rate() const { return rate_ > 0.0 ? rate_ : pace_ > 0.0 ? pace_ : unit_s(); }

void StepDesk::set_rate(double model_s_per_s) {
  rate_ = std::clamp(model_s_per_s, least_rate, most_rate);
  typed_.clear();
  set_clock(clock_);
}

QString StepDesk::ask_rate(const QString& text) {
  const std::string typed(trim(text.toStdString()));
  std::size_t digits = typed.size();
  while (digits > 0 && !parse_number(trim(typed.substr(0, digits)))) --digits;
  const auto number = parse_number(trim(typed.substr(0, digits)));
  const std::string symbol(trim(std::string_view(typed).substr(digits)));
  const auto unit = parse_unit(symbol.empty() ? workspace_.document().model().text("time_unit", "h") : symbol);
  if (!number || !unit || unit->dimension != Dimension::of_time() || !(*number > 0.0))
    return tr("\"%1\" is no time; wanted a number above zero with a unit of time: 90 s").arg(text.trimmed());
  const double rate_s = *number * unit->scale;
  if (!(rate_s >= least_rate && rate_s <= most_rate))
    return tr("%1 in a second cannot be shown; wanted 1e-9 s to 1e12 s").arg(text.trimmed());
  set_rate(rate_s);
  if (!symbol.empty()) {
    typed_ = QString::fromStdString(typed);
    Q_EMIT changed();
  }
  return {};
}

QString StepDesk::rate_text() const {
  if (!typed_.isEmpty()) return typed_;
  const std::string unit = workspace_.document().model().text("time_unit", "h");
  return QString::fromStdString(number_text(rate() / unit_s(), 4) + " " + (parse_unit(unit) ? unit : "h"));
}

void StepDesk::change_speed(bool faster) {
  if (clock_ == Clock::model_time) return set_rate(next_round(rate() / unit_s(), faster) * unit_s());
  const auto now = std::find(std::begin(speeds), std::end(speeds), speed_);
  if (now == std::end(speeds)) return set_speed(speeds[1]);
  if (faster && now + 1 != std::end(speeds)) set_speed(now[1]);
  if (!faster && now != std::begin(speeds)) set_speed(now[-1]);
}

void StepDesk::show_motion(bool on) { motion_ = on; }

double StepDesk::travel_s() const {
  constexpr double leisurely = 0.45, brisk = 0.3;
  if (!motion_ || (clock_ == Clock::events && timer_.isActive() && speed_ == 0)) return 0.0;
  return !timer_.isActive() || (clock_ == Clock::events && speed_ == speeds[0]) ? leisurely : brisk;
}

void StepDesk::pass_breakpoints() {
  if (stepper_) stepper_->set_breakpoints({breakpoints_.begin(), breakpoints_.end()});
}

void StepDesk::toggle_breakpoints(const std::vector<ElementId>& elements) {
  for (const ElementId id : elements)
    if (breakpoints_.erase(id) == 0) breakpoints_.insert(id);
  pass_breakpoints();
  Q_EMIT changed();
}

void StepDesk::show_component(std::optional<std::uint32_t> component) {
  component_ = component;
  Q_EMIT changed();
}

std::unordered_set<ElementId> StepDesk::active() const {
  if (!stepper_) return {};
  const auto states = stepper_->active(component_);
  return {states.begin(), states.end()};
}

QString StepDesk::save_trace(const QString& path) const {
  if (!stepper_) return tr("There is no history.");
  return write_export(path, stepper_->trace_json().dump(1) + "\n");
}

std::optional<Diagnostic> StepDesk::replay_trace(const QString& path) {
  const auto text = read_text(path.toStdString());
  if (const auto* why = std::get_if<Diagnostic>(&text)) return *why;
  const auto saved = Value::parse_or_discard(std::get<std::string>(text));
  RunRequest request;
  if (Diagnostics problems = Stepper::ask_as_saved(saved, request); !problems.empty()) return problems.front();
  const auto scenarios = workspace_.document().of(Section::scenario);
  if (!request.scenario.empty() && std::none_of(scenarios.begin(), scenarios.end(),
                                                [&](const Element* one) { return one->name() == request.scenario; }))
    return Diagnostic{.code = "STP001", .message = "The model has no scenario \"" + request.scenario + "\"."};
  pause();
  stepper_.reset();
  workspace_.choose_scenario(QString::fromStdString(request.scenario));
  if (!begin(request)) return Diagnostic{.code = "STP001", .message = "The model has errors."};
  const Diagnostics problems = stepper_->replay(saved);
  jump();
  return problems.empty() ? std::nullopt : std::optional(problems.front());
}

}  // namespace ergode
