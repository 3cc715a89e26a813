#include "app/gui/panels/results_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <set>

#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/gui/panels/result_pages.h"
#include "app/gui/panels/run_caption.h"
#include "app/gui/panels/tables.h"
#include "app/session/company.h"
#include "app/session/comparison.h"
#include "app/session/run_name.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/drawing/result_style.h"
#include "core/results/answer.h"
#include "core/results/occurrence.h"
#include "core/results/value_text.h"

namespace ergode {
namespace {

enum Column { interval_column = 2, exact_column, delta_column, inside_column, limit_column, split_column };
constexpr int measure_height = 24, high_row = 40;  ///< of a row of one line, of two
constexpr int least_words = 110;                   ///< among numbers
constexpr int widest_scenario = 170;
constexpr int least_name = 150, roomy_name = 180, widest_name = 260;  ///< of the column of the measures
constexpr int least_bar = 72, roomy_bar = 110;                        ///< of the bars with the shares
constexpr int scenario_column = 1;                                    ///< of the runs

/// A bar with the shares of a split. The cell holds pairs of part and share.
class SplitDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariantList shares = index.data(Qt::UserRole).toList();
    double left = option.rect.left() + 6;
    const double width = option.rect.width() - 12;
    for (qsizetype i = 0; i + 1 < shares.size(); i += 2) {
      const QRectF bar(left, option.rect.center().y() - 4, width * shares[i + 1].toDouble(), 9);
      painter->fillRect(bar, look().of(part_role(shares[i].toUInt())));
      left += bar.width();
    }
  }
};

/// The number with its unit.
QString text(const MeasureResult& m) {
  const bool plain = m.unit.empty() || m.unit == "1" || !m.not_available.empty();
  return QString::fromStdString(value_text(m) + (plain ? "" : " " + m.unit));
}

QString label_of(const Split& split, SplitPart part) { return QString::fromStdString(split.parts[part].label); }

/// Exact answers that stand beside a number for the mission: of the run itself, or of the solvers asked beside it.
std::vector<const MeasureResult*> exact_beside_it(const MeasureResult& number, const ResultSet& results,
                                                  const CompanyResults& company) {
  for (const MeasureResult& measure : results.measures)
    if (&measure != &number && measure.id == number.id && measure.exact && !is_long_run(results)) return {&measure};
  return exact_answers(results, company, number.id);
}

/// "95 %"; empty where intervals of several levels stand in one table.
QString level_of(const ResultSet& results) {
  std::set<double> levels;
  for (const MeasureResult& m : results.measures)
    if (!m.exact && has_interval(m)) levels.insert(m.confidence);
  return levels.size() == 1 ? QObject::tr("%1 %").arg(100.0 * *levels.begin(), 0, 'g', 6) : QString();
}

/// Bounds are shown as such: their middle is nobody's answer.
QString exact_text(const MeasureResult& m) {
  if (answer_of(m, false) != Answer::bounds) return text(m);
  return QString::fromStdString(interval_text(m) + (m.unit.empty() || m.unit == "1" ? "" : " " + m.unit));
}

/// The interval of an estimate, or the word for what the number is.
QString interval_of(const MeasureResult& m, bool long_run) {
  const Answer answer = answer_of(m, long_run);
  const QString interval = QString::fromStdString(interval_text(m));
  if (answer == Answer::estimate) return interval;
  const QString kind = QString::fromLatin1(to_text(answer));
  return answer == Answer::bounds ? QStringLiteral("%1 %2").arg(kind, interval) : kind;
}

