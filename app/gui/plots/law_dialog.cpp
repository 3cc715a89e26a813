#include "app/gui/plots/law_dialog.h"

#include <qcustomplot.h>

#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/gui/look/choice_box.h"
#include "app/gui/look/look.h"
#include "core/base/text.h"
#include "core/expression/syntax.h"
#include "core/random/moment_arguments.h"

namespace ergode {
namespace {

constexpr int points = 400;
/// The model's own unit is shown as long as a mean has few digits in it.
constexpr double least_shown = 0.01, most_shown = 1000.0;

QString number(double value) { return QString::fromStdString(number_text(value, 6)); }

/// Whether it is one of those that make_distribution() makes.
bool is_law(const DistributionForm& form) {
  std::vector<std::string_view> names;
  for (const DistributionArgument& one : form.arguments) names.emplace_back(one.name);
  return find_distribution_form(form.family, names) != nullptr;
}

Unit of_time(const char* symbol) { return parse_unit(symbol).value(); }

QString symbol_of(const Unit& unit) { return QString::fromStdString(unit.symbol); }

QString unquoted(const QString& text) {
  const bool quoted = text.size() >= 2 && text.startsWith(QLatin1Char('"')) && text.endsWith(QLatin1Char('"'));
  return quoted ? text.mid(1, text.size() - 2) : text;
}

QString title_of(const DistributionForm& form) {
  QStringList names;
  for (const DistributionArgument& one : form.arguments) names << QString::fromStdString(one.name);
  return QStringLiteral("%1 (%2)").arg(QString::fromStdString(form.family), names.join(QStringLiteral(", ")));
}

void dress(QCustomPlot& plot) {
  const Look& t = look();
  plot.setBackground(t.canvas);
  QFont font(sans_family());
  font.setPixelSize(11);
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.yAxis2}) {
    axis->setBasePen(QPen(t.muted, 1));
    axis->setTickPen(QPen(t.muted, 1));
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(t.muted);
    axis->setLabelColor(t.text);
    axis->setTickLabelFont(font);
    axis->setLabelFont(font);
    axis->grid()->setPen(QPen(t.grid, 1));
    axis->grid()->setZeroLinePen(QPen(t.line, 1));
  }
  plot.legend->setFont(font);
  plot.legend->setTextColor(t.text);
  plot.legend->setBrush(t.panel);
  plot.legend->setBorderPen(QPen(t.line, 1));
}

}  // namespace

