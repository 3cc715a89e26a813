#include "app/gui/plots/plot_view.h"

#include <QBuffer>
#include <QContextMenuEvent>
#include <QMenu>
#include <algorithm>
#include <cmath>

#include "app/gui/desk/exports.h"
#include "app/gui/look/look.h"
#include "app/gui/plots/short_ticker.h"
#include "app/session/figure.h"
#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/drawing/result_style.h"
#include "core/results/answer.h"

namespace ergode {
namespace {

/// Estimates of the first replications are wild; they do not set the scale of a convergence plot.
constexpr double early_share = 0.02;
/// From here on the band is recent.
constexpr double recent_share = 0.5;

QVector<double> to_qvector(const std::vector<double>& values) { return QVector<double>(values.begin(), values.end()); }

QPen curve_pen(Answer answer) {
  const AnswerStyle style = answer_style(answer);
  QPen pen(look().of(style.role), 2);
  QList<qreal> pattern;  // of a picture in pixels, of a pen in widths
  for (const double length : dash_pattern(style.dash)) pattern << length / pen.widthF();
  if (!pattern.isEmpty()) pen.setDashPattern(pattern);
  pen.setCapStyle(Qt::FlatCap);
  return pen;
}

}  // namespace

PlotView::PlotView(QWidget* parent) : QCustomPlot(parent) {
  setObjectName(QStringLiteral("view.plot"));
  setAccessibleName(tr("Plot"));
  setMinimumHeight(90);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom | QCP::iSelectLegend);
  setNoAntialiasingOnDrag(true);
  axisRect()->setupFullAxesBox(false);
  xAxis2->setVisible(false);
  yAxis2->setVisible(false);
  axisRect()->setMinimumMargins(QMargins(10, 6, 18, 6));
  title_ = new QCPTextElement(this);
  title_->setMargins(QMargins(8, 4, 8, 0));
  plotLayout()->insertRow(0);
  plotLayout()->addElement(0, 0, title_);
  plotLayout()->setRowSpacing(0);
  yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new ShortTicker(false)));
  // Beside the axes it covers no curve; what is below it stays empty.
  auto* beside = new QCPLayoutGrid;
  plotLayout()->addElement(1, 1, beside);  // first, so that what is put into it knows its plot
  beside->addElement(0, 0, legend);
  beside->addElement(1, 0, new QCPLayoutElement);
  beside->setRowStretchFactor(0, 0.001);
  beside->setMargins(QMargins(0, 4, 8, 4));
  plotLayout()->setColumnStretchFactor(1, 0.001);
  legend->setFillOrder(QCPLegend::foRowsFirst);
  legend->setVisible(true);
  legend->setSelectableParts(QCPLegend::spItems);
  connect(this, &QCustomPlot::mouseDoubleClick, this, [this] { set_following(true); });
  connect(this, &QCustomPlot::mouseWheel, this, &PlotView::on_wheel);
  connect(this, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    QList<QCPAxis*> dragged{xAxis, yAxis};
    if (xAxis->selectTest(event->pos(), false) >= 0) dragged = {xAxis};
    else if (yAxis->selectTest(event->pos(), false) >= 0) dragged = {yAxis};
    axisRect()->setRangeDragAxes(dragged);
  });
  connect(this, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton)) user_zoomed();
  });
  connect(this, &QCustomPlot::legendClick, this, [this](QCPLegend*, QCPAbstractLegendItem* clicked) {
    auto* row = qobject_cast<QCPPlottableLegendItem*>(clicked);
    if (row == nullptr) return;
    const QString key = row->plottable()->property("key").toString();
    if (!hidden_.remove(key)) hidden_.insert(key);
    for (int i = 0; i < graphCount(); ++i)
      if (graph(i)->property("key").toString() == key) graph(i)->setVisible(!hidden_.contains(key));
    row->setTextColor(hidden_.contains(key) ? look().disabled : look().text);
    deselectAll();
    replot(QCustomPlot::rpQueuedReplot);
  });
  connect(this, &QCustomPlot::beforeReplot, this, [this] {
    updateLayout();  // The room as it is now, not as it was for the last picture.
    // What is too long to stand beside the axis stands above it, behind the header.
    const bool fits = QFontMetrics(yAxis->labelFont()).horizontalAdvance(y_title_) <= axisRect()->height();
    yAxis->setLabel(fits ? y_title_ : QString());
    const QString header = fits || y_title_.isEmpty() ? title_text_ : tr("%1: %2").arg(title_text_, y_title_);
    title_->setText(QFontMetrics(title_->font()).elidedText(header, Qt::ElideRight, std::max(60, width() - 24)));
  });
  restyle();
}