QString each_answer(const std::vector<const MeasureResult*>& exact) {
  QStringList lines;
  for (const MeasureResult* one : exact)
    lines << QStringLiteral("%1: %2").arg(QString::fromStdString(one->solver),
                                          QString::fromStdString(value_text(*one, 12) + " " + one->unit).trimmed());
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

QString stopped_by(const std::string& reason) {
  if (reason.empty()) return QObject::tr("running");
  if (reason == "wall_time") return QObject::tr("stopped by the limit of time");
  if (reason == "replications" || reason == "precision")
    return QObject::tr("stopped by %1").arg(QString::fromStdString(reason));
  if (reason == "precision of what it answers") return QObject::tr("stopped by the precision of what it answers");
  if (reason == "mission time") return QObject::tr("ended with its mission");
  if (reason == "length limit") return QObject::tr("stopped at its greatest length");
  return QString::fromStdString(reason);
}

ResultsPanel::ResultsPanel(RunDesk& desk, QAction& resume, QWidget* parent)
    : QWidget(parent),
      desk_(desk),
      runs_(plain_table("table.runs")),
      measures_(plain_table("table.measures")),
      pages_(new ResultPages(measures_)),
      caption_(new RunCaption),
      resume_(new QToolButton),
      compare_(new QToolButton) {
  setObjectName(QStringLiteral("panel.results"));
  setAccessibleName(tr("Results"));
  // What tells runs apart comes first: the rest may be out of sight.
  set_headings(runs_, {tr("Started"), tr("Scenario"), tr("Replications"), tr("Seed"), tr("Status"), tr("Solver")});
  runs_->setAccessibleName(tr("Runs"));
  runs_->horizontalHeader()->setStretchLastSection(true);
  runs_->horizontalHeader()->setSectionResizeMode(scenario_column, QHeaderView::Interactive);
  set_headings(measures_, {tr("Measure"), tr("Estimate"), tr("Interval"), tr("Exact"), tr("Delta %"), tr("Inside"),
                           tr("Long run"), QString()});
  measures_->setAccessibleName(tr("Measures of the run"));
  measures_->setItemDelegateForColumn(split_column, new SplitDelegate(measures_));
  measures_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Interactive);
  measures_->viewport()->installEventFilter(this);
  measures_->horizontalHeader()->setMinimumSectionSize(48);
  measures_->horizontalHeader()->setSectionResizeMode(split_column, QHeaderView::Fixed);
  caption_->setObjectName(QStringLiteral("label.results.caption"));
  auto* right = new QWidget;
  auto* rows = new QVBoxLayout(right);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(pages_, 1);
  resume_->setObjectName(QStringLiteral("button.results.resume"));
  resume_->setDefaultAction(&resume);
  resume_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  runs_->setContextMenuPolicy(Qt::ActionsContextMenu);
  runs_->addAction(&resume);
  compare_->setObjectName(QStringLiteral("button.results.compare"));
  compare_->setText(tr("Compare with"));
  compare_->setToolTip(tr("Differences to another run, measure by measure (or Ctrl+click on it)"));
  compare_->setStyleSheet(QStringLiteral("QToolButton { padding: 1px 16px 1px 6px; }"));  // for the arrow
  compare_->setPopupMode(QToolButton::InstantPopup);
  compare_->setMenu(new QMenu(compare_));
  connect(compare_->menu(), &QMenu::aboutToShow, this, &ResultsPanel::list_others);
  auto* below = new QHBoxLayout;
  below->setContentsMargins(0, 0, 6, 0);
  below->addWidget(caption_, 1);
  below->addWidget(compare_);
  below->addWidget(resume_);
  rows->addLayout(below);
  split_ = new QSplitter;
  split_->setHandleWidth(1);
  split_->addWidget(runs_);
  split_->addWidget(right);
  split_->setChildrenCollapsible(false);
  runs_->setMinimumWidth(160);
  connect(split_, &QSplitter::splitterMoved, this, [this] { divider_moved_ = true; });
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(split_);
  connect(runs_, &QTableWidget::currentCellChanged, this, [this](int row) {
    if (row < 0) return;
    const bool first_goes_on = desk_.live();
    choosing_ = true;
    if (first_goes_on && row == 0) desk_.show(std::nullopt);
    else desk_.show(static_cast<std::size_t>(row - (first_goes_on ? 1 : 0)));
    choosing_ = false;
  });
  runs_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  runs_->setToolTip(tr("Ctrl+click on a second run compares the two"));
  connect(runs_, &QTableWidget::itemSelectionChanged, this, [this] {
    const auto selected = runs_->selectionModel()->selectedRows();
    const int first = desk_.live() ? 1 : 0;
    QStringList pair;
    for (const QModelIndex& row : selected)
      if (row.row() >= first) pair << desk_.records().rows()[static_cast<std::size_t>(row.row() - first)].id;
    if (pair.size() != 2) pair.clear();
    if (pair == pair_) return;
    pair_ = pair;
    if (const auto shown = desk_.shown()) show_tables(*shown);
    if (!pair_.isEmpty() && pages_->count() > 1) pages_->setCurrentIndex(1);
  });
  connect(&desk_, &RunDesk::shown_changed, this, &ResultsPanel::refresh);
  connect(&desk_, &RunDesk::stale_changed, this, &ResultsPanel::refresh);
  connect(&desk_.workspace(), &Workspace::look_changed, this, &ResultsPanel::refresh);
  connect(&desk_, &RunDesk::progressed, this, [this] {
    if (const auto live = desk_.shows_live() ? desk_.shown() : nullptr) show_results(*live);
  });
  refresh();
}