LawDialog::LawDialog(const QString& text, LawContext context, QWidget* parent)
    : QDialog(parent),
      context_(std::move(context)),
      unit_(of_time("s")),
      forms_(new ChoiceBox),
      arguments_(new QFormLayout),
      mean_(new QLineEdit),
      scv_(new QLineEdit),
      mean_label_(new QLabel),
      help_(new QLabel),
      numbers_(new QLabel),
      text_(new QLabel),
      problem_(new QLabel),
      file_(new CsvPreview(context_.read)),
      plot_(new QCustomPlot) {
  if (const auto own = parse_unit(context_.time_unit); own && own->dimension == Dimension::of_time()) unit_ = *own;
  setObjectName(QStringLiteral("dialog.law"));
  setWindowTitle(tr("Distribution"));
  resize_on_screen(*this, {860, 480});
  forms_->setObjectName(QStringLiteral("field.law.form"));
  forms_->setAccessibleName(tr("Family"));
  for (const DistributionForm& form : context_.forms)
    forms_->addItem(title_of(form), QVariant::fromValue(static_cast<const void*>(&form)));
  mean_label_->setObjectName(QStringLiteral("label.law.mean"));
  mean_->setObjectName(QStringLiteral("field.law.mean"));
  scv_->setObjectName(QStringLiteral("field.law.scv"));
  mean_->setAccessibleName(tr("Mean"));
  scv_->setAccessibleName(tr("Variance over squared mean"));
  QFont mono(mono_family());
  mono.setPixelSize(12);
  text_->setFont(mono);
  text_->setObjectName(QStringLiteral("label.law.text"));
  problem_->setObjectName(QStringLiteral("label.law.problem"));
  problem_->setProperty("role", "error");
  for (QLabel* label : {help_, numbers_}) label->setProperty("role", "muted");
  for (QLabel* label : {help_, numbers_, text_, problem_}) label->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* moments = new QFormLayout;
  moments->addRow(mean_label_, mean_);
  moments->addRow(tr("Variance / mean²"), scv_);
  auto* heading = new QLabel(tr("MEAN AND SPREAD"));
  heading->setProperty("role", "heading");
  auto* left = new QVBoxLayout;
  left->addWidget(forms_);
  left->addWidget(help_);
  left->addLayout(arguments_);
  left->addSpacing(8);
  left->addWidget(heading);
  left->addLayout(moments);
  left->addWidget(numbers_);
  left->addStretch(1);
  plot_->setObjectName(QStringLiteral("view.law"));
  plot_->setMinimumSize(420, 260);
  plot_->yAxis2->setVisible(true);
  plot_->yAxis2->setRange(0.0, 1.05);
  plot_->yAxis2->setLabel(tr("P(X ≤ x)"));
  plot_->legend->setVisible(true);
  plot_->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignRight | Qt::AlignVCenter);
  plot_->addGraph(plot_->xAxis, plot_->yAxis)->setName(tr("density"));
  plot_->addGraph(plot_->xAxis, plot_->yAxis2)->setName(tr("distribution"));
  dress(*plot_);
  const Look& t = look();
  QPen dashed(t.series[1], 2, Qt::DashLine);
  plot_->graph(0)->setPen(QPen(t.series[0], 2));
  plot_->graph(1)->setPen(dashed);
  auto* upper = new QHBoxLayout;
  upper->addLayout(left, 2);
  upper->addWidget(plot_, 3);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  ok_ = buttons->button(QDialogButtonBox::Ok);
  auto* all = new QVBoxLayout(this);
  all->addLayout(upper, 1);
  all->addWidget(file_);
  all->addWidget(text_);
  all->addWidget(problem_);
  all->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(forms_, &QComboBox::activated, this, [this](int row) {
    choose(*static_cast<const DistributionForm*>(forms_->itemData(row).value<const void*>()));
  });
  connect(file_, &CsvPreview::chosen, this, [this](const QString& column) {
    if (QLineEdit* edit = edit_of("column")) edit->setText(column), look_again();
  });
  for (QLineEdit* edit : {mean_, scv_}) connect(edit, &QLineEdit::textEdited, this, &LawDialog::moments_typed);
  fill(text);
}

// A time is the law that always has it.
void LawDialog::fill(const QString& text) {
  const std::string given = text.toStdString();
  const auto parsed = parse_expression(given);
  const auto* syntax = std::get_if<Syntax>(&parsed);
  const DistributionForm* form = nullptr;
  std::vector<QString> values;
  if (syntax != nullptr && syntax->kind == Syntax::Kind::call) {
    std::vector<std::string> names = syntax->names;
    // The name of a file may come first without a name of its own.
    if (!names.empty() && names.front().empty() && syntax->children.front().kind == Syntax::Kind::text)
      names.front() = "file";
    form = form_of(syntax->word, names);
    for (std::size_t a = 0; form != nullptr && a < form->arguments.size(); ++a) {
      values.emplace_back();
      for (std::size_t i = 0; i < names.size(); ++i) {
        const Syntax& child = syntax->children[i];
        if (names[i] != form->arguments[a].name) continue;
        values.back() = QString::fromStdString(
            given.substr(static_cast<std::size_t>(child.begin), static_cast<std::size_t>(child.end - child.begin)));
        if (is_quoted(form->arguments[a])) values.back() = unquoted(values.back());
      }
    }
  }
  if (form == nullptr) {
    const bool time =
        !text.trimmed().isEmpty() &&
        std::holds_alternative<LawPreview>(context_.judge(QStringLiteral("deterministic(value = %1)").arg(text)));
    if (!time) return fill(QStringLiteral("exponential(mean = 1 %1)").arg(symbol_of(unit_)));
    form = form_of("deterministic", {"value"}), values = {text};
  }
  rebuild(*form, values);
}

