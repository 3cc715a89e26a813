#include "app/gui/panels/result_pages.h"

#include <QHeaderView>
#include <QTabBar>
#include <map>
#include <set>

#include "app/gui/panels/gantt_page.h"
#include "app/gui/panels/tables.h"
#include "core/base/text.h"
#include "core/report/course_figure.h"
#include "core/report/difference_figure.h"
#include "core/report/gantt_figure.h"
#include "core/results/value_text.h"

namespace ergode {
namespace {

/// Quantiles of what the measures observed, a row for each measure that keeps its distribution and was not the
/// same each time, with the interval of each where it has one; without columns: no measure has any.
ResultTable quantiles_of(const ResultSet& results) {
  ResultTable out{.name = "quantiles", .title = "Distribution of the observations, with intervals", .solver = {}};
  for (const MeasureResult& m : results.measures)
    if (quantiles_differ(m) && m.confidence < 1.0) {
      out.title = "Distribution of the observations, with " + number_text(100 * m.confidence, 12) + " % intervals";
      break;
    }
  std::set<double> levels;
  for (const MeasureResult& m : results.measures)
    if (quantiles_differ(m))
      for (const auto& [level, value] : m.quantiles) levels.insert(level);
  if (levels.empty()) return out;
  out.columns = {{"Measure"}, {"Unit"}};
  for (const double level : levels) out.columns.push_back({number_text(100 * level, 4) + " %"});
  out.columns.push_back({"Standard deviation"});
  const auto with_ends = [](const ValueTexts& text) {
    const bool bounded = !text.lower.empty() || !text.upper.empty();
    return text.value + (bounded ? " [" + text.lower + ", " + text.upper + "]" : "");
  };
  for (const MeasureResult& m : results.measures) {
    if (!quantiles_differ(m)) continue;
    if (out.solver.empty()) out.solver = m.solver;
    std::vector<ResultTable::Cell>& row = out.rows.emplace_back();
    row = {m.label.empty() ? m.id : m.label, m.unit};
    const std::map<double, ValueTexts> texts = quantile_texts(m);
    for (const double level : levels) {
      const auto found = texts.find(level);
      if (found == texts.end()) {
        row.emplace_back(std::string());
        continue;
      }
      row.emplace_back(with_ends(found->second));
    }
    row.emplace_back(with_ends(deviation_texts(m)));
  }
  return out;
}

/// The tables of a run and of the solvers beside it.
std::vector<const ResultTable*> tables_of(const ResultSet& results) {
  std::vector<const ResultTable*> out;
  for (const ResultTable& table : results.tables) out.push_back(&table);
  for (const auto& beside : results.company)
    for (const ResultTable& table : beside->tables) out.push_back(&table);
  return out;
}

}  // namespace

ResultPages::ResultPages(QTableWidget* measures) {
  setObjectName(QStringLiteral("pages.results"));
  setDocumentMode(true);
  tabBar()->setAutoHide(true);
  addTab(measures, tr("Measures"));
}

void ResultPages::show_results(const ResultSet& results, const ResultTable& compared) {
  auto all = tables_of(results);
  const ResultTable quantiles = quantiles_of(results);
  if (!quantiles.columns.empty()) all.insert(all.begin(), &quantiles);
  if (!compared.columns.empty()) all.insert(all.begin(), &compared);
  std::vector<std::string> names;
  for (const ResultTable* table : all)
    names.push_back((table->solver.empty() ? "" : table->solver + ": ") + table->title);
  // Live results come many times a second: a page that stays is not made again.
  if (names == names_) {
    for (std::size_t i = 0; i < all.size(); ++i)
      fill_table(*static_cast<QTableWidget*>(widget(static_cast<int>(i) + 1)), *all[i]);
    return show_charts(all);
  }
  names_ = std::move(names);
  while (count() > 1) {
    QWidget* page = widget(1);
    removeTab(1);
    delete page;
  }
  std::map<std::string, int> called;
  for (const ResultTable* table : all) ++called[table->name];
  for (std::size_t i = 0; i < all.size(); ++i) {
    QTableWidget* page = plain_table(("table.results." + all[i]->name).c_str());
    page->setAccessibleName(QString::fromStdString(all[i]->title));
    // What is stretched is cut where there is too little room, and the last column holds numbers as others do.
    page->horizontalHeader()->setStretchLastSection(false);
    fill_table(*page, *all[i]);
    QString title = QString::fromStdString(all[i]->name).replace(QLatin1Char('_'), QLatin1Char(' '));
    if (!title.isEmpty()) title[0] = title[0].toUpper();
    // Several solvers tell of the same things.
    if (called[all[i]->name] > 1 && !all[i]->solver.empty())
      title += QStringLiteral(" (%1)").arg(QString::fromStdString(all[i]->solver));
    const int at = addTab(page, title);
    QString tip = QString::fromStdString(names_[i]);
    if (!all[i]->note.empty()) tip += QLatin1Char('\n') + QString::fromStdString(all[i]->note);
    setTabToolTip(at, tip);
  }
  show_charts(all);
}

// Behind the tables, so that these keep their places.
void ResultPages::show_charts(const std::vector<const ResultTable*>& all) {
  int at = static_cast<int>(all.size()) + 1;
  for (const ResultTable* table : all) {
    auto picture = table_figure(*table);
    if (!picture) continue;
    if (at == count()) {
      auto* page = new PicturePage;
      page->setObjectName(QString::fromStdString("chart.results." + table->name));
      page->setAccessibleName(QString::fromStdString(table->title));
      addTab(page, QString());
    }
    setTabText(at, is_gantt(*table)    ? tr("Gantt chart")
                   : table->scatter    ? tr("Points")
                   : is_course(*table) ? tr("So far")
                                       : tr("Differences"));
    setTabToolTip(at, QString::fromStdString(table->title));
    static_cast<PicturePage*>(widget(at++))->show_picture(std::move(*picture));
  }
  while (count() > at) {
    QWidget* page = widget(at);
    removeTab(at);
    delete page;
  }
}

}  // namespace ergode