bool ResultsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    fit_measures();
    // Not now: the splitter is at work.
    QMetaObject::invokeMethod(this, &ResultsPanel::share_width, Qt::QueuedConnection);
  }
  return QWidget::eventFilter(watched, event);
}

void ResultsPanel::fit_measures() {
  QHeaderView* header = measures_->horizontalHeader();
  int numbers = 0;
  for (int column = 1; column < split_column; ++column)
    if (!measures_->isColumnHidden(column)) numbers += measures_->columnWidth(column);
  // Names and bars give way to numbers: a name that is cut is read in its tip, and a short bar is still a bar.
  const bool bars = !measures_->isColumnHidden(split_column);
  const int room = measures_->viewport()->width() - numbers;
  const int bar = bars ? std::clamp(room - roomy_name, least_bar, roomy_bar) : 0;
  if (bars) header->resizeSection(split_column, bar);
  measures_->setColumnWidth(0, std::max(least_name, room - bar));
}

void ResultsPanel::share_width() {
  if (divider_moved_ || split_ == nullptr) return;
  const QHeaderView* header = runs_->horizontalHeader();
  const QAbstractItemView* contents = runs_;
  // When and of which scenario is always to be seen; the rest where the names of the measures leave room.
  constexpr int told_apart_by = 2;
  int needed = runs_->verticalScrollBar()->sizeHint().width() + 4, least = 0;
  for (int column = 0; column < runs_->columnCount(); ++column) {
    const int width = std::max(contents->sizeHintForColumn(column), header->sectionSizeHint(column));
    needed += column == scenario_column ? std::min(width, widest_scenario) : width;
    if (column == scenario_column) runs_->setColumnWidth(column, std::min(width, widest_scenario));
    if (column + 1 == told_apart_by) least = needed;
  }
  int names = roomy_name;  // of all of them, in sight or not
  for (int row = 0; row < measures_->rowCount(); ++row)
    if (const QTableWidgetItem* name = measures_->item(row, 0))
      names = std::max(names, measures_->fontMetrics().horizontalAdvance(name->text()) + 14);
  int measures = std::min(names, widest_name) + measures_->verticalScrollBar()->sizeHint().width();
  for (int column = 1; column < measures_->columnCount(); ++column)
    if (!measures_->isColumnHidden(column))
      measures += column == split_column ? roomy_bar : measures_->columnWidth(column);
  const int width = split_->width(), left = std::clamp(width - measures, least, std::max(least, needed));
  if (std::abs(split_->sizes().value(0) - left) > 1) split_->setSizes({left, width - left - 1});
}