void LawDialog::rebuild(const DistributionForm& form, const std::vector<QString>& values) {
  form_ = &form;
  edits_.clear();
  while (arguments_->rowCount() > 0) arguments_->removeRow(0);
  column_ = nullptr;
  for (std::size_t a = 0; a < form.arguments.size(); ++a)
    edits_.push_back(make_edit(form.arguments[a], a < values.size() ? values[a] : QString()));
  forms_->setCurrentIndex(forms_->findText(title_of(form)));
  help_->setText(QString::fromStdString(form.help));
  look_again();
}

const DistributionForm* LawDialog::form_of(std::string_view family, const std::vector<std::string>& names) const {
  for (const DistributionForm& form : context_.forms) {
    if (form.family != family) continue;
    std::size_t met = 0;
    bool complete = true;
    for (const DistributionArgument& one : form.arguments) {
      const auto times = std::count(names.begin(), names.end(), one.name);
      complete = complete && times <= 1 && (times == 1 || !one.required);
      met += static_cast<std::size_t>(times);
    }
    if (complete && met == names.size()) return &form;
  }
  return nullptr;
}

QLineEdit* LawDialog::edit_of(std::string_view argument) const {
  for (std::size_t a = 0; a < edits_.size(); ++a)
    if (form_->arguments[a].name == argument) return edits_[a];
  return nullptr;
}

QLineEdit* LawDialog::make_edit(const DistributionArgument& argument, const QString& value) {
  const bool of_file = reads_file(*form_);
  QWidget* shown = nullptr;
  QLineEdit* edit = nullptr;
  if (of_file && argument.name == "column") {
    column_ = new QComboBox;
    column_->setEditable(true);
    column_->setInsertPolicy(QComboBox::NoInsert);
    edit = column_->lineEdit();
    connect(column_, &QComboBox::activated, this, &LawDialog::look_again);
    shown = column_;
  } else {
    edit = new QLineEdit;
    shown = edit;
  }
  edit->setText(value);
  edit->setObjectName(QStringLiteral("field.law.") + QString::fromStdString("argument." + argument.name));
  edit->setAccessibleName(QString::fromStdString(argument.name));
  edit->setToolTip(QString::fromStdString(argument.help));
  edit->setPlaceholderText(argument.required || of_file ? QString::fromStdString(argument.help) : tr("none"));
  edit->setCursorPosition(0);
  connect(edit, &QLineEdit::textEdited, this, &LawDialog::look_again);
  if (of_file && argument.name == "file") {
    auto* browse = new QPushButton(tr("Choose ..."));
    browse->setObjectName(QStringLiteral("action.law.file"));
    browse->setAutoDefault(false);
    connect(browse, &QPushButton::clicked, this, [this] {
      const QString path = QFileDialog::getOpenFileName(this, tr("File of times"), context_.folder,
                                                        tr("Tables (*.csv *.txt *.dat);;All files (*)"));
      if (!path.isEmpty()) take_file(path);
    });
    shown = new QWidget;
    auto* row = new QHBoxLayout(shown);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(edit, 1);
    row->addWidget(browse);
  }
  arguments_->addRow(QString::fromStdString(argument.name), shown);
  return edit;
}

