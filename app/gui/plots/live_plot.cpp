#include "app/gui/plots/live_plot.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/session/company.h"
#include "app/session/figure.h"

namespace ergode {
namespace {

QString with_unit(const QString& name, const std::string& unit) {
  return QStringLiteral("%1 [%2]").arg(name, unit.empty() ? QStringLiteral("1") : QString::fromStdString(unit));
}

/// What the values of a measure are, in a word: its label is in the header.
QString quantity_word(const MeasureResult& measure) {
  if (measure.kind.starts_with("probability")) return QObject::tr("Probability");
  if (measure.kind == "time_average") return QObject::tr("Mean");
  if (measure.kind == "count") return QObject::tr("Count");
  if (measure.kind == "time_to") return QObject::tr("Time");
  return QObject::tr("Value");
}

}  // namespace

LivePlot::LivePlot(RunDesk& desk, QWidget* parent)
    : QWidget(parent),
      desk_(desk),
      plot_(new PlotView),
      measure_(new QComboBox),
      view_(new QComboBox),
      follow_(new QToolButton),
      caption_(new QLabel) {
  setObjectName(QStringLiteral("panel.plot"));
  setAccessibleName(tr("Live plot"));
  measure_->setObjectName(QStringLiteral("field.plot.measure"));
  measure_->setAccessibleName(tr("Measure"));
  measure_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  measure_->setMinimumContentsLength(34);
  measure_->setToolTip(tr("Measure to plot"));
  view_->setObjectName(QStringLiteral("field.plot.view"));
  view_->setAccessibleName(tr("View"));
  view_->setToolTip(tr("Convergence: the estimate over replications. Curve: the measure over model time"));
  view_->addItem(tr("Convergence"), QStringLiteral("convergence"));
  view_->addItem(tr("Curve over time"), QStringLiteral("curve"));
  view_->addItem(tr("Distribution"), QStringLiteral("distribution"));
  follow_->setObjectName(QStringLiteral("action.plot.follow"));
  follow_->setIcon(icon(QStringLiteral("follow")));
  follow_->setText(tr("Follow"));
  follow_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  follow_->setCheckable(true);
  follow_->setChecked(true);
  follow_->setToolTip(tr("Keep everything in view while data come in; zooming switches it off"));
  caption_->setProperty("role", "hint");
  caption_->setObjectName(QStringLiteral("label.plot.caption"));
  auto* top = new QHBoxLayout;
  top->setContentsMargins(8, 4, 8, 4);
  top->setSpacing(6);
  top->addWidget(measure_);
  top->addWidget(view_);
  top->addWidget(follow_);
  top->addStretch(1);
  top->addWidget(caption_);
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addLayout(top);
  rows->addWidget(plot_, 1);
  plot_->set_figure([this](const std::string& format, Diagnostics& problems) -> std::optional<std::string> {
    const auto results = desk_.results();
    if (!results) return std::nullopt;
    return make_plot(with_exact(*results), measure_->currentData().toString().toStdString(),
                     view_->currentData().toString().toStdString(), format, problems);
  });
  connect(plot_, &PlotView::said, &desk_.workspace(), &Workspace::say);
  connect(follow_, &QToolButton::clicked, plot_, &PlotView::set_following);
  connect(plot_, &PlotView::following_changed, follow_, &QToolButton::setChecked);
  const auto again = [this] {
    plot_->set_following(true);
    refresh();
  };
  connect(measure_, &QComboBox::activated, this, again);
  connect(view_, &QComboBox::activated, this, again);
  connect(&desk_, &RunDesk::progressed, this, [this] { stale_ = true; });
  connect(&desk_, &RunDesk::shown_changed, this, &LivePlot::refresh);
  // What the user has zoomed to stays from run to run, but not from model to model.
  connect(&desk_.workspace(), &Workspace::replaced, this, again);
  connect(&desk_.workspace(), &Workspace::look_changed, this, [this] {
    follow_->setIcon(icon(QStringLiteral("follow")));
    refresh();
  });
  timer_.setInterval(80);
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (!stale_ || !isVisible()) return;
    // A slow machine gets fewer frames, not a blocked window.
    timer_.setInterval(last_cost_ms_ > 30 ? 160 : 80);
    refresh();
  });
  timer_.start();
}

