#include "app/gui/run_options_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/gui/look/choice_box.h"
#include "app/gui/look/look.h"
#include "solvers/run_options.h"

namespace ergode {
namespace {

/// "ode-method" as people read it: "ODE method".
QString label_of(const std::string& name) {
  QStringList words = QString::fromStdString(name).split(QLatin1Char('-'));
  if (words.front() == QLatin1String("ode")) words.front() = words.front().toUpper();
  words.front().front() = words.front().front().toUpper();
  return words.join(QLatin1Char(' '));
}

/// The words of an option that takes one of several ("automatic, stiff or nonstiff"); empty: it takes something else.
QStringList words_of(const RunOption& option) {
  QString wanted = QString::fromStdString(option.wanted);
  const QStringList words = wanted.replace(QStringLiteral(" or "), QStringLiteral(", ")).split(QStringLiteral(", "));
  if (words.size() < 2) return {};
  for (const QString& word : words) {
    RunRequest scratch;
    if (word.contains(QLatin1Char(' ')) || !option.set(scratch, word.toStdString())) return {};
  }
  return words;
}

}  // namespace

RunOptionsDialog::RunOptionsDialog(const std::map<std::string, std::string>& options, QWidget* parent)
    : QDialog(parent), problem_(new QLabel) {
  setObjectName(QStringLiteral("dialog.run_options"));
  setWindowTitle(tr("Run options"));
  resize_on_screen(*this, {620, 560});
  auto* page = new QWidget;
  auto* form = new QFormLayout(page);
  for (const RunOption& spec : run_options()) {
    // These stand in the tool bar.
    if (spec.name == "solver" || spec.name == "scenario" || spec.name == "seed" || spec.name == "replications")
      continue;
    const QString otherwise = spec.default_text.empty() ? tr("off") : QString::fromStdString(spec.default_text);
    const auto found = options.find(spec.name);
    const QString given = found != options.end() ? QString::fromStdString(found->second) : QString();
    Field field{spec.name, nullptr, nullptr};
    if (const QStringList words = words_of(spec); !words.isEmpty()) {
      field.list = new ChoiceBox;
      field.list->addItem(tr("%1 (default)").arg(otherwise), QString());
      for (const QString& word : words)
        if (word != otherwise) field.list->addItem(word, word);
      field.list->setCurrentIndex(std::max(0, field.list->findData(given)));
    } else {
      field.edit = new QLineEdit(given);
      field.edit->setPlaceholderText(otherwise);
    }
    QWidget* edit = field.editor();
    edit->setObjectName(QStringLiteral("field.option.") + QString::fromStdString(spec.name));
    edit->setToolTip(tr("On the command line: --%1").arg(QString::fromStdString(spec.name)));
    edit->setAccessibleName(label_of(spec.name));
    auto* help = new QLabel(QString::fromStdString(spec.help));
    help->setProperty("role", "muted");
    help->setWordWrap(true);
    form->addRow(label_of(spec.name), edit);
    form->addRow(QString(), help);
    fields_.push_back(field);
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
    for (const Field& field : fields_) {
      if (field.list != nullptr) field.list->setCurrentIndex(0);
      else field.edit->clear();
    }
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
    if (field.text().isEmpty()) continue;
    const auto refused = set_run_option(scratch, field.name, field.text().toStdString());
    if (!refused) continue;
    problem_->setText(QString::fromStdString(refused->message)
                          .replace(QStringLiteral("--") + QString::fromStdString(field.name), label_of(field.name)));
    problem_->show();
    field.editor()->setFocus();
    if (field.edit != nullptr) field.edit->selectAll();
    return false;
  }
  problem_->hide();
  return true;
}

QWidget* RunOptionsDialog::Field::editor() const {
  return list != nullptr ? static_cast<QWidget*>(list) : static_cast<QWidget*>(edit);
}

QString RunOptionsDialog::Field::text() const {
  return list != nullptr ? list->currentData().toString() : edit->text().trimmed();
}

std::map<std::string, std::string> RunOptionsDialog::options() const {
  std::map<std::string, std::string> out;
  for (const Field& field : fields_)
    if (const QString text = field.text(); !text.isEmpty()) out[field.name] = text.toStdString();
  return out;
}

}  // namespace ergode