void LawDialog::take_file(const QString& path) {
  QLineEdit* file = edit_of("file");
  if (file == nullptr) return;
  const QString within = context_.folder.isEmpty() ? path : QDir(context_.folder).relativeFilePath(path);
  file->setText(within.startsWith(QLatin1String("../")) ? path : within);
  file->setCursorPosition(0);
  if (QLineEdit* unit = edit_of("unit"); unit != nullptr && unit->text().trimmed().isEmpty())
    unit->setText(symbol_of(unit_));
  if (QLineEdit* column = edit_of("column")) column->clear();
  look_again();
}

void LawDialog::show_file() {
  const bool of_file = reads_file(*form_);
  file_->setVisible(of_file);
  if (!of_file) return;
  QLineEdit* column = edit_of("column");
  const QString now = column->text();
  file_->show_file(edit_of("file")->text().trimmed(), now);
  QStringList offered;
  for (int i = 0; i < column_->count(); ++i) offered << column_->itemText(i);
  if (offered == file_->columns()) return;
  column_->clear();
  column_->addItems(file_->columns());
  column->setText(now);
}

QString LawDialog::text() const {
  QStringList given;
  for (std::size_t a = 0; a < edits_.size(); ++a) {
    const DistributionArgument& argument = form_->arguments[a];
    QString value = edits_[a]->text().trimmed();
    if (value.isEmpty()) continue;
    bool number = false;
    if (argument.name == "column") value.toUInt(&number);
    if (is_quoted(argument) && !number) value = QLatin1Char('"') + value + QLatin1Char('"');
    given << QStringLiteral("%1 = %2").arg(QString::fromStdString(argument.name), value);
  }
  return QStringLiteral("%1(%2)").arg(QString::fromStdString(form_->family), given.join(QStringLiteral(", ")));
}

QString LawDialog::written(const DistributionArgument& argument, const std::vector<double>& values) const {
  QStringList out;
  for (const double value : values) {
    switch (argument.dimension) {
      case ArgumentDimension::same:
        out << number(value / unit_.scale) + QLatin1Char(' ') + symbol_of(unit_);
        break;
      case ArgumentDimension::inverse:
        out << number(value * unit_.scale) + QLatin1String(" /") + symbol_of(unit_);
        break;
      case ArgumentDimension::none:
        // Probabilities must go on summing up to 1.
        out << QString::fromStdString(number_text(value, argument.list ? 12 : 6));
    }
  }
  return argument.list ? QStringLiteral("[%1]").arg(out.join(QStringLiteral(", "))) : out.join(QStringLiteral(", "));
}

std::vector<QString> LawDialog::beginning(const DistributionForm& form, double mean_s) const {
  const auto time = [&](double means) { return written({"", ArgumentDimension::same}, {means * mean_s}); };
  // Of few digits, so that rows of rates still sum to 0.
  const double often = parse_number(number_text(unit_.scale / mean_s, 5)).value_or(1.0);
  const auto rate = [&](double of) {
    return QString::fromStdString(number_text(of * often, 12)) + QLatin1String(" /") + symbol_of(unit_);
  };
  const auto list = [](const QStringList& of) { return QStringLiteral("[%1]").arg(of.join(QStringLiteral(", "))); };
  const auto law = [&](double means) { return QStringLiteral("exponential(mean = %1)").arg(time(means)); };
  // One state three times as busy as the other, each for ten arrivals; of both as long.
  const std::pair<std::string_view, QString> texts[] = {
      {"rates", list({rate(1.5), rate(0.5)})},
      {"switching", list({rate(0.1), rate(0.1)})},
      {"d0", list({list({rate(-1.6), rate(0.1)}), list({rate(0.1), rate(-0.6)})})},
      {"d1", list({list({rate(1.5), rate(0.0)}), list({rate(0.0), rate(0.5)})})},
      {"mean", time(1.0)},
      {"scv", QStringLiteral("2")},
      {"correlation", QStringLiteral("0.2")},
      {"decay", QStringLiteral("0.8")},
      {"gaps", list({law(2.0 / 3.0), law(2.0)})},
      {"lengths", list({time(10.0), time(10.0)})},
      {"times", list({time(1.0)})},
      {"unit", symbol_of(unit_)}};
  std::vector<QString> out;
  for (const DistributionArgument& argument : form.arguments) {
    out.emplace_back();
    for (const auto& [name, value] : texts)
      if (argument.name == name) out.back() = value;
  }
  return out;
}

