#include "app/gui/run_options_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "solvers/run_options.h"

namespace ergode {

RunOptionsDialog::RunOptionsDialog(const std::map<std::string, std::string>& options, QWidget* parent)
    : QDialog(parent), problem_(new QLabel) {
  setObjectName(QStringLiteral("dialog.run_options"));
  setWindowTitle(tr("Run options"));
  resize(620, 560);
  auto* page = new QWidget;
  auto* form = new QFormLayout(page);
  for (const RunOption& spec : run_options()) {
    // These stand in the tool bar.
    if (spec.name == "solver" || spec.name == "scenario" || spec.name == "seed" || spec.name == "replications")
      continue;
    auto* edit = new QLineEdit;
    edit->setObjectName(QStringLiteral("field.option.") + QString::fromStdString(spec.name));
    edit->setPlaceholderText(spec.default_text.empty() ? tr("off") : QString::fromStdString(spec.default_text));
    edit->setToolTip(QString::fromStdString(spec.help));
    edit->setAccessibleName(QString::fromStdString(spec.name));
    if (const auto given = options.find(spec.name); given != options.end())
      edit->setText(QString::fromStdString(given->second));
    auto* help = new QLabel(QString::fromStdString(spec.help));
    help->setProperty("role", "muted");
    help->setWordWrap(true);
    form->addRow(QString::fromStdString(spec.name), edit);
    form->addRow(QString(), help);
    fields_.push_back({spec.name, edit});
  }
  auto* area = new QScrollArea;
  area->setWidget(page);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  problem_->setObjectName(QStringLiteral("label.option_problem"));
  problem_->setProperty("role", "error");
  problem_->setWordWrap(true);
  problem_->hide();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  QPushButton* defaults = buttons->addButton(tr("Defaults"), QDialogButtonBox::ResetRole);
  connect(defaults, &QPushButton::clicked, this, [this] {
    for (const Field& field : fields_) field.edit->clear();
  });
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    if (check()) accept();
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* rows = new QVBoxLayout(this);
  rows->addWidget(area, 1);
  rows->addWidget(problem_);
  rows->addWidget(buttons);
}

bool RunOptionsDialog::check() {
  RunRequest scratch;
  for (const Field& field : fields_) {
    if (field.edit->text().trimmed().isEmpty()) continue;
    const auto refused = set_run_option(scratch, field.name, field.edit->text().toStdString());
    if (!refused) continue;
    problem_->setText(QString::fromStdString(refused->message));
    problem_->show();
    field.edit->setFocus();
    field.edit->selectAll();
    return false;
  }
  problem_->hide();
  return true;
}

std::map<std::string, std::string> RunOptionsDialog::options() const {
  std::map<std::string, std::string> out;
  for (const Field& field : fields_)
    if (const QString text = field.edit->text().trimmed(); !text.isEmpty()) out[field.name] = text.toStdString();
  return out;
}

}  // namespace ergode
