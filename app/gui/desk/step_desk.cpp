#include "app/gui/desk/step_desk.h"

#include "app/gui/desk/exports.h"
#include "core/base/read_file.h"

namespace ergode {

StepDesk::StepDesk(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  set_speed(speed_);
  connect(&timer_, &QTimer::timeout, this, &StepDesk::step);
  connect(&workspace_, &Workspace::changed, this, [this] {
    if (!stepper_) return;
    end();
    workspace_.say(tr("The model was edited; stepping ended"));
  });
  connect(&workspace_, &Workspace::replaced, this, [this] {
    breakpoints_.clear();
    component_.reset();
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
  said_.clear();
  pass_breakpoints();
  Q_EMIT changed();
  return true;
}

void StepDesk::took(Stepper::Stop stop) {
  said_.clear();
  if (stop == Stepper::Stop::breakpoint) said_ = tr("Breakpoint");
  if (stop == Stepper::Stop::end) said_ = tr("End of the mission");
  if (stop == Stepper::Stop::failure) said_ = QString::fromStdString(stepper_->failure().front().message);
  if (stop != Stepper::Stop::step) timer_.stop();
  Q_EMIT changed();
}

void StepDesk::step() {
  if (stepper_) took(stepper_->step());
}

void StepDesk::give(const QString& event, std::optional<std::uint32_t> component) {
  if (stepper_ && !event.isEmpty()) took(stepper_->give(event.toStdString(), component));
}

void StepDesk::step_back() {
  timer_.stop();
  if (!stepper_ || !stepper_->step_back()) return;
  said_.clear();
  Q_EMIT changed();
}

void StepDesk::restart() {
  timer_.stop();
  if (!stepper_) return;
  stepper_->restart();
  said_.clear();
  Q_EMIT changed();
}

void StepDesk::end() {
  timer_.stop();
  stepper_.reset();
  said_.clear();
  Q_EMIT changed();
}

void StepDesk::play_or_pause() {
  if (timer_.isActive()) timer_.stop();
  else if (stepper_ && !stepper_->ended()) timer_.start();
  Q_EMIT changed();
}

void StepDesk::set_speed(int steps_per_second) {
  speed_ = steps_per_second;
  timer_.setInterval(steps_per_second > 0 ? 1000 / steps_per_second : 0);
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

QString StepDesk::replay_trace(const QString& path) {
  const auto text = read_text(path.toStdString());
  if (const auto* why = std::get_if<Diagnostic>(&text)) return QString::fromStdString(why->code + ": " + why->message);
  const auto saved = Value::parse_or_discard(std::get<std::string>(text));
  if (!saved.is_object() || !saved.contains("seed") || !saved["seed"].is_number_unsigned())
    return tr("%1 is no trace of a history.").arg(path);
  timer_.stop();
  stepper_.reset();
  RunRequest request;
  request.seed = saved["seed"].get<std::uint64_t>();
  if (!begin(request)) return tr("The model has errors.");
  const Diagnostics problems = stepper_->replay(saved);
  Q_EMIT changed();
  return problems.empty() ? QString() : QString::fromStdString(problems.front().message);
}

}  // namespace ergode