void PlotView::user_zoomed() {
  if (following_) set_following(false);
}

void PlotView::set_following(bool on) {
  if (on) fit();
  if (on == following_) return;
  following_ = on;
  Q_EMIT following_changed(on);
}

void PlotView::on_wheel(QWheelEvent* event) {
  QList<QCPAxis*> zoomed{xAxis, yAxis};
  const QPointF at = event->position();
  if (xAxis->selectTest(at, false) >= 0) zoomed = {xAxis};
  else if (yAxis->selectTest(at, false) >= 0) zoomed = {yAxis};
  axisRect()->setRangeZoomAxes(zoomed);
  user_zoomed();
}

void PlotView::fit() {
  double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
  double recent_low = INFINITY, recent_high = -INFINITY;
  bool converges = false;
  for (std::size_t at = 0; at < shown_.size(); ++at) {
    if (!sets_range_[at]) continue;
    const Series& series = shown_[at];
    const bool estimates = series.kind == "convergence" && !series.exact;
    converges = converges || estimates;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      left = std::min(left, series.x[i]);
      right = std::max(right, series.x[i]);
      if (estimates && series.x[i] < early_share * series.x.back()) continue;
      const bool band = !series.upper.empty() && std::isfinite(series.lower[i]) && std::isfinite(series.upper[i]);
      const double below = band ? std::min(series.y[i], series.lower[i]) : series.y[i];
      const double above = band ? std::max(series.y[i], series.upper[i]) : series.y[i];
      low = std::min(low, below);
      high = std::max(high, above);
      if (estimates && series.x[i] < recent_share * series.x.back()) continue;
      recent_low = std::min(recent_low, below);
      recent_high = std::max(recent_high, above);
    }
  }
  if (converges && recent_high > recent_low) {
    // The band narrows with the square root of the count: what is read off is its recent part, with room to see it
    // come.
    const double room = 0.75 * (recent_high - recent_low);
    low = std::max(low, recent_low - room);
    high = std::min(high, recent_high + room);
  }
  // One point stands in the middle.
  if (!(right > left)) left = 0, right = std::isfinite(right) && right > 0 ? 2 * right : 1;
  if (!std::isfinite(low)) low = 0, high = 1;
  if (!(high > low)) {
    const double room = low == 0 ? 1 : std::abs(low) * 0.2;
    high = low + room;
    if (low != 0) low -= room;
  }
  const double margin = (high - low) * 0.08;
  const bool from_zero = low >= 0 && low < 0.35 * high;
  if (!words_.isEmpty()) left = -0.5, right = static_cast<double>(words_.size()) - 0.5;
  xAxis->setRange(left, right);
  yAxis->setRange(from_zero ? 0 : low - margin, high + margin);
  replot(QCustomPlot::rpQueuedReplot);
}

QCPGraph* PlotView::add_graph(const Curve& curve, const QVector<double>& x, const std::vector<double>& y) {
  QCPGraph* graph = addGraph();
  graph->setData(x, to_qvector(y), true);
  graph->setVisible(!hidden_.contains(curve.key));
  graph->setSelectable(QCP::stNone);
  graph->setProperty("key", curve.key);
  return graph;
}

