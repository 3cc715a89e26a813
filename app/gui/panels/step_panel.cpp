#include "app/gui/panels/step_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "app/gui/look/choice_box.h"
#include "app/gui/look/elided_label.h"
#include "app/gui/panels/tables.h"
#include "core/base/text.h"
#include "core/base/unit.h"

namespace ergode {
namespace {

constexpr std::size_t most_told = 500;  // of a table; the newest or the nearest
constexpr int value_digits = 6;

/// A number with as many digits as a column has room for; the tip has them all.
QString short_value(const std::string& value) {
  const auto number = parse_number(value);
  return QString::fromStdString(number ? number_text(*number, value_digits) : value);
}

QWidget* titled(const QString& title, QTableWidget* table) {
  auto* box = new QWidget;
  auto* rows = new QVBoxLayout(box);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  auto* label = new QLabel(title.toUpper());
  label->setProperty("role", "dock");
  rows->addWidget(label);
  rows->addWidget(table, 1);
  return box;
}

}  // namespace

StepPanel::StepPanel(StepDesk& desk, Workspace& workspace, Actions& actions, QWidget* parent)
    : QWidget(parent), desk_(desk), workspace_(workspace), caption_(new ElidedLabel) {
  setObjectName(QStringLiteral("panel.step"));
  // Two rows: in one they would be wider than a small window has room for.
  auto *bar = new QHBoxLayout, *asked = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 0);
  asked->setContentsMargins(8, 2, 8, 4);
  for (const char* name : {"step.restart", "step.back", "step.forward", "step.play", "step.end", "step.breakpoint"}) {
    auto* button = new QToolButton;
    button->setDefaultAction(actions[name]);
    button->setIconSize(QSize(16, 16));
    button->setAutoRaise(true);
    bar->addWidget(button);
  }
  // Names of the model are as long as their author likes; they must not be the least width of the window.
  const auto named = [](QComboBox* box) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(9);
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    box->setMaximumWidth(220);
  };
  const auto choice = [&](QHBoxLayout* row, const char* name, const QString& label) {
    auto* box = new ChoiceBox;
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(label);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* text = new QLabel(label);
    text->setBuddy(box);
    row->addSpacing(8);
    row->addWidget(text);
    row->addSpacing(4);
    row->addWidget(box);
    return box;
  };
  clock_ = choice(bar, "choice.step_clock", tr("Play"));
  clock_->addItem(tr("events"), static_cast<int>(StepDesk::Clock::events));
  clock_->addItem(tr("model time"), static_cast<int>(StepDesk::Clock::model_time));
  clock_->setToolTip(tr("So many events in a second, or so much model time"));
  // One of the two is seen, by what is played.
  const auto speed_list = [&](const char* name, const QString& label) {
    auto* box = new ChoiceBox;
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(label);
    bar->addSpacing(4);
    bar->addWidget(box);
    return box;
  };
  speed_ = speed_list("choice.step_speed", tr("Events in a second"));
  for (const auto& [text, speed] :
       {std::pair{tr("1 a second"), 1}, {tr("4 a second"), 4}, {tr("16 a second"), 16}, {tr("fastest"), 0}})
    speed_->addItem(text, speed);
  rate_ = speed_list("choice.step_rate", tr("Model time in a second"));
  rate_->setEditable(true);
  rate_->setInsertPolicy(QComboBox::NoInsert);
  rate_->setMinimumContentsLength(7);
  rate_->setToolTip(tr("Model time that passes in a second: choose, or type a time with its unit (90 s)"));
  per_second_ = new QLabel(tr("a second"));
  per_second_->setBuddy(rate_);
  bar->addSpacing(4);
  bar->addWidget(per_second_);
  for (const char* name : {"step.slower", "step.faster"}) {
    auto* button = new QToolButton;
    button->setDefaultAction(actions[name]);
    button->setIconSize(QSize(16, 16));
    button->setAutoRaise(true);
    bar->addWidget(button);
  }
  component_ = choice(asked, "choice.step_component", tr("Show"));
  event_ = choice(asked, "choice.step_event", tr("Event"));
  event_->setEditable(true);
  named(component_), named(event_);
  auto* give = new QPushButton(tr("Give"));
  give->setObjectName(QStringLiteral("action.step.give"));
  give->setToolTip(tr("Give the event to the shown component, or to all"));
  asked->addWidget(give);
  asked->addStretch(1);
  bar->addSpacing(12);
  caption_->setObjectName(QStringLiteral("label.step"));
  bar->addWidget(caption_, 1);

  waiting_ = plain_table("table.step_waiting");
  set_headings(waiting_, {tr("Time"), tr("Component"), tr("What waits")});
  taken_ = plain_table("table.step_taken");
  set_headings(taken_, {tr("Time"), tr("Component"), tr("Transition")});
  variables_ = plain_table("table.step_variables");
  set_headings(variables_, {tr("Variable"), tr("Value"), tr("Unit")});
  for (QTableWidget* table : {waiting_, taken_, variables_}) table->horizontalHeader()->setStretchLastSection(true);
  auto* tables = new QSplitter(Qt::Horizontal);
  tables->addWidget(titled(tr("Happened"), taken_));
  tables->addWidget(titled(tr("Waiting"), waiting_));
  tables->addWidget(titled(tr("Variables"), variables_));
  tables->setSizes({420, 420, 260});
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addLayout(bar);
  rows->addLayout(asked);
  rows->addWidget(tables, 1);

  soon_.setSingleShot(true);
  connect(&soon_, &QTimer::timeout, this, &StepPanel::refresh);
  connect(&desk_, &StepDesk::changed, this, &StepPanel::refresh_soon);
  connect(&desk_, &StepDesk::passed, this, &StepPanel::refresh_caption);
  connect(speed_, &QComboBox::currentIndexChanged, this, [this] {
    if (!filling_) desk_.set_speed(speed_->currentData().toInt());
  });
  connect(clock_, &QComboBox::currentIndexChanged, this, [this] {
    if (!filling_) desk_.set_clock(static_cast<StepDesk::Clock>(clock_->currentData().toInt()));
  });
  connect(rate_, &QComboBox::textActivated, this, &StepPanel::take_rate);
  connect(rate_->lineEdit(), &QLineEdit::editingFinished, this, [this] { take_rate(rate_->currentText()); });
  connect(component_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (filling_) return;
    desk_.show_component(index > 0 ? std::optional<std::uint32_t>(static_cast<std::uint32_t>(index - 1))
                                   : std::nullopt);
  });
  connect(give, &QPushButton::clicked, this,
          [this] { desk_.give(event_->currentText().trimmed(), desk_.component()); });
  const auto reveal = [this](QTableWidget* table, std::vector<ElementId>& elements) {
    connect(table, &QTableWidget::cellDoubleClicked, this, [this, &elements](int row) {
      if (static_cast<std::size_t>(row) < elements.size() && elements[static_cast<std::size_t>(row)])
        workspace_.reveal(elements[static_cast<std::size_t>(row)]);
    });
  };
  reveal(waiting_, waiting_elements_), reveal(taken_, taken_elements_);
  fill_speeds();
  refresh();
}

