// Numbers of the run on show at the elements of the diagram, and what asks for them.
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/main_window.h"
#include "app/session/element_numbers.h"

namespace ergode {
namespace {

constexpr const char* numbers_key = "view/numbers";

}  // namespace

void MainWindow::make_numbers_bar() {
  numbers_bar_ = new QFrame;
  numbers_bar_->setObjectName(QStringLiteral("view.numbers"));
  numbers_bar_->setProperty("role", "banner");
  auto* text = new QLabel(tr("The run on show says nothing of the elements of this diagram: the model does not ask."));
  text->setObjectName(QStringLiteral("label.numbers"));
  text->setWordWrap(true);
  auto* ask = new QPushButton;
  ask->setObjectName(QStringLiteral("action.numbers.measure"));
  connect(ask, &QPushButton::clicked, this, [this] {
    numbers_bar_->hide();
    measure_everything();
  });
  auto* close = new QPushButton(tr("Dismiss"));
  close->setObjectName(QStringLiteral("action.numbers.close"));
  connect(close, &QPushButton::clicked, numbers_bar_, &QFrame::hide);
  auto* row = new QHBoxLayout(numbers_bar_);
  row->setContentsMargins(12, 6, 8, 6);
  row->addWidget(text, 1);
  row->addWidget(ask);
  row->addWidget(close);
  numbers_bar_->hide();
}

void MainWindow::join_number_actions() {
  QAction* toggle = (*actions_)["view.numbers"];
  toggle->setCheckable(true);
  toggle->setChecked(settings_.value(QLatin1String(numbers_key), true).toBool());
  connect(toggle, &QAction::triggered, this, [this](bool on) {
    settings_.setValue(QLatin1String(numbers_key), on);
    refresh_numbers();
    // Only who asks for numbers is told that there are none.
    const bool none = on && desk_->shown() != nullptr && canvas_->scene_items().numbers().empty();
    const auto fix = none ? ergode::measure_everything(workspace_.document()) : std::nullopt;
    numbers_bar_->setVisible(fix.has_value());
    if (fix)
      numbers_bar_->findChild<QPushButton*>(QStringLiteral("action.numbers.measure"))
          ->setText(QString::fromStdString(fix->label));
    else if (on && canvas_->scene_items().numbers().empty())
      workspace_.say(tr("There are no numbers for the elements of this diagram yet"));
  });
  connect((*actions_)["model.measure_everything"], &QAction::triggered, this, &MainWindow::measure_everything);
  connect(desk_, &RunDesk::shown_changed, this, &MainWindow::refresh_numbers);
  connect(desk_, &RunDesk::stale_changed, this, &MainWindow::refresh_numbers);
  connect(desk_, &RunDesk::progressed, this, &MainWindow::refresh_numbers);
  connect(desk_, &RunDesk::ended, this, &MainWindow::refresh_numbers);
  connect(&workspace_, &Workspace::changed, this, &MainWindow::refresh_numbers);
  connect(&workspace_, &Workspace::diagram_shown, this, &MainWindow::refresh_numbers);
  connect(&workspace_, &Workspace::replaced, this, [this] {
    numbers_bar_->hide();
    refresh_numbers();
  });
  refresh_numbers();
}

void MainWindow::refresh_numbers() {
  const auto fix = ergode::measure_everything(workspace_.document());
  QAction* ask = (*actions_)["model.measure_everything"];
  ask->setText(fix ? QString::fromStdString(fix->label) : tr("Measure every &element"));
  actions_->enable(QStringLiteral("model.measure_everything"),
                   fix ? QString() : tr("There is no element with usual measures that nothing asks for yet."));
  const bool wanted = (*actions_)["view.numbers"]->isChecked();
  const auto shown = wanted ? desk_->shown() : nullptr;
  DiagramNumbers numbers = diagram_numbers(workspace_.document(), workspace_.diagram(), shown.get(), desk_->stale());
  if (!numbers.of.empty()) numbers_bar_->hide();
  canvas_->show_numbers(std::move(numbers.of), numbers.caption);
}

void MainWindow::measure_everything() {
  if (const auto fix = ergode::measure_everything(workspace_.document())) workspace_.mend(*fix);
}

}  // namespace ergode
