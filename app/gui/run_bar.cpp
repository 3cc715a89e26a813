#include "app/gui/run_bar.h"

#include <QLabel>
#include <QRandomGenerator>
#include <QRegularExpressionValidator>
#include <algorithm>

#include "app/gui/look/choice_box.h"
#include "app/gui/look/look.h"
#include "app/gui/look/own_colour_delegate.h"
#include "solvers/run_options.h"

namespace ergode {
namespace {

/// Lowering what is larger takes longer than a list may take to open.
constexpr std::size_t most_elements = 5000;

QLineEdit* number_field(const char* name, const QString& label, int width) {
  auto* field = new QLineEdit;
  field->setObjectName(QLatin1String(name));
  field->setAccessibleName(label);
  field->setFixedWidth(width);
  // What people type for a million: 1000000 or 1e6. A letter that was dropped would make it sixteen.
  field->setValidator(new QRegularExpressionValidator(
      QRegularExpression(QStringLiteral("([0-9]{1,18}|[0-9]{1,4}(\\.[0-9]{1,6})?[eE][0-9]{1,2})?")), field));
  return field;
}

}  // namespace

RunBar::RunBar(QToolBar& bar, Actions& actions, Workspace& workspace, RunDesk& desk)
    : QObject(&bar),
      workspace_(workspace),
      desk_(desk),
      scenario_(new ChoiceBox),
      solver_(new ChoiceBox),
      replications_(number_field("field.run.replications", tr("Replications"), 84)),
      seed_(number_field("field.run.seed", tr("Seed"), 86)) {
  scenario_->setObjectName(QStringLiteral("field.run.scenario"));
  scenario_->setAccessibleName(tr("Scenario"));
  scenario_->setToolTip(tr("Scenario: a named set of parameter values"));
  scenario_->setMinimumContentsLength(9);
  scenario_->setMaximumWidth(150);
  scenario_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  solver_->setObjectName(QStringLiteral("field.run.solver"));
  solver_->setAccessibleName(tr("Solver"));
  solver_->setMaximumWidth(210);
  solver_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  replications_->setToolTip(tr("Replications of the next run; empty: as the model says"));
  seed_->setToolTip(
      tr("Seed of the next run; the same seed and model give the same results; empty: as the model says"));
  bar.addWidget(new QLabel(tr("Scenario")));
  bar.addWidget(scenario_);
  bar.addWidget(new QLabel(tr("Solver")));
  bar.addWidget(solver_);
  bar.addWidget(new QLabel(tr("Replications")));
  bar.addWidget(replications_);
  bar.addWidget(new QLabel(tr("Seed")));
  bar.addWidget(seed_);
  bar.addAction(actions["run.new_seed"]);
  options_action_ = actions["run.options"];
  bar.addAction(options_action_);
  connect(scenario_, &QComboBox::currentIndexChanged, this,
          [this] { workspace_.choose_scenario(scenario_->currentData().toString()); });
  connect(&workspace_, &Workspace::scenario_chosen, this, [this] {
    if (scenario_->currentData().toString() != workspace_.scenario()) refresh();
  });
  for (QLineEdit* field : {replications_, seed_}) connect(field, &QLineEdit::textChanged, this, &RunBar::edited);
  for (QComboBox* box : std::initializer_list<QComboBox*>{scenario_, solver_})
    connect(box, &QComboBox::activated, this, &RunBar::edited);
  connect(&workspace_, &Workspace::changed, this, &RunBar::refresh);
  connect(&workspace_, &Workspace::replaced, this, [this] {
    // What was chosen for one model says nothing of another.
    replications_->clear();
    seed_->clear();
    scenario_->setCurrentIndex(0);
    solver_->setCurrentIndex(std::max(0, solver_->findData(QString::fromStdString(RunRequest().solver))));
    if (!options_.empty()) set_options({});
    refresh();
  });
  connect(solver_, &ChoiceBox::opening, this, &RunBar::mark_solvers);
  connect(solver_, &QComboBox::activated, this, &RunBar::mark_chosen_solver);
  connect(&workspace_, &Workspace::problems_changed, this, &RunBar::mark_chosen_solver);
  solver_->setItemDelegate(new OwnColourDelegate(solver_));
  refresh();
}

void RunBar::mark_solvers() {
  if (workspace_.document().elements().size() > most_elements) return;
  const Question question = desk_.question_of(request());
  for (int row = 0; row < solver_->count(); ++row) mark_solver(row, question);
  solver_->setToolTip(solver_->currentData(Qt::ToolTipRole).toString());
}

void RunBar::mark_chosen_solver() {
  // A model in parts may be read by nobody yet: its errors are what there is to say.
  const bool broken = !workspace_.problems().empty() && workspace_.problems().front().severity == Severity::error;
  if (broken || solver_->currentIndex() < 0 || workspace_.document().elements().size() > most_elements) return;
  mark_solver(solver_->currentIndex(), desk_.question_of(request()));
  solver_->setToolTip(solver_->currentData(Qt::ToolTipRole).toString());
  solver_->update();
}

void RunBar::mark_solver(int row, const Question& question) {
  const Solver& solver = *desk_.solvers()[static_cast<std::size_t>(row)];
  const Diagnostics reasons = solver.fits(question);
  const auto why =
      std::find_if(reasons.begin(), reasons.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
  const bool fits = why == reasons.end();
  QFont font = solver_->font();
  font.setItalic(true);
  solver_->setItemData(row, fits ? QVariant() : QVariant(QBrush(look().muted)), Qt::ForegroundRole);
  solver_->setItemData(row, fits ? QVariant() : QVariant(font), Qt::FontRole);
  QString tip = QString::fromStdString(solver.spec().description);
  if (!fits) tip += tr("\nIt does not answer this model: %1").arg(QString::fromStdString(why->message));
  solver_->setItemData(row, tip, Qt::ToolTipRole);
}

void RunBar::refresh() {
  const QSignalBlocker silent(scenario_);
  const QString chosen = workspace_.scenario();
  QStringList names;
  for (const Element* scenario : workspace_.document().of(Section::scenario))
    names << QString::fromStdString(scenario->name());
  scenario_->clear();
  scenario_->addItem(tr("Base"), QString());
  for (const QString& name : names) scenario_->addItem(name, name);
  scenario_->setCurrentIndex(std::max(0, scenario_->findData(chosen)));
  workspace_.choose_scenario(scenario_->currentData().toString());

  if (solver_->count() == 0) {
    for (const Solver* one : desk_.solvers()) {
      solver_->addItem(QString::fromStdString(one->spec().label), QString::fromStdString(one->spec().name));
      solver_->setItemData(solver_->count() - 1, QString::fromStdString(one->spec().description), Qt::ToolTipRole);
    }
    solver_->setToolTip(tr("Solver. Exact solvers that fit the model are asked beside the simulation in any case"));
  }

  const KindSpec* kind = workspace_.kind_of(workspace_.document().model());
  if (kind == nullptr) return;
  replications_->setPlaceholderText(
      QString::fromStdString(property_text(*kind, workspace_.document().model(), "replications")));
  seed_->setPlaceholderText(QString::fromStdString(property_text(*kind, workspace_.document().model(), "seed")));
}

RunRequest RunBar::request() const {
  RunRequest out;
  out.solver = solver_->currentData().toString().toStdString();
  out.scenario = scenario_->currentData().toString().toStdString();
  for (const auto& [name, field] : {std::pair{"replications", replications_}, std::pair{"seed", seed_}})
    if (!field->text().isEmpty()) set_run_option(out, name, field->text().toStdString());
  for (const auto& [name, text] : options_) set_run_option(out, name, text);
  return out;
}

void RunBar::set_options(std::map<std::string, std::string> options) {
  options_ = std::move(options);
  // What differs from the defaults must be seen before it is run.
  options_action_->setText(options_.empty() ? tr("Run &options ...")
                                            : tr("Run &options (%1) ...").arg(options_.size()));
  QString tip = tr("Tolerances, rare events, Markov solvers, threads, stopping");
  for (const auto& [name, text] : options_)
    tip += QStringLiteral("\n%1 = %2").arg(QString::fromStdString(name), QString::fromStdString(text));
  options_action_->setToolTip(tip);
  Q_EMIT edited();
}

QJsonObject RunBar::typed() const {
  QJsonObject options;
  for (const auto& [name, text] : options_) options[QString::fromStdString(name)] = QString::fromStdString(text);
  return {{"replications", replications_->text()},
          {"seed", seed_->text()},
          {"scenario", scenario_->currentData().toString()},
          {"solver", solver_->currentData().toString()},
          {"options", options}};
}

void RunBar::set_typed(const QJsonObject& typed) {
  if (typed.isEmpty()) return;
  // A copy may come from another version: what means nothing here is left as it is.
  const auto choose = [&](QComboBox* box, const char* key) {
    if (const int row = box->findData(typed[QLatin1String(key)].toString()); row >= 0) box->setCurrentIndex(row);
  };
  choose(scenario_, "scenario"), choose(solver_, "solver");
  for (const auto& [key, field] : {std::pair{"replications", replications_}, std::pair{"seed", seed_}}) {
    field->setText(typed[QLatin1String(key)].toString());
    if (!field->hasAcceptableInput()) field->clear();
  }
  std::map<std::string, std::string> options;
  const QJsonObject given = typed["options"].toObject();
  for (auto one = given.begin(); one != given.end(); ++one) {
    RunRequest tried;
    if (!set_run_option(tried, one.key().toStdString(), one.value().toString().toStdString()))
      options[one.key().toStdString()] = one.value().toString().toStdString();
  }
  set_options(std::move(options));
}

void RunBar::new_seed() { seed_->setText(QString::number(QRandomGenerator::global()->bounded(1u, 1000000u))); }

}  // namespace ergode
