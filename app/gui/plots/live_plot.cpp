#include "app/gui/plots/live_plot.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <list>

#include "app/gui/look/choice_box.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/session/company.h"
#include "app/session/figure.h"
#include "app/session/run_name.h"
#include "core/results/answer.h"
#include "core/results/occurrence.h"
#include "core/results/value_text.h"

namespace ergode {
namespace {

/// A value that does not depend on x, as a line across the plot.
Series level(const MeasureResult& value, const Series& across) {
  Series line;
  line.measure = value.id;
  line.kind = across.kind;
  line.solver = value.solver;
  line.exact = true;
  if (across.x.empty()) return line;
  line.x = {across.x.front(), across.x.back()};
  // Where there is one point so far the axis goes from nothing to twice its place.
  if (line.x.front() == line.x.back()) line.x = {0.0, 2.0 * line.x.back()};
  line.y = {value.estimate, value.estimate};
  if (answer_of(value, false) == Answer::bounds)
    line.lower = {value.lower, value.lower}, line.upper = {value.upper, value.upper};
  return line;
}

}  // namespace

LivePlot::LivePlot(RunDesk& desk, QWidget* parent)
    : QWidget(parent),
      desk_(desk),
      plot_(new PlotView),
      measure_(new ChoiceBox),
      view_(new ChoiceBox),
      follow_(new QToolButton),
      caption_(new QLabel) {
  setObjectName(QStringLiteral("panel.plot"));
  setAccessibleName(tr("Live plot"));
  measure_->setObjectName(QStringLiteral("field.plot.measure"));
  measure_->setAccessibleName(tr("Measure"));
  measure_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  measure_->setMinimumContentsLength(14);
  measure_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  measure_->setMaximumWidth(360);
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
  caption_->setWordWrap(true);  // Else its length would be the least width of the panel, and push the others aside.
  caption_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(8, 4, 8, 4);
  top->setSpacing(6);
  top->addWidget(measure_, 3);
  top->addWidget(view_);
  top->addWidget(follow_);
  top->addWidget(caption_, 2);
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addLayout(top);
  rows->addWidget(plot_, 1);
  plot_->set_figure([this](const std::string& format, Diagnostics& problems) -> std::optional<std::string> {
    const auto shown = desk_.shown();
    if (!shown) return std::nullopt;
    return make_plot(*shown, measure_->currentData().toString().toStdString(),
                     view_->currentData().toString().toStdString(), format, problems);
  });
  connect(plot_, &PlotView::said, &desk_.workspace(), &Workspace::say);
  connect(follow_, &QToolButton::clicked, plot_, &PlotView::set_following);
  connect(plot_, &PlotView::following_changed, follow_, &QToolButton::setChecked);
  const auto again = [this] {
    plot_->set_following(true);
    refresh();
  };
  connect(measure_, &QComboBox::activated, this, [this, again] {
    wanted_measure_ = measure_->currentData().toString();
    again();
  });
  connect(view_, &QComboBox::activated, this, [this, again](int view) {
    wanted_view_ = view;
    again();
  });
  connect(&desk_, &RunDesk::progressed, this, [this] { stale_ = true; });
  connect(&desk_, &RunDesk::shown_changed, this, &LivePlot::refresh);
  connect(&desk_, &RunDesk::stale_changed, this, &LivePlot::refresh);
  // What the user has zoomed to stays from run to run, but not from model to model.
  connect(&desk_.workspace(), &Workspace::replaced, this, [this, again] {
    wanted_measure_.clear();
    again();
  });
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

/// Views of which this measure has none cannot be chosen, once the run is over: while it goes on they may still come.
/// Shown is the one that the user wants, or the first that there is.
void LivePlot::offer_views(const ResultSet& results, const std::string& measure) {
  auto* views = qobject_cast<QStandardItemModel*>(view_->model());
  if (views == nullptr) return;
  const auto has = [&](const ResultSet& run, const std::string& kind) {
    return std::any_of(run.series.begin(), run.series.end(),
                       [&](const Series& series) { return series.measure == measure && series.kind == kind; });
  };
  for (int i = 0; i < view_->count(); ++i) {
    const std::string kind = view_->itemData(i).toString().toStdString();
    const bool there = desk_.shows_live() || has(results, kind) ||
                       std::any_of(results.company.begin(), results.company.end(),
                                   [&](const auto& beside) { return has(*beside, kind); });
    views->item(i)->setEnabled(there);
  }
  const auto there = [&](int view) { return views->item(view)->isEnabled(); };
  int shown = wanted_view_;
  for (int i = 0; !there(shown) && i < view_->count(); ++i)
    if (there(i)) shown = i;
  view_->setCurrentIndex(shown);
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
  const QString wanted = wanted_measure_.isEmpty() ? measure_->currentData().toString() : wanted_measure_;
  measure_->clear();
  for (const MeasureResult& measure : results.measures) {
    const QString id = QString::fromStdString(measure.id);
    if (measure_->findData(id) >= 0) continue;
    measure_->addItem(QString::fromStdString(measure.label.empty() ? measure.id : measure.label), id);
    measure_->setItemData(measure_->count() - 1, id, Qt::ToolTipRole);
  }
  measure_->setCurrentIndex(std::max(0, measure_->findData(wanted)));
}

void LivePlot::refresh() {
  stale_ = false;
  QElapsedTimer cost;
  cost.start();
  const auto results = desk_.shown();
  if (!results) {
    measure_->clear();
    plot_->show_curves({}, {});
    caption_->clear();
    return;
  }
  list_measures(*results);
  const std::string id = measure_->currentData().toString().toStdString();
  offer_views(*results, id);
  const std::string kind = view_->currentData().toString().toStdString();
  std::vector<PlotView::Curve> curves;
  std::list<Series> levels;  // Made here; curves point to them.
  PlotView::Titles titles;
  const MeasureResult* measure = results->measure(id);
  if (measure == nullptr) {
    plot_->show_curves({}, {});
    caption_->setText(tr("The run has no measures"));
    return;
  }
  titles.header = QString::fromStdString(measure->label.empty() ? id : measure->label);
  const std::string note = occurrence_note(*measure, results->replications);
  if (!note.empty()) titles.header += QStringLiteral(" (%1)").arg(QString::fromStdString(note));
  const auto add = [&](const Series& series, Answer answer, bool sets_range = true) {
    QString label = QString::fromStdString(answer_label(answer, answer == Answer::estimate ? "" : series.solver));
    if (answer == Answer::estimate && has_band(series)) label += tr(", %1 % band").arg(measure->confidence * 100);
    curves.push_back({QString::fromStdString(series.solver + "/" + series.kind), label, &series, answer, sets_range});
    if (!titles.x.isEmpty()) return;
    const AxisWords words = axis_words(*measure, kind, series.x_unit);
    titles.x = axis_title_text(words.x, words.x_unit), titles.y = axis_title_text(words.y, words.y_unit);
  };
  // Of one replication without a variance of its own nothing is known but its value: a band that is as wide as the
  // values may be would only hide it.
  const bool alone = results->replications == 1 && !measure->exact && !std::isfinite(measure->standard_error);
  for (const Series& series : results->series) {
    if (series.measure != id || series.kind != kind) continue;
    if (series.exact || !alone) {
      add(series, series.exact ? answer_of(*measure, is_long_run(*results)) : Answer::estimate);
      continue;
    }
    levels.push_back(series);
    levels.back().lower.clear(), levels.back().upper.clear();
    add(levels.back(), Answer::estimate);
  }
  for (const auto& beside : results->company) {
    const MeasureResult* value = beside->measure(id);
    if (value == nullptr || !value->not_available.empty() || curves.empty()) continue;
    const bool limit = is_long_run(*beside);
    const Answer answer = answer_of(*value, limit);
    if (!limit && kind != "convergence") {
      for (const Series& series : beside->series)
        if (series.measure == id && series.kind == kind) add(series, answer);
      continue;
    }
    // A limit means something beside a value that tends to it; it must not stretch the axis for that value.
    if (limit && (kind == "distribution" || value->unit != measure->unit)) continue;
    levels.push_back(level(*value, *curves.front().series));
    add(levels.back(), answer, !limit);
    // It may lie outside the axes: the number is to be seen all the same.
    if (limit) curves.back().label += QStringLiteral(": ") + QString::fromStdString(value_text(*value));
  }
  plot_->show_curves(curves, titles);
  const QString no_interval = alone && !curves.empty() ? tr(": no interval from one replication") : QString();
  // Runs of several scenarios look alike but for their numbers; what the tool bar says is of the next one.
  const Provenance& made = results->provenance;
  const RunRequest going_on = desk_.run().request();
  const std::string name =
      desk_.shows_live() ? run_name(going_on.scenario, going_on.overrides) : run_name(made.scenario, made.overrides);
  caption_->setText(curves.empty() ? tr("This measure has no such plot")
                                   : tr("<b>%1</b>, n = %2, seed %3%4%5")
                                         .arg(QString::fromStdString(name).toHtmlEscaped())
                                         .arg(results->replications)
                                         .arg(desk_.shows_live() ? desk_.seed_used() : made.seed)
                                         .arg(desk_.stale() ? QStringLiteral(" <b style='color:%1'>%2</b>")
                                                                  .arg(look().warning.name(), tr("model edited since"))
                                                            : QString())
                                         .arg(no_interval));
  last_cost_ms_ = cost.elapsed();
}

}  // namespace ergode