void LawDialog::choose(const DistributionForm& form) {
  std::vector<QString> values(form.arguments.size());
  const double mean = law_ ? law_->mean() : 0.0;
  if (!is_law(form)) {
    values = beginning(form, mean > 0.0 && std::isfinite(mean) ? mean : unit_.scale);
    // From one file to another form that reads it.
    for (std::size_t a = 0; a < values.size(); ++a)
      if (const QLineEdit* now = edit_of(form.arguments[a].name); now != nullptr && is_quoted(form.arguments[a]))
        values[a] = now->text();
  } else if (law_ && std::isfinite(law_->variance()) && mean > 0.0) {
    const double scv = law_->variance() / (mean * mean);
    // Of laws without a choice of spread the mean at least.
    auto found = arguments_of_moments(form, mean, scv);
    if (!found) found = arguments_of_moments(form, mean, form.family == "deterministic" ? 0.0 : 1.0);
    if (!found) found = arguments_of_moments(form, mean, 2.0);
    for (std::size_t a = 0; found && a < values.size(); ++a)
      for (const NamedArgument& one : *found)
        if (one.name == form.arguments[a].name) values[a] = written(form.arguments[a], one.values);
  }
  rebuild(form, values);
}

void LawDialog::take_moments(double mean_s, double scv) {
  const DistributionForm* form = form_;
  std::vector<NamedArgument> found{{"mean", {mean_s}}, {"scv", {scv}}};
  // Arrivals of given moments keep their correlation.
  const bool kept = !is_law(*form) && edit_of("mean") != nullptr && edit_of("scv") != nullptr;
  if (!kept) {
    auto made = is_law(*form) ? arguments_of_moments(*form, mean_s, scv) : std::nullopt;
    if (!made) {
      form = form_of("fitted", {"mean", "scv"});
      made = form != nullptr ? arguments_of_moments(*form, mean_s, scv) : std::nullopt;
      if (!made) return;
    }
    found = *std::move(made);
  }
  std::vector<QString> values(form->arguments.size());
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (kept) values[a] = edits_[a]->text();
    for (const NamedArgument& one : found)
      if (one.name == form->arguments[a].name) values[a] = written(form->arguments[a], one.values);
  }
  filling_ = true;
  rebuild(*form, values);
  filling_ = false;
}

std::optional<double> LawDialog::mean_typed() {
  const QString text = mean_->text().trimmed();
  bool plain = false;
  if (const double value = text.toDouble(&plain); plain) return value * unit_.scale;
  const auto parsed = parse_expression(text.toStdString());
  const auto* syntax = std::get_if<Syntax>(&parsed);
  if (syntax != nullptr && syntax->kind == Syntax::Kind::number)
    if (const auto unit = parse_unit(syntax->unit); unit && unit->dimension == Dimension::of_time()) {
      unit_ = *unit;  // the law is then written as the mean is
      return unit->to_si(syntax->number);
    }
  const auto judged = context_.judge(text);
  const auto* seen = std::get_if<LawPreview>(&judged);
  if (seen == nullptr || seen->law.family() != Distribution::Family::deterministic) return std::nullopt;
  return seen->law.mean();
}

void LawDialog::moments_typed() {
  bool scv_is = false;
  const double scv = scv_->text().toDouble(&scv_is);
  const std::optional<double> mean = mean_typed();
  const bool fine = mean && scv_is && *mean > 0.0 && scv >= 0.0;
  if (fine) return take_moments(*mean, scv);
  problem_->setText(tr("Wanted a mean above 0, as a number of %1 or with its unit (4 min), and a spread of at least 0.")
                        .arg(symbol_of(unit_)));
  problem_->show();
  ok_->setEnabled(false);
}

