#include "app/gui/sweep_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <list>

#include "app/gui/desk/exports.h"
#include "app/gui/look/choice_box.h"
#include "app/gui/look/look.h"
#include "app/gui/panels/tables.h"
#include "app/session/settable.h"
#include "core/base/text.h"
#include "core/document/property_path.h"
#include "core/report/difference_figure.h"
#include "core/results/answer.h"

namespace ergode {
namespace {

constexpr int poll_period_ms = 80;
constexpr int default_values = static_cast<int>(Sweep::usual_points);
constexpr int default_pairs = 10, least_figure = 280, room_for_warnings = 96;
constexpr int words_role = Qt::UserRole + 2;  // what it may be, where it is no number

/// The ends of the values that are proposed, and how many.
QStringList range_texts(const SweepOrder& order, const std::string& name) {
  const auto found = settable_number(order.document, order.request, name);
  const auto* known = std::get_if<SettableNumber>(&found);
  if (known == nullptr) return {{}, {}, QString::number(default_values)};
  const SettableNumber& number = *known;
  const auto range = usual_range(order.document, order.request, number);
  if (!range) return {{}, {}, QString::number(default_values)};
  const std::string& symbol = number.unit.symbol;
  const auto text = [&](double x) {
    return QString::fromStdString(number_text(x) + (symbol.empty() ? "" : " " + symbol));
  };
  return {text(range->from), text(range->to), QString::number(range->values)};
}

}  // namespace

SweepDialog::SweepDialog(RunDesk& desk, RunRequest request, QWidget* parent)
    : QDialog(parent),
      desk_(desk),
      parameter_(new ChoiceBox),
      measure_(new ChoiceBox),
      from_(new QLineEdit),
      to_(new QLineEdit),
      count_(new QLineEdit(QString::number(default_values))),
      log_(new QCheckBox(tr("Equal factors (logarithmic)"))),
      paired_(new QCheckBox(tr("Compare with the first value, in pairs with one seed"))),
      pairs_(new QSpinBox),
      problem_(new QLabel),
      progress_(new QLabel),
      run_(new QPushButton(tr("Run"))),
      export_(new QPushButton(tr("Export ..."))),
      plot_(new PlotView),
      differences_(new PicturePage),
      table_(plain_table("table.sweep")),
      warnings_list_(new QListWidget) {
  setObjectName(QStringLiteral("dialog.sweep"));
  setWindowTitle(tr("Vary a parameter – %1").arg(desk.workspace().file_title()));
  resize_on_screen(*this, {860, 760});
  const RunRequest context = desk.workspace().run_context();
  request.folder = context.folder, request.allowed_folders = context.allowed_folders;
  request.model_path = context.model_path;
  order_.document = desk.workspace().document(), order_.request = std::move(request), order_.beside = Beside::quick;
  for (const Solver* solver : desk.solvers())
    if (solver->spec().name == order_.request.solver) order_.solver = solver;

  const auto named = [](QWidget* widget, const char* name, const QString& label) {
    widget->setObjectName(QLatin1String(name)), widget->setAccessibleName(label);
  };
  named(parameter_, "field.sweep.parameter", tr("Parameter"));
  named(from_, "field.sweep.from", tr("From")), named(to_, "field.sweep.to", tr("To"));
  named(count_, "field.sweep.count", tr("Values")), named(log_, "field.sweep.log", tr("Equal factors"));
  named(measure_, "field.sweep.measure", tr("Measure"));
  named(run_, "action.sweep.run", tr("Run")), named(export_, "action.sweep.export", tr("Export"));
  named(paired_, "field.sweep.compare", tr("Compare in pairs")), named(pairs_, "field.sweep.pairs", tr("Pairs"));
  pairs_->setRange(2, 10'000), pairs_->setValue(default_pairs), pairs_->setEnabled(false);
  pairs_->setToolTip(tr("Runs of each value, each of its own seed"));
  paired_->setToolTip(tr("Means, differences to the first value and their intervals, instead of a curve"));
  problem_->setObjectName(QStringLiteral("label.sweep.problem"));
  problem_->setProperty("role", "error"), problem_->setWordWrap(true), problem_->hide();
  progress_->setObjectName(QStringLiteral("label.sweep.progress"));
  progress_->setProperty("role", "hint"), progress_->setWordWrap(true);
  from_->setToolTip(tr("A number, with its unit if it has one")), to_->setToolTip(from_->toolTip());
  count_->setToolTip(tr("How many values, both ends included"));
  count_->setMaximumWidth(70);
  export_->setToolTip(tr("The plot as SVG, PDF or PNG, or the table as CSV"));
  run_->setDefault(true);
  export_->setAutoDefault(false);
  list_parameters();
  for (const Element* m : order_.document.of(Section::measure))
    measure_->addItem(QString::fromStdString(m->text("label").empty() ? m->name() : m->text("label")),
                      QString::fromStdString(m->name()));

  auto* form = new QFormLayout;
  form->addRow(tr("Parameter"), parameter_);
  auto* ends = new QHBoxLayout;
  ends->addWidget(from_), ends->addWidget(new QLabel(tr("to"))), ends->addWidget(to_);
  ends->addWidget(new QLabel(tr("values"))), ends->addWidget(count_), ends->addWidget(log_);
  form->addRow(tr("From"), ends);
  auto* pairs = new QHBoxLayout;
  pairs->addWidget(paired_), pairs->addWidget(pairs_), pairs->addWidget(new QLabel(tr("pairs"))), pairs->addStretch();
  form->addRow(tr("Compare"), pairs);
  form->addRow(tr("Measure"), measure_);
  auto* buttons = new QHBoxLayout;
  auto* close = new QPushButton(tr("Close"));
  close->setObjectName(QStringLiteral("action.sweep.close"));
  close->setAutoDefault(false);
  buttons->addWidget(progress_, 1), buttons->addWidget(run_), buttons->addWidget(export_), buttons->addWidget(close);
  auto* shown = new QSplitter(Qt::Vertical);
  shown->addWidget(plot_), shown->addWidget(differences_), shown->addWidget(table_);
  shown->setStretchFactor(0, 3), shown->setStretchFactor(1, 3), shown->setStretchFactor(2, 2);
  differences_->setObjectName(QStringLiteral("chart.sweep.comparison"));
  differences_->setAccessibleName(tr("Differences to the first value"));
  differences_->setMinimumHeight(least_figure);  // it is shown late, when the table has all the room
  differences_->hide();
  shown->setSizes({360, 360, 240});
  shown->setChildrenCollapsible(false);
  warnings_list_->setObjectName(QStringLiteral("list.sweep.warnings"));
  warnings_list_->setAccessibleName(tr("Warnings of the points"));
  warnings_list_->setWordWrap(true);
  warnings_list_->setMaximumHeight(room_for_warnings);
  warnings_list_->hide();
  auto* rows = new QVBoxLayout(this);
  rows->addLayout(form);
  rows->addWidget(problem_);
  rows->addWidget(shown, 1);
  rows->addWidget(warnings_list_);
  rows->addLayout(buttons);

  plot_->set_figure([this](const std::string& format, Diagnostics& problems) {
    return sweep_plot(sweep_, measure_->currentData().toString().toStdString(), format, problems);
  });
  connect(plot_, &PlotView::said, progress_, &QLabel::setText);
  connect(parameter_, &QComboBox::currentIndexChanged, this, &SweepDialog::choose_parameter);
  connect(measure_, &QComboBox::currentIndexChanged, this, [this] {
    plot_->set_following(true);
    if (comparing_) show_comparison();
    else show_points();
  });
  connect(paired_, &QCheckBox::toggled, pairs_, &QWidget::setEnabled);
  connect(run_, &QPushButton::clicked, this, [this] {
    if (running_) stop();
    else start();
  });
  connect(export_, &QPushButton::clicked, this, &SweepDialog::export_as);
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  timer_.setInterval(poll_period_ms);
  connect(&timer_, &QTimer::timeout, this, &SweepDialog::collect);
  choose_parameter();
  show_points();
}

SweepDialog::~SweepDialog() { stop_ = true; }

/// First what the model calls its parameters, numbers and words; hundreds of properties may follow.
void SweepDialog::list_parameters() {
  const std::vector<SettableNumber> numbers = settable_numbers(order_.document, order_.request);
  for (const SettableNumber& p : numbers)
    if (!is_property_path(p.name)) parameter_->addItem(QString::fromStdString(p.name));
  for (const SettableWords& p : settable_choices(order_.document, order_.request)) {
    QStringList words;
    for (const std::string& word : p.words) words << QString::fromStdString(word);
    parameter_->addItem(QString::fromStdString(p.name));
    parameter_->setItemData(parameter_->count() - 1, words.join(QStringLiteral(", ")), words_role);
  }
  // Then what is written in the drawing, then what is as usual there, then what says how it is measured and run.
  std::array<QStringList, 3> of_elements;
  for (const SettableNumber& p : numbers) {
    if (!is_property_path(p.name)) continue;
    of_elements[!p.drawn ? 2U : p.written ? 0U : 1U] << QString::fromStdString(p.name);
  }
  for (const QStringList& some : of_elements) {
    if (!some.isEmpty() && parameter_->count() > 0) parameter_->insertSeparator(parameter_->count());
    parameter_->addItems(some);
  }
}

void SweepDialog::choose_parameter() {
  const QString words = parameter_->currentData(words_role).toString();
  for (QWidget* one : std::initializer_list<QWidget*>{to_, count_, log_}) one->setEnabled(words.isEmpty());
  from_->setToolTip(words.isEmpty() ? to_->toolTip() : tr("Words, with commas between"));
  if (!words.isEmpty()) return from_->setText(words), to_->clear();
  const QStringList range = range_texts(order_, parameter_->currentText().toStdString());
  from_->setText(range.value(0)), to_->setText(range.value(1)), count_->setText(range.value(2));
}

void SweepDialog::start() {
  if (running_) return;
  const auto refuse = [this](const Diagnostic& why) {
    problem_->setText(QString::fromStdString(why.message + (why.hint.empty() ? "" : " " + why.hint))
                          .replace(QStringLiteral("--vary"), tr("The parameter")));
    problem_->show();
  };
  problem_->hide();
  if (order_.solver == nullptr) return refuse({.message = "There is no solver that a sweep could ask.", .hint = {}});
  const bool words = !parameter_->currentData(words_role).toString().isEmpty();
  const QString text = words ? parameter_->currentText() + QLatin1Char('=') + from_->text()
                             : QStringLiteral("%1=%2:%3:%4%5")
                                   .arg(parameter_->currentText(), from_->text(), to_->text(), count_->text().trimmed(),
                                        log_->isChecked() ? QStringLiteral(":log") : QString());
  auto axis = parse_sweep_axis(text.toStdString(), order_.document, order_.request);
  if (const auto* why = std::get_if<Diagnostic>(&axis)) return refuse(*why);
  auto made = Sweep::of({std::get<SweepAxis>(axis)});
  if (const auto* why = std::get_if<Diagnostic>(&made)) return refuse(*why);
  const SweepAxis of = std::get<SweepAxis>(axis);
  if (paired_->isChecked() && of.values.size() < 2)
    return refuse({.message = "Pairs compare values with the first one; wanted two or more.", .hint = {}});
  sweep_ = std::move(std::get<Sweep>(made));
  home_ = desk_.records().home();
  stop_ = false, over_ = false, running_ = true;
  done_.clear();
  comparing_ = paired_->isChecked(), compared_ = {}, fresh_comparison_ = {}, pairs_done_ = 0;
  warnings_ = {};
  show_warnings();
  run_->setText(tr("Stop"));
  plot_->set_following(true);
  plot_->setVisible(!comparing_), differences_->hide();
  timer_.start();
  if (comparing_) {
    show_comparison();
    worker_ = std::jthread([this, of, pairs = static_cast<std::size_t>(pairs_->value())] {
      SweepOrder alone = order_;
      alone.beside = Beside::none;
      PairedComparison made_of = compare_choices(
          alone, of, pairs, {}, [this] { return stop_.load(); },
          [this](std::size_t so_far) {
            const std::lock_guard lock(mutex_);
            pairs_done_ = so_far;
          });
      const std::lock_guard lock(mutex_);
      fresh_comparison_ = std::move(made_of), over_ = true;
    });
    return;
  }
  show_points();
  worker_ = std::jthread([this, todo = sweep_]() mutable {
    for (std::size_t p = 0; p < todo.points.size() && !stop_; ++p) {
      solve_point(
          order_, todo, todo.points[p], [this] { return stop_.load(); },
          [this](const Run& run) {
            const auto first = run.first();
            const Diagnostics told = run.told();
            const std::lock_guard lock(mutex_);
            first_ = first;
            if (!told.empty()) told_ = QString::fromStdString(told.front().code + ": " + told.front().message);
          });
      const std::lock_guard lock(mutex_);
      first_.reset(), told_.clear();
      done_.emplace_back(p, std::move(todo.points[p]));
    }
    const std::lock_guard lock(mutex_);
    over_ = true;
  });
}

void SweepDialog::stop() { stop_ = true; }

void SweepDialog::collect() {
  bool over = false;
  std::vector<std::pair<std::size_t, SweepPoint>> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh.swap(done_);
    over = over_;
    if (over && comparing_) compared_ = std::move(fresh_comparison_);
  }
  for (auto& [at, point] : fresh) {
    if (point.results != nullptr)
      if (const QString why = desk_.records().add(*home_, point.results); !why.isEmpty()) desk_.workspace().say(why);
    warnings_.hear(at, point.said);
    sweep_.points[at] = std::move(point);
  }
  if (over || !fresh.empty()) show_warnings();
  if (over) {
    running_ = false;
    timer_.stop();
    run_->setText(tr("Run"));
  }
  if (comparing_) {
    if (const auto record = over ? comparison_record(compared_) : nullptr)
      if (const QString why = desk_.records().add(*home_, record); !why.isEmpty()) desk_.workspace().say(why);
    return show_comparison();
  }
  if (over || !fresh.empty()) show_points();
  else say_progress();
}

void SweepDialog::show_warnings() {
  const SweepWarnings& warnings = comparing_ ? compared_.warnings : warnings_;
  warnings_list_->clear();
  for (const SweepWarning& one : warnings.all()) {
    // Of many points the first one says enough.
    QString at;
    if (!sweep_.axes.empty() && !one.points.empty() && one.points.front() < sweep_.points.size()) {
      const SweepAxis& axis = sweep_.axes.front();
      at = tr("%1 = %2").arg(QString::fromStdString(axis.name),
                             QString::fromStdString(axis.text(sweep_.points[one.points.front()].values.front())));
      if (one.points.size() > 1) at += tr(" and %n more", nullptr, static_cast<int>(one.points.size() - 1));
      at += QStringLiteral(": ");
    }
    const std::string& hint = one.what.hint;
    warnings_list_->addItem(
        at + QString::fromStdString(one.what.code + ": " + one.what.message + (hint.empty() ? "" : " " + hint)));
  }
  warnings_list_->setVisible(warnings_list_->count() > 0);
}

void SweepDialog::show_comparison() {
  const ResultTable table = compared_.rows.empty() ? ResultTable{} : comparison_table(compared_);
  fill_table(*table_, table);
  table_->resizeColumnsToContents();
  auto picture = difference_figure(table);
  differences_->setVisible(picture.has_value());
  if (picture) differences_->show_picture(std::move(*picture));
  export_->setEnabled(!compared_.rows.empty());
  std::size_t made = 0;
  {
    const std::lock_guard lock(mutex_);
    made = pairs_done_;
  }
  QString said = running_ ? tr("%1 of %2 pairs").arg(made).arg(pairs_->value()) : QString::fromStdString(table.note);
  for (const std::string& problem : compared_.problems) said += QLatin1Char('\n') + QString::fromStdString(problem);
  if (!running_ && compared_.rows.empty() && compared_.problems.empty()) said = tr("Stopped before a pair was made.");
  progress_->setText(said);
}

std::vector<std::string> SweepDialog::measures() const { return sweep_measures(sweep_); }

void SweepDialog::show_points() {
  const std::string measure = measure_->currentData().toString().toStdString();
  std::list<Series> lines;  // Curves point to them.
  std::vector<PlotView::Curve> curves;
  PlotView::Titles titles;
  if (!sweep_.axes.empty()) {
    const SweepAxis& axis = sweep_.axes.front();
    titles.header = measure_->currentText(), titles.x = axis_title_text(axis.name, axis.unit);
    for (const std::string& word : axis.words) titles.words << QString::fromStdString(word);
    const QString level = tr("%1 %").arg(100.0 * order_.request.confidence);
    const bool limit = sweep_limits(sweep_, measure);
    for (const bool exact : {false, true})
      for (Series& s : sweep_series(sweep_, measure, exact)) {
        if (exact && !lines.empty() && lines.front().exact) break;
        titles.y = axis_title_text(measure, s.y_unit);
        lines.push_back(std::move(s));
        const Answer answer = limit ? Answer::long_run : lines.back().exact ? Answer::exact : Answer::estimate;
        curves.push_back(
            {QString::fromLatin1(exact ? "exact" : "run"),
             answer == Answer::estimate ? tr("estimate, %1 interval").arg(level) : QString::fromLatin1(to_text(answer)),
             &lines.back(), answer});
      }
    const ResultTable table = sweep_table(sweep_, {measure});
    const QString measure_name = QString::fromStdString(measure);
    QStringList headings;
    // The measure's name stands above; some columns may not be there.
    for (const ResultTable::Column& column : table.columns) {
      const QString text = QString::fromStdString(column.label);
      const QString of = measure_name + QString::fromLatin1(limit ? " in the long run" : "");
      const auto is = [&](const char* what) { return text == measure_name + what || text == of + what; };
      headings << (headings.empty() ? QString::fromStdString(column_text(column))
                   : is(" lower")   ? tr("lower %1").arg(level)
                   : is(" upper")   ? tr("upper %1").arg(level)
                   : is(" exact")   ? tr("exact")
                   : is(" note")    ? tr("note")
                   : is("")         ? axis_title_text(limit ? "in the long run" : "value", column.unit)
                                    : QString::fromStdString(column_text(column)));
    }
    set_headings(table_, headings);
    table_->setRowCount(static_cast<int>(table.rows.size()));
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      QStringList cells;
      for (const ResultTable::Cell& cell : table.rows[r]) cells << QString::fromStdString(cell_text(cell));
      set_cells(table_, static_cast<int>(r), cells);
    }
    table_->resizeColumnsToContents();
  }
  plot_->show_curves(curves, titles);
  say_progress();
}