void PlotView::draw_curve(const Curve& curve) {
  const Series& series = *curve.series;
  const QVector<double> x = to_qvector(series.x);
  if (series.lower.size() == series.x.size() && !series.x.empty()) {
    QCPGraph* lower = add_graph(curve, x, series.lower);
    QCPGraph* upper = add_graph(curve, x, series.upper);
    QColor band = curve_pen(curve.answer).color();
    band.setAlpha(look().dark() ? 60 : 45);
    upper->setBrush(band);
    upper->setChannelFillGraph(lower);
    for (QCPGraph* edge : {lower, upper}) {
      edge->setPen(Qt::NoPen);
      edge->removeFromLegend();
    }
  }
  // A line of one point would not be seen.
  const auto drawn = std::count_if(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); });
  if (drawn == 1 && has_band(series)) {
    const auto at = static_cast<std::size_t>(
        std::find_if(series.y.begin(), series.y.end(), [](double y) { return std::isfinite(y); }) - series.y.begin());
    QCPGraph* range = add_graph(curve, {series.x[at], series.x[at]}, {series.lower[at], series.upper[at]});
    QColor ink = curve_pen(curve.answer).color();
    ink.setAlpha(140);
    range->setPen(QPen(ink, 3));
    range->removeFromLegend();
  }
  QCPGraph* line = add_graph(curve, x, series.y);
  if (drawn == 1) line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 7));
  line->setName(curve.label);
  line->setPen(curve_pen(curve.answer));
  line->setAntialiased(true);
}

/// Nothing lies between two words: a dot at each, its interval upright; a ring where there is none.
void PlotView::draw_points(const Curve& curve) {
  const Series& series = *curve.series;
  const bool intervals = has_band(series);
  const QPen ink(curve_pen(curve.answer).color(), 2);
  for (std::size_t i = 0; intervals && i < series.x.size(); ++i) {
    if (!std::isfinite(series.lower[i]) || !std::isfinite(series.upper[i])) continue;
    QCPGraph* range = add_graph(curve, {series.x[i], series.x[i]}, {series.lower[i], series.upper[i]});
    range->setPen(ink);
    range->removeFromLegend();
  }
  QCPGraph* points = add_graph(curve, to_qvector(series.x), series.y);
  points->setLineStyle(QCPGraph::lsNone);
  points->setScatterStyle(intervals ? QCPScatterStyle(QCPScatterStyle::ssDisc, ink.color(), ink.color(), 8)
                                    : QCPScatterStyle(QCPScatterStyle::ssCircle, ink, Qt::NoBrush, 9));
  points->setName(curve.label);
}