void ResultsPanel::list_runs() {
  const QSignalBlocker silent(runs_);
  const auto& rows = desk_.records().rows();
  const int first = desk_.live() ? 1 : 0;
  runs_->setRowCount(static_cast<int>(rows.size()) + first);
  const RunRequest going_on = desk_.run().request();
  if (first == 1)
    set_cells(runs_, 0,
              {tr("going on"),
               QString::fromStdString(run_name(going_on.scenario, going_on.overrides)),
               {},
               QString::number(desk_.seed_used()),
               {},
               {}});
  // The column of the status may be out of sight. Cells are used again for other runs.
  const auto mark = [this](int row, const QString& tip) {
    for (int column = 0; column < runs_->columnCount(); ++column)
      runs_->item(row, column)->setToolTip(tip.isEmpty() ? runs_->item(row, column)->text() : tip);
    runs_->item(row, 0)->setIcon(tip.isEmpty() ? QIcon()
                                               : QIcon(icon_pixmap(QStringLiteral("warning"), look().warning, 14, 2)));
  };
  if (first == 1) mark(0, {});
  for (int row = first; row < runs_->rowCount(); ++row) {
    const ListedRun& record = rows[static_cast<std::size_t>(row - first)];
    QString started = record.started;
    started.replace(QLatin1Char('T'), QLatin1Char(' ')).remove(QLatin1Char('Z'));
    set_cells(runs_, row,
              {started.mid(5, 11), record.name, QString::number(record.replications), QString::number(record.seed),
               record.status, record.solver});
    mark(row, record.altered
                  ? tr("This line is not what was written with the run: another program or the medium changed "
                       "it. The results have what it was.")
              : record.resumable ? tr("%1: Resume goes on with it while the model is as it was").arg(record.status)
                                 : QString());
  }
  const auto kept = desk_.shown_record();
  const int now = desk_.shows_live() ? 0 : kept ? static_cast<int>(*kept) + first : -1;
  // In the midst of a Ctrl+click the row is there already, and the click has yet to select it beside the other one.
  if (!choosing_ || now != runs_->currentRow()) runs_->setCurrentCell(now, 0);
  for (std::size_t row = 0; row < rows.size(); ++row)  // that would leave one
    if (pair_.contains(rows[row].id))
      runs_->selectionModel()->select(runs_->model()->index(static_cast<int>(row) + first, 0),
                                      QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

void ResultsPanel::list_others() {
  QMenu* menu = compare_->menu();
  menu->clear();
  const auto shown = desk_.shown_record();
  const auto& records = desk_.records().rows();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (shown && i == *shown) continue;
    const ListedRun& run = records[i];
    const QString words = tr("%1, %2, n = %3, seed %4")
                              .arg(run.started.mid(5, 14).replace(QLatin1Char('T'), QLatin1Char(' ')), run.name)
                              .arg(run.replications)
                              .arg(run.seed);
    connect(menu->addAction(words), &QAction::triggered, this, [this, id = run.id] { compare_with(id); });
  }
}

/// Both rows chosen is what a comparison is, however they were chosen.
void ResultsPanel::compare_with(const QString& id) {
  const auto& records = desk_.records().rows();  // another run may have been added meanwhile
  const auto found = std::find_if(records.begin(), records.end(), [&](const ListedRun& run) { return run.id == id; });
  if (found == records.end() || runs_->currentRow() < 0) return;
  runs_->selectRow(runs_->currentRow());
  const int row = static_cast<int>(found - records.begin()) + (desk_.live() ? 1 : 0);
  runs_->selectionModel()->select(runs_->model()->index(row, 0),
                                  QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

void ResultsPanel::refresh() {
  list_runs();
  const auto kept = desk_.shown_record();
  compare_->setVisible(kept && desk_.records().rows().size() > 1);
  resume_->setVisible(!desk_.shows_live() && kept && desk_.records().rows()[*kept].resumable);
  if (const auto shown = desk_.shown()) {
    show_results(*shown);
    return share_width();
  }
  measures_->setRowCount(0);
  show_tables({});
  caption_->show_sentences({desk_.live() ? tr("The run has no estimates yet.") : tr("No runs yet. Press Run (F5).")});
}

ResultTable ResultsPanel::comparison(const ResultSet& shown) {
  const auto& rows = desk_.records().rows();
  const QString id = QString::fromStdString(shown.provenance.run_id);
  if (!pair_.contains(id)) return {};
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].id != id && pair_.contains(rows[row].id))
      if (const auto other = desk_.records().results(row)) return compare_runs(*other, shown);
  return {};
}

void ResultsPanel::show_tables(const ResultSet& results) { pages_->show_results(results, comparison(results)); }

void ResultsPanel::show_results(const ResultSet& results) {
  show_tables(results);
  const CompanyResults& company = results.company;
  // The first part is what the others leave: it comes last, as in the report, and makes them add up.
  std::vector<SplitPart> shown = results.split.shown();
  if (!shown.empty()) shown.push_back(0);
  int row = 0;
  bool any_limit = false, any_exact = false, any_interval = false, any_inside = false, any_delta = false;
  int widest_interval = least_words;
  measures_->setRowCount(static_cast<int>(results.measures.size()));
  for (const MeasureResult& measure : results.measures) {
    const std::vector<const MeasureResult*> exact = exact_beside_it(measure, results, company);
    const MeasureResult* limit = long_run_answer(company, measure.id);
    // Of a measure of the long run it is what the estimate estimates, and stands among the exact ones.
    if (std::find(exact.begin(), exact.end(), limit) != exact.end()) limit = nullptr;
    const bool paired =
        measure.exact && std::any_of(results.measures.begin(), results.measures.end(),
                                     [&](const MeasureResult& m) { return m.id == measure.id && !m.exact; });
    if (paired) continue;  // Shown in the row of its simulation.
    QString interval, inside, value = text(measure);
    const QString note = QString::fromStdString(occurrence_note(measure, results.replications));
    measures_->setRowHeight(row, note.isEmpty() ? measure_height : high_row);
    // Where there is no number the reason stands in place of the interval, as on a terminal.
    if (!measure.not_available.empty())
      value = QStringLiteral("–"), interval = QString::fromStdString(measure.not_available);
    else interval = interval_of(measure, is_long_run(results));
    if (!note.isEmpty()) interval += QLatin1Char('\n') + note;
    if (!exact.empty() && !measure.exact && measure.not_available.empty() && has_interval(measure))
      inside = all_inside(measure, exact) ? tr("yes") : tr("no");
    const QString delta = measure.exact ? QString() : QString::fromStdString(difference_text(measure, exact));
    any_delta = any_delta || !delta.isEmpty();
    const QString limit_text = limit != nullptr ? text(*limit) : QString();
    any_limit = any_limit || limit != nullptr;
    any_exact = any_exact || !exact.empty();
    any_interval = any_interval || !interval.isEmpty();
    any_inside = any_inside || !inside.isEmpty();
    const QString label = QString::fromStdString(measure.label.empty() ? measure.id : measure.label);
    set_cells(measures_, row,
              {label, value, interval, exact.empty() ? QString() : exact_text(*exact.front()), delta, inside,
               limit_text, QString()});
    QTableWidgetItem* ends = measures_->item(row, interval_column);
    const bool numbers = measure.not_available.empty();
    if (numbers)
      widest_interval = std::max(
          widest_interval, 14 + measures_->fontMetrics().horizontalAdvance(interval.section(QLatin1Char('\n'), 0, 0)));
    ends->setData(Qt::UserRole, !numbers || !note.isEmpty());
    ends->setToolTip(numbers && !measure.exact && has_interval(measure)
                         ? tr("%1\n%2 % confidence interval").arg(interval).arg(100.0 * measure.confidence, 0, 'g', 6)
                         : interval);
    measures_->item(row, exact_column)->setForeground(look().of(answer_style(Answer::exact).role));
    measures_->item(row, delta_column)->setToolTip(tr("How far the estimate is from the exact value, in % of that"));
    measures_->item(row, limit_column)->setForeground(look().of(answer_style(Answer::long_run).role));
    measures_->item(row, exact_column)->setToolTip(each_answer(exact));
    measures_->item(row, 0)->setToolTip(QStringLiteral("%1 (%2)").arg(label, QString::fromStdString(measure.id)));
    measures_->item(row, inside_column)->setForeground(inside == tr("no") ? look().error : look().active_border);
    QVariantList shares;
    QString tip;
    if (measure.shares && measure.estimate > 0) {
      for (const SplitPart part : shown) {
        const auto found = measure.shares->find(results.split.parts[part].name);
        const double share =
            found != measure.shares->end() ? std::clamp(found->second / measure.estimate, 0.0, 1.0) : 0.0;
        shares << part << share;
        tip += QStringLiteral("%1: %2 %\n").arg(label_of(results.split, part)).arg(share * 100, 0, 'f', 1);
      }
    }
    measures_->item(row, split_column)->setData(Qt::UserRole, shares);
    measures_->item(row, split_column)->setToolTip(tip.trimmed());
    ++row;
  }
  measures_->setRowCount(row);
  // Words give way to numbers: they are cut before the names are, and read in the tip.
  for (int i = 0; i < row; ++i) {
    QTableWidgetItem* ends = measures_->item(i, interval_column);
    ends->setData(Qt::SizeHintRole,
                  ends->data(Qt::UserRole).toBool() ? QSize(widest_interval, measure_height) : QVariant());
  }
  const QString level = level_of(results);
  QTableWidgetItem* head = measures_->horizontalHeaderItem(interval_column);
  head->setText(level.isEmpty() ? tr("Interval") : tr("%1 interval").arg(level));
  head->setToolTip(level.isEmpty() ? tr("Confidence interval; its level stands in the tip of each")
                                   : tr("Confidence interval: it holds the true value in %1 of all runs").arg(level));
  measures_->setColumnHidden(interval_column, !any_interval);
  measures_->setColumnHidden(exact_column, !any_exact);
  measures_->setColumnHidden(delta_column, !any_delta);
  measures_->setColumnHidden(inside_column, !any_inside);
  measures_->setColumnHidden(limit_column, !any_limit);
  measures_->setColumnHidden(split_column, shown.empty());
  if (!shown.empty())
    measures_->horizontalHeaderItem(split_column)->setText(tr("By %1").arg(QString::fromStdString(results.split.by)));
  fit_measures();
  QStringList said;
  if (desk_.stale())
    said << QStringLiteral("<b style='color:%1'>%2</b>").arg(look().warning.name(), tr("Model edited since this run"));
  if (results.measures.empty())
    said << tr(
        "Nothing was asked of this run: the model had no measures. Add some (Model &gt; Measure every element) "
        "and run again.");
  said << tr("%1 · seed %2 · %3")
              .arg(QString::fromStdString(counted(results.replications, "replication")))
              .arg(results.provenance.seed)
              .arg(stopped_by(results.stop_reason));
  QString parts;
  for (const SplitPart part : shown)
    parts += QStringLiteral("<span style='color:%1'>■</span>&nbsp;%2 ")
                 .arg(look().of(part_role(part)).name(), label_of(results.split, part).toHtmlEscaped());
  if (!parts.isEmpty()) said << parts.trimmed();
  QStringList reasons;
  for (const Declined& one : results.declined)
    reasons << QStringLiteral("%1: %2").arg(QString::fromStdString(one.solver), QString::fromStdString(why(one)));
  // Those of other kinds of models are no news; the tip has them all.
  const auto of_this_kind = std::count_if(results.declined.begin(), results.declined.end(),
                                          [](const Declined& one) { return !of_another_kind(one); });
  if (of_this_kind > 0)
    said << (of_this_kind == 1 ? tr("1 solver gave no answer") : tr("%1 solvers gave no answer").arg(of_this_kind));
  for (const auto& [about, sentence] : results.conclusions())
    said << QStringLiteral("%1: %2").arg(QString::fromStdString(about),
                                         QString::fromStdString(sentence).toHtmlEscaped());
  caption_->show_sentences(said, reasons);
}

}  // namespace ergode
