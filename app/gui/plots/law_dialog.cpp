#include "app/gui/plots/law_dialog.h"

#include <qcustomplot.h>

#include <QDialogButtonBox>
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
constexpr const char* first_text = "exponential(mean = 1 s)";

QString number(double value) { return QString::fromStdString(number_text(value, 6)); }

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

LawDialog::LawDialog(const QString& text, Judge judge, QWidget* parent)
    : QDialog(parent),
      judge_(std::move(judge)),
      forms_(new ChoiceBox),
      arguments_(new QFormLayout),
      mean_(new QLineEdit),
      scv_(new QLineEdit),
      mean_label_(new QLabel),
      help_(new QLabel),
      numbers_(new QLabel),
      text_(new QLabel),
      problem_(new QLabel),
      plot_(new QCustomPlot) {
  setObjectName(QStringLiteral("dialog.law"));
  setWindowTitle(tr("Distribution"));
  resize_on_screen(*this, {860, 480});
  forms_->setObjectName(QStringLiteral("field.law.form"));
  forms_->setAccessibleName(tr("Family"));
  for (const DistributionForm& form : distribution_forms())
    if (!form.dimensionless) forms_->addItem(title_of(form), QVariant::fromValue(static_cast<const void*>(&form)));
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
  all->addWidget(text_);
  all->addWidget(problem_);
  all->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(forms_, &QComboBox::activated, this, [this](int row) {
    choose(*static_cast<const DistributionForm*>(forms_->itemData(row).value<const void*>()));
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
    const std::vector<std::string_view> names(syntax->names.begin(), syntax->names.end());
    form = find_distribution_form(syntax->word, names);
    for (std::size_t a = 0; form != nullptr && a < form->arguments.size(); ++a) {
      values.emplace_back();
      for (std::size_t i = 0; i < names.size(); ++i) {
        const Syntax& child = syntax->children[i];
        if (names[i] == form->arguments[a].name)
          values.back() = QString::fromStdString(
              given.substr(static_cast<std::size_t>(child.begin), static_cast<std::size_t>(child.end - child.begin)));
      }
    }
  }
  if (form == nullptr) {
    const bool time = !text.trimmed().isEmpty() && std::holds_alternative<Distribution>(
                                                       judge_(QStringLiteral("deterministic(value = %1)").arg(text)));
    if (!time) return fill(QString::fromLatin1(first_text));
    constexpr std::string_view value[] = {"value"};
    form = find_distribution_form("deterministic", value), values = {text};
  }
  rebuild(*form, values);
}

void LawDialog::rebuild(const DistributionForm& form, const std::vector<QString>& values) {
  form_ = &form;
  while (arguments_->rowCount() > 0) arguments_->removeRow(0);
  edits_.clear();
  for (std::size_t a = 0; a < form.arguments.size(); ++a) {
    const DistributionArgument& one = form.arguments[a];
    auto* edit = new QLineEdit(a < values.size() ? values[a] : QString());
    edit->setObjectName(QStringLiteral("field.law.") + QString::fromStdString("argument." + one.name));
    edit->setAccessibleName(QString::fromStdString(one.name));
    edit->setToolTip(QString::fromStdString(one.help));
    edit->setPlaceholderText(one.required ? QString::fromStdString(one.help) : tr("none"));
    edit->setCursorPosition(0);
    connect(edit, &QLineEdit::textEdited, this, &LawDialog::look_again);
    arguments_->addRow(QString::fromStdString(one.name), edit);
    edits_.push_back(edit);
  }
  forms_->setCurrentIndex(forms_->findText(title_of(form)));
  help_->setText(QString::fromStdString(form.help));
  look_again();
}

QString LawDialog::text() const {
  QStringList given;
  for (std::size_t a = 0; a < edits_.size(); ++a)
    if (!edits_[a]->text().trimmed().isEmpty())
      given << QStringLiteral("%1 = %2").arg(QString::fromStdString(form_->arguments[a].name),
                                             edits_[a]->text().trimmed());
  return QStringLiteral("%1(%2)").arg(QString::fromStdString(form_->family), given.join(QStringLiteral(", ")));
}

QString LawDialog::written(const DistributionArgument& argument, const std::vector<double>& values) const {
  QStringList out;
  for (const double value : values) {
    switch (argument.dimension) {
      case ArgumentDimension::same:
        out << number(value / unit_.seconds) + QLatin1Char(' ') + QLatin1String(unit_.symbol);
        break;
      case ArgumentDimension::inverse:
        out << number(value * unit_.seconds) + QLatin1String(" /") + QLatin1String(unit_.symbol);
        break;
      case ArgumentDimension::none:
        // Probabilities must go on summing up to 1.
        out << QString::fromStdString(number_text(value, argument.list ? 12 : 6));
    }
  }
  return argument.list ? QStringLiteral("[%1]").arg(out.join(QStringLiteral(", "))) : out.join(QStringLiteral(", "));
}

void LawDialog::choose(const DistributionForm& form) {
  std::vector<QString> values(form.arguments.size());
  if (law_ && std::isfinite(law_->variance()) && law_->mean() > 0.0) {
    const double mean = law_->mean(), scv = law_->variance() / (mean * mean);
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
  auto found = arguments_of_moments(*form, mean_s, scv);
  if (!found) {
    constexpr std::string_view two[] = {"mean", "scv"};
    form = find_distribution_form("fitted", two);
    found = arguments_of_moments(*form, mean_s, scv);
    if (!found) return;
  }
  std::vector<QString> values(form->arguments.size());
  for (std::size_t a = 0; a < values.size(); ++a)
    for (const NamedArgument& one : *found)
      if (one.name == form->arguments[a].name) values[a] = written(form->arguments[a], one.values);
  filling_ = true;
  rebuild(*form, values);
  filling_ = false;
}

void LawDialog::moments_typed() {
  bool mean_is = false, scv_is = false;
  const double mean = mean_->text().toDouble(&mean_is), scv = scv_->text().toDouble(&scv_is);
  const bool fine = mean_is && scv_is && mean > 0.0 && scv >= 0.0;
  if (fine) return take_moments(mean * unit_.seconds, scv);
  problem_->setText(tr("Wanted a mean above 0 and a spread of at least 0."));
  problem_->show();
  ok_->setEnabled(false);
}

void LawDialog::look_again() {
  auto judged = judge_(text());
  text_->setText(text());
  law_.reset();
  if (auto* law = std::get_if<Distribution>(&judged)) law_ = std::move(*law);
  ok_->setEnabled(law_.has_value());
  problem_->setVisible(!law_);
  plot_->setVisible(true);
  if (law_) return draw(*law_);
  problem_->setText(std::get<QString>(judged));
  plot_->graph(0)->data()->clear();
  plot_->graph(1)->data()->clear();
  numbers_->clear();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void LawDialog::draw(const Distribution& law) {
  const double middle = law.quantile(0.5);
  if (!filling_) {
    constexpr Unit units[] = {{"h", 3600.0}, {"min", 60.0}, {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}};
    const double usual = std::isfinite(law.mean()) ? law.mean() : middle;
    unit_ = *std::find_if(std::begin(units), std::end(units) - 1,
                          [&](const Unit& one) { return usual >= 0.999 * one.seconds; });
  }
  const double mean = law.mean(), variance = law.variance();
  const QString in = QLatin1Char(' ') + QLatin1String(unit_.symbol);
  mean_label_->setText(tr("Mean [%1]").arg(QLatin1String(unit_.symbol)));
  if (!filling_) {
    mean_->setText(std::isfinite(mean) ? number(mean / unit_.seconds) : tr("infinite"));
    scv_->setText(std::isfinite(variance) && mean > 0.0 ? number(variance / (mean * mean)) : tr("infinite"));
  }
  numbers_->setText(tr("Median %1, 5 % below %2, 5 % above %3")
                        .arg(number(middle / unit_.seconds) + in, number(law.quantile(0.05) / unit_.seconds) + in,
                             number(law.quantile(0.95) / unit_.seconds) + in));
  double low = law.quantile(0.0), high = law.quantile(0.99);
  if (!std::isfinite(low)) low = law.quantile(0.001);
  low = std::min(low, 0.0) == 0.0 && low < 0.5 * high ? 0.0 : low - 0.1 * (high - low);
  if (!(high > low)) low = 0.0, high = 2.0 * std::max(high, unit_.seconds);
  QVector<double> x, density, upto;
  double top = 0.0;
  for (int i = 0; i <= points; ++i) {
    const double at = low + (high - low) * i / points, value = law.pdf(at);
    x << at / unit_.seconds;
    upto << law.cdf(at);
    density << (std::isfinite(value) ? value * unit_.seconds : std::numeric_limits<double>::quiet_NaN());
    // Beside a pole the rest is still to be seen.
    if (std::isfinite(value) && i > points / 100) top = std::max(top, value * unit_.seconds);
  }
  plot_->graph(0)->setData(x, density, true);
  plot_->graph(1)->setData(x, upto, true);
  plot_->graph(0)->setVisible(top > 0.0);
  plot_->xAxis->setRange(low / unit_.seconds, high / unit_.seconds);
  plot_->xAxis->setLabel(tr("time [%1]").arg(QLatin1String(unit_.symbol)));
  plot_->yAxis->setRange(0.0, top > 0.0 ? 1.08 * top : 1.0);
  plot_->yAxis->setLabel(tr("density [/%1]").arg(QLatin1String(unit_.symbol)));
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace ergode