void StepPanel::fill_choices() {
  filling_ = true;
  QStringList names = {tr("all components")};
  for (const std::string& name : desk_.history()->components()) names << QString::fromStdString(name);
  QStringList events;
  for (const std::string& name : desk_.history()->events()) events << QString::fromStdString(name);
  const auto put = [](QComboBox* box, const QStringList& texts) {
    QStringList shown;
    for (int i = 0; i < box->count(); ++i) shown << box->itemText(i);
    if (shown == texts) return;
    box->clear();
    box->addItems(texts);
  };
  put(component_, names), put(event_, events);
  component_->setCurrentIndex(desk_.component() ? static_cast<int>(*desk_.component()) + 1 : 0);
  filling_ = false;
}

void StepPanel::take_rate(const QString& text) {
  if (filling_ || text == desk_.rate_text()) return;
  if (const QString problem = desk_.ask_rate(text); !problem.isEmpty()) {
    workspace_.say(problem);
    rate_->setEditText(desk_.rate_text());
  }
}

void StepPanel::fill_speeds() {
  filling_ = true;
  const bool by_time = desk_.clock() == StepDesk::Clock::model_time;
  clock_->setCurrentIndex(clock_->findData(static_cast<int>(desk_.clock())));
  speed_->setCurrentIndex(speed_->findData(desk_.speed()));
  speed_->setVisible(!by_time), rate_->setVisible(by_time), per_second_->setVisible(by_time);
  const std::string written = workspace_.document().model().text("time_unit", "h");
  const std::string unit = parse_unit(written) ? written : "h";
  if (rates_of_ != unit) {
    rates_of_ = unit;
    rate_->clear();
    for (const double rate : {0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0})
      rate_->addItem(QString::fromStdString(number_text(rate) + " " + unit));
  }
  if (!rate_->lineEdit()->hasFocus() || !rate_->lineEdit()->isModified()) rate_->setEditText(desk_.rate_text());
  filling_ = false;
}