void SweepDialog::say_progress() {
  std::size_t done = 0, wrong = 0;
  for (const SweepPoint& point : sweep_.points) {
    done += point.results != nullptr || !point.problem.empty();
    wrong += !point.problem.empty();
  }
  export_->setEnabled(done > 0);
  if (sweep_.points.empty())
    return progress_->setText(tr("Each value is one run, kept with the others of the model; all have one seed."));
  QString said = wrong > 0 ? tr("%1 of %2 points, %3 with a problem").arg(done).arg(sweep_.points.size()).arg(wrong)
                           : tr("%1 of %2 points").arg(done).arg(sweep_.points.size());
  const std::lock_guard lock(mutex_);
  // A point may take longer than anybody waits without a word.
  if (first_) said += tr("; first replication of the next at %1 %").arg(static_cast<int>(first_->share * 100));
  if (!told_.isEmpty()) said += QLatin1Char('\n') + told_;
  progress_->setText(said);
}

QString SweepDialog::export_to(const QString& path) {
  if (comparing_) {
    if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) return write_export(path, comparison_csv(compared_));
    return tr("A comparison is exported as CSV; its figure is in the report of its run.");
  }
  if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive))
    return write_export(path, sweep_csv(sweep_, measures()));
  return plot_->export_to(path);
}

void SweepDialog::export_as() {
  const QString path = ask_where_to_write(this, tr("Export the sweep"), QStringLiteral("sweep.svg"),
                                          tr("Figures and tables (*.svg *.pdf *.png *.csv)"));
  if (path.isEmpty()) return;
  const QString why = export_to(path);
  // The status line of the window is behind this one.
  problem_->setText(why), problem_->setVisible(!why.isEmpty());
  if (why.isEmpty()) progress_->setText(tr("Exported %1").arg(path));
}

}  // namespace ergode