void PlotView::show_curves(const std::vector<Curve>& curves, const Titles& titles) {
  clearGraphs();
  shown_.clear();
  sets_range_.clear();
  words_ = titles.words;
  for (const Curve& curve : curves) {
    shown_.push_back(*curve.series);
    sets_range_.push_back(curve.sets_range);
    if (words_.isEmpty()) draw_curve(curve);
    else draw_points(curve);
    // The last graph is the one with the name.
    if (hidden_.contains(curve.key)) legend->itemWithPlottable(graph())->setTextColor(look().disabled);
  }
  xAxis->setLabel(titles.x);
  y_title_ = titles.y;
  title_text_ = titles.header;
  const bool counts = !curves.empty() && curves.front().series->kind == "convergence";
  if (words_.isEmpty()) {
    xAxis->setTicker(
        QSharedPointer<QCPAxisTicker>(new ShortTicker(counts, counts && curves.front().series->x_unit.empty())));
  } else {
    const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (qsizetype i = 0; i < words_.size(); ++i) ticker->addTick(static_cast<double>(i), words_[i]);
    xAxis->setTicker(ticker);
  }
  xAxis->grid()->setVisible(words_.isEmpty());
  legend->setVisible(!curves.empty());
  // Axes of nothing would look like a result.
  for (QCPAxis* axis : {xAxis, yAxis}) axis->setVisible(!curves.empty());
  if (following_) fit();
  else replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::restyle() {
  const Look& t = look();
  setBackground(t.canvas);
  QFont font(sans_family());
  font.setPixelSize(11);
  for (QCPAxis* axis : {xAxis, yAxis}) {
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
  QFont bold = font;
  bold.setPixelSize(12);
  bold.setBold(true);
  title_->setFont(bold);
  title_->setTextColor(t.text);
  legend->setFont(font);
  legend->setTextColor(t.text);
  QColor back = t.panel;
  back.setAlpha(225);
  legend->setBrush(back);
  legend->setBorderPen(QPen(t.line, 1));
  legend->setSelectedBorderPen(QPen(t.line, 1));
  legend->setSelectedFont(font);
  legend->setSelectedTextColor(t.text);
  legend->setIconSize(26, 12);
}

QString PlotView::csv() const {
  QString out = QStringLiteral("measure,solver,kind,x,y,lower,upper\r\n");
  // Empty where there is no number, as in files of results.
  const auto number = [](const std::vector<double>& list, std::size_t i) {
    return QString::fromStdString(i < list.size() && std::isfinite(list[i]) ? number_text(list[i]) : std::string());
  };
  const auto text = [](const std::string& cell) { return QString::fromStdString(csv_cell(cell)); };
  for (const Series& series : shown_)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const QStringList cells = {text(series.measure),   text(series.solver), text(series.kind),
                                 number(series.x, i),    number(series.y, i), number(series.lower, i),
                                 number(series.upper, i)};
      out += cells.join(',') + QStringLiteral("\r\n");
    }
  return out;
}

QString PlotView::export_to(const QString& path) {
  Diagnostics problems;
  const auto format = figure_format(path.toStdString(), problems, {"png", "csv"});
  if (!format) return QString::fromStdString(problems.front().message);
  QByteArray bytes;
  if (*format == "csv") {
    bytes = csv().toUtf8();
  } else if (*format == "png") {
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    toPixmap(0, 0, 2.0).save(&buffer, "PNG");
  } else {
    const auto drawn = figure_ ? figure_(*format, problems) : std::nullopt;
    if (!drawn)
      return problems.empty() ? tr("There is nothing to plot.") : QString::fromStdString(problems.front().message);
    bytes = QByteArray::fromStdString(*drawn);
  }
  return write_export(path, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

void PlotView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu;
  const auto ask = [this](const QString& suffix) {
    const QString path = ask_where_to_write(this, tr("Export plot"), QStringLiteral("plot.") + suffix,
                                            QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    if (path.isEmpty()) return;
    const QString why = export_to(path);
    Q_EMIT said(why.isEmpty() ? tr("Exported %1").arg(path) : why);
  };
  for (const QString& suffix :
       {QStringLiteral("png"), QStringLiteral("svg"), QStringLiteral("pdf"), QStringLiteral("csv")})
    menu.addAction(tr("Export as %1 ...").arg(suffix.toUpper()), this, [ask, suffix] { ask(suffix); });
  menu.addSeparator();
  menu.addAction(tr("Show everything"), this, [this] { set_following(true); });
  menu.exec(event->globalPos());
}

void PlotView::changeEvent(QEvent* event) {
  QCustomPlot::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    restyle();
    replot(QCustomPlot::rpQueuedReplot);
  }
}

bool has_band(const Series& series) {
  if (series.lower.size() != series.x.size() || series.upper.size() != series.x.size()) return false;
  for (std::size_t i = 0; i < series.x.size(); ++i)
    if (std::isfinite(series.lower[i]) && std::isfinite(series.upper[i])) return true;
  return false;
}

QString axis_title_text(const std::string& words, const std::string& unit) {
  return QString::fromStdString(axis_title(words, unit));
}

}  // namespace ergode