void LawDialog::look_again() {
  show_file();
  auto judged = context_.judge(text());
  text_->setText(text());
  law_.reset();
  const auto* seen = std::get_if<LawPreview>(&judged);
  if (seen != nullptr) law_ = seen->law;
  ok_->setEnabled(law_.has_value());
  problem_->setVisible(!law_);
  plot_->setVisible(true);
  if (seen != nullptr) return draw(*seen);
  problem_->setText(std::get<QString>(judged));
  plot_->graph(0)->data()->clear();
  plot_->graph(1)->data()->clear();
  numbers_->clear();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

Unit LawDialog::unit_for(double usual_s) const {
  const auto own = parse_unit(context_.time_unit);
  if (own && own->dimension == Dimension::of_time()) {
    const double shown = usual_s / own->scale;
    if (shown >= least_shown && shown < most_shown) return *own;
  }
  for (const char* symbol : {"h", "min", "s", "ms"})
    if (const Unit unit = of_time(symbol); usual_s >= 0.999 * unit.scale) return unit;
  return of_time("us");
}

void LawDialog::draw(const LawPreview& seen) {
  const Distribution& law = seen.law;
  const double middle = law.quantile(0.5);
  if (!filling_) {
    const double usual = std::isfinite(law.mean()) ? law.mean() : middle;
    unit_ = unit_for(usual);
  }
  const double mean = law.mean(), variance = law.variance();
  const QString in = QLatin1Char(' ') + symbol_of(unit_);
  mean_label_->setText(tr("Mean [%1]").arg(symbol_of(unit_)));
  if (!filling_) {
    mean_->setText(std::isfinite(mean) ? number(mean / unit_.scale) : tr("infinite"));
    scv_->setText(std::isfinite(variance) && mean > 0.0 ? number(variance / (mean * mean)) : tr("infinite"));
  }
  numbers_->setText(
      tr("Median %1, 5 % below %2, 5 % above %3")
          .arg(number(middle / unit_.scale) + in, number(law.quantile(0.05) / unit_.scale) + in,
               number(law.quantile(0.95) / unit_.scale) + in) +
      (seen.neighbours
           ? tr("; correlation of neighbours %1").arg(QString::fromStdString(number_text(*seen.neighbours, 3)))
           : QString()));
  double low = law.quantile(0.0), high = law.quantile(0.99);
  if (!std::isfinite(low)) low = law.quantile(0.001);
  low = std::min(low, 0.0) == 0.0 && low < 0.5 * high ? 0.0 : low - 0.1 * (high - low);
  if (!(high > low)) low = 0.0, high = 2.0 * std::max(high, unit_.scale);
  QVector<double> x, density, upto;
  double top = 0.0;
  for (int i = 0; i <= points; ++i) {
    const double at = low + (high - low) * i / points, value = law.pdf(at);
    x << at / unit_.scale;
    upto << law.cdf(at);
    density << (std::isfinite(value) ? value * unit_.scale : std::numeric_limits<double>::quiet_NaN());
    // Beside a pole the rest is still to be seen.
    if (std::isfinite(value) && i > points / 100) top = std::max(top, value * unit_.scale);
  }
  plot_->graph(0)->setData(x, density, true);
  plot_->graph(1)->setData(x, upto, true);
  plot_->graph(0)->setVisible(top > 0.0);
  plot_->xAxis->setRange(low / unit_.scale, high / unit_.scale);
  plot_->xAxis->setLabel(tr("time [%1]").arg(symbol_of(unit_)));
  plot_->yAxis->setRange(0.0, top > 0.0 ? 1.08 * top : 1.0);
  plot_->yAxis->setLabel(tr("density [/%1]").arg(symbol_of(unit_)));
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace ergode