void LivePlot::list_measures(const ResultSet& results) {
  QStringList ids;
  for (const MeasureResult& measure : results.measures) {
    const QString id = QString::fromStdString(measure.id);
    if (!ids.contains(id)) ids << id;
  }
  QStringList listed;
  for (int i = 0; i < measure_->count(); ++i) listed << measure_->itemData(i).toString();
  if (ids == listed) return;
  const QString before = measure_->currentData().toString();
  measure_->clear();
  for (const MeasureResult& measure : results.measures) {
    const QString id = QString::fromStdString(measure.id);
    if (measure_->findData(id) >= 0) continue;
    measure_->addItem(QString::fromStdString(measure.label.empty() ? measure.id : measure.label), id);
    measure_->setItemData(measure_->count() - 1, id, Qt::ToolTipRole);
  }
  measure_->setCurrentIndex(std::max(0, measure_->findData(before)));
}

void LivePlot::refresh() {
  stale_ = false;
  QElapsedTimer cost;
  cost.start();
  const auto results = desk_.shown();
  if (!results) {
    plot_->show_curves({}, {});
    caption_->clear();
    return;
  }
  list_measures(*results);
  const std::string id = measure_->currentData().toString().toStdString();
  const std::string kind = view_->currentData().toString().toStdString();
  std::vector<PlotView::Curve> curves;
  std::vector<Series> made;
  made.reserve(8);
  PlotView::Titles titles;
  const MeasureResult* measure = results->measure(id);
  const QString value_title = measure != nullptr ? with_unit(quantity_word(*measure), measure->unit) : QString();
  if (measure != nullptr) titles.header = QString::fromStdString(measure->label.empty() ? id : measure->label);
  const auto add = [&](const Series& series, int colour) {
    const QString label = series.exact
                              ? tr("%1 (exact)").arg(QString::fromStdString(series.solver))
                              : tr("Simulation, %1 % band").arg(measure != nullptr ? measure->confidence * 100 : 95.0);
    curves.push_back({QString::fromStdString(series.solver + "/" + series.kind), label, &series, colour});
    if (!titles.x.isEmpty()) return;
    const QString along = QString::fromStdString(series.x_label);
    if (kind == "distribution") titles.x = value_title, titles.y = tr("Share [1]");
    else titles.x = series.x_unit.empty() ? along : with_unit(along, series.x_unit), titles.y = value_title;
  };
  for (const Series& series : results->series)
    if (series.measure == id && series.kind == kind) add(series, series.exact ? 1 : 0);
  for (const auto& exact : results->company) {
    for (const Series& series : exact->series)
      if (series.measure == id && series.kind == kind && kind != "convergence") add(series, 1);
    const MeasureResult* value = exact->measure(id);
    if (kind != "convergence" || value == nullptr || !value->not_available.empty() || curves.empty()) continue;
    Series line;
    line.measure = id;
    line.kind = kind;
    line.solver = value->solver.empty() ? exact->provenance.solver : value->solver;
    line.exact = true;
    line.x = {curves.front().series->x.empty() ? 0.0 : curves.front().series->x.front(),
              curves.front().series->x.empty() ? 1.0 : curves.front().series->x.back()};
    line.y = {value->estimate, value->estimate};
    made.push_back(std::move(line));
    add(made.back(), 1);
  }
  plot_->show_curves(curves, titles);
  caption_->setText(curves.empty() ? tr("This measure has no such plot")
                                   : tr("n = %1, seed %2%3")
                                         .arg(results->replications)
                                         .arg(desk_.shows_live() ? desk_.seed_used() : results->provenance.seed)
                                         .arg(desk_.stale() ? tr(", model edited since") : QString()));
  last_cost_ms_ = cost.elapsed();
}

}  // namespace ergode