void StepPanel::refresh_soon() {
  constexpr int pause_ms = 250;
  fill_speeds();
  if (!desk_.playing()) {
    soon_.stop();
    return refresh();
  }
  refresh_caption();
  if (!soon_.isActive()) soon_.start(pause_ms);
}

void StepPanel::refresh_caption() {
  const Stepper* history = desk_.history();
  if (history == nullptr) return caption_->setText(tr("F7 begins a history of the model and goes on event by event."));
  const Unit shown = parse_unit(workspace_.document().model().text("time_unit", "h")).value_or(Unit{});
  const auto time = [&](double seconds, int digits) {
    return QString::fromStdString(number_text(shown.from_si(seconds), digits) + " " + shown.symbol);
  };
  QString text = time(desk_.time_s(), 7);
  if (const double reached = desk_.reached_rate(); reached > 0.0 && desk_.playing())
    text += tr(", reaches %1 a second").arg(time(reached, 3));
  text += tr(", step %1, seed %2").arg(history->steps()).arg(history->seed());
  if (!desk_.said().isEmpty()) text = desk_.said() + QStringLiteral(" – ") + text;
  caption_->setText(text);
  caption_->setToolTip(text);
}

void StepPanel::refresh() {
  const Stepper* history = desk_.history();
  for (QWidget* widget : {static_cast<QWidget*>(component_), static_cast<QWidget*>(event_)})
    widget->setEnabled(history != nullptr);
  waiting_elements_.clear(), taken_elements_.clear();
  refresh_caption();
  if (history == nullptr) {
    for (QTableWidget* table : {waiting_, taken_, variables_}) table->setRowCount(0);
    return;
  }
  fill_choices();
  const auto unit = parse_unit(workspace_.document().model().text("time_unit", "h"));
  const Unit shown = unit.value_or(Unit{});
  const auto time = [&](double seconds) {
    return std::isfinite(seconds) ? QString::fromStdString(number_text(shown.from_si(seconds), 7))
                                  : QStringLiteral("–");
  };
  const QString time_heading =
      shown.symbol.empty() ? tr("Time") : tr("Time [%1]").arg(QString::fromStdString(shown.symbol));
  for (QTableWidget* table : {waiting_, taken_}) table->horizontalHeaderItem(0)->setText(time_heading);
  const auto waiting = history->scheduled();
  waiting_->setRowCount(static_cast<int>(std::min(waiting.size(), most_told)));
  for (int row = 0; row < waiting_->rowCount(); ++row) {
    const Waiting& one = waiting[static_cast<std::size_t>(row)];
    set_cells(waiting_, row, {time(one.time_s), QString::fromStdString(one.who), QString::fromStdString(one.text)});
    waiting_elements_.push_back(one.element);
  }
  // The newest stands on top.
  const auto& trace = history->trace();
  taken_->setRowCount(static_cast<int>(std::min(trace.size(), most_told)));
  for (int row = 0; row < taken_->rowCount(); ++row) {
    const Happened& one = trace[trace.size() - 1 - static_cast<std::size_t>(row)];
    set_cells(taken_, row, {time(one.time_s), QString::fromStdString(one.who), QString::fromStdString(one.text)});
    taken_elements_.push_back(one.element);
  }
  const auto variables = history->variables();
  variables_->setRowCount(static_cast<int>(std::min(variables.size(), most_told)));
  for (int row = 0; row < variables_->rowCount(); ++row) {
    const Stepper::Watched& one = variables[static_cast<std::size_t>(row)];
    set_cells(variables_, row,
              {QString::fromStdString(one.name), short_value(one.value), QString::fromStdString(one.unit)});
    variables_->item(row, 1)->setToolTip(QString::fromStdString(one.value));
  }
}

}  // namespace ergode
