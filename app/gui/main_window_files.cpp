#include <QApplication>
#include <QBuffer>
#include <QFileDialog>
#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QJsonDocument>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QSvgRenderer>
#include <algorithm>
#include <cmath>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/desk/exports.h"
#include "app/gui/look/look.h"
#include "app/gui/main_window.h"
#include "app/gui/run_bar.h"
#include "app/gui/start_page.h"
#include "app/gui/sweep_dialog.h"
#include "app/session/catalogue.h"
#include "app/session/figure.h"
#include "app/session/folder_wanted.h"
#include "app/session/import.h"
#include "app/session/overwrite.h"
#include "app/session/publish.h"
#include "core/drawing/diagram_picture.h"
#include "core/drawing/svg.h"
#include "core/format/hash.h"
#include "core/report/report_html.h"
#include "core/results/result_csv.h"
#include "core/results/result_json.h"

namespace ergode {
namespace {

constexpr const char *recent_key = "recent/files", *typed_key = "recent/typed";
constexpr int recent_limit = 12;

QString first_message(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    if (d.severity != Severity::error) continue;
    QString text = QString::fromStdString(d.code + ": " + d.message);
    if (!d.pointer.empty()) text += QStringLiteral(" (%1)").arg(QString::fromStdString(d.pointer));
    return text;
  }
  return QObject::tr("The file could not be read.");
}

}  // namespace

bool MainWindow::import(const QString& path) {
  ImportedModel imported = import_model(path.toStdString());
  for (const Diagnostic& d : imported.diagnostics) workspace_.say(QString::fromStdString(d.code + ": " + d.message));
  const QString name = QFileInfo(path).fileName();
  if (!imported.document) {
    show_banner(tr("%1 was not imported. %2").arg(name, first_message(imported.diagnostics)), {});
    return false;
  }
  workspace_.adopt_unsaved(std::move(*imported.document), {});
  if (!imported.complete) show_banner(tr("Parts of %1 could not be carried over; the log names each.").arg(name), {});
  workspace_.say(tr("Imported %1").arg(path));
  return true;
}

bool MainWindow::open(const QString& path) {
  if (is_imported(path.toStdString())) return import(path);
  const QString absolute = QFileInfo(path).absoluteFilePath();
  const Diagnostics diagnostics = workspace_.open(absolute);
  if (workspace_.path() != absolute || has_errors(diagnostics)) {
    show_banner(tr("%1 was not opened. %2").arg(QFileInfo(path).fileName(), first_message(diagnostics)), {});
    workspace_.say(first_message(diagnostics));
    return false;
  }
  remember_recent(absolute);
  workspace_.say(tr("Opened %1").arg(absolute));
  return true;
}

void MainWindow::make_recovery_bar() {
  recovery_bar_ = new QFrame;
  recovery_bar_->setObjectName(QStringLiteral("view.recovery"));
  recovery_bar_->setProperty("role", "banner");
  recovery_text_ = new QLabel;
  recovery_text_->setObjectName(QStringLiteral("label.recovery"));
  recovery_text_->setWordWrap(true);
  auto* restore = new QPushButton(tr("Restore"));
  restore->setObjectName(QStringLiteral("action.recovery.restore"));
  connect(restore, &QPushButton::clicked, this, [this] {
    const auto lost = recovery_->lost();
    if (lost.empty()) return recovery_bar_->hide();
    if (!may_leave()) return;
    const QString why = recovery_->restore(lost.front());
    if (!why.isEmpty()) show_banner(tr("%1 was not restored. %2").arg(lost.front().title, why), {});
    else workspace_.say(tr("Restored %1; it is not saved yet").arg(lost.front().title));
    recovery_bar_->hide();
    if (why.isEmpty()) offer_lost_models();
  });
  auto* discard = new QPushButton(tr("Discard"));
  discard->setObjectName(QStringLiteral("action.recovery.discard"));
  connect(discard, &QPushButton::clicked, this, [this] {
    const auto lost = recovery_->lost();
    if (!lost.empty()) RecoveryJournal::discard(lost.front());
    recovery_bar_->hide();
    offer_lost_models();
  });
  auto* later = new QPushButton(tr("Later"));
  later->setObjectName(QStringLiteral("action.recovery.later"));
  connect(later, &QPushButton::clicked, recovery_bar_, &QFrame::hide);
  auto* row = new QHBoxLayout(recovery_bar_);
  row->setContentsMargins(12, 6, 8, 6);
  row->addWidget(recovery_text_, 1);
  for (QPushButton* button : {restore, discard, later}) row->addWidget(button);
  recovery_bar_->hide();
}

void MainWindow::offer_lost_models() {
  const auto lost = recovery_->lost();
  if (lost.empty()) return;
  const LostModel& latest = lost.front();
  const QString when = QLocale().toString(latest.written, QLocale::ShortFormat);
  recovery_text_->setText(
      latest.original.isEmpty()
          ? tr("\"%1\", which was never saved, was left behind, last written %2.").arg(latest.title, when)
          : tr("Unsaved changes of %1 (\"%2\") were left behind, last written %3.")
                .arg(QFileInfo(latest.original).fileName(), latest.title, when));
  recovery_text_->setToolTip(latest.original.isEmpty() ? latest.file : latest.original);
  recovery_bar_->show();
}

void MainWindow::make_access_bar() {
  access_bar_ = new QFrame;
  access_bar_->setObjectName(QStringLiteral("view.access"));
  access_bar_->setProperty("role", "banner");
  access_text_ = new QLabel;
  access_text_->setObjectName(QStringLiteral("label.access"));
  access_text_->setWordWrap(true);
  access_text_->setTextFormat(Qt::PlainText);
  auto* allow = new QPushButton(tr("Allow until I quit"));
  allow->setObjectName(QStringLiteral("action.access.allow"));
  connect(allow, &QPushButton::clicked, this, [this] {
    access_bar_->hide();
    workspace_.allow_folder(access_folder_);
    workspace_.say(tr("Models may name files in %1").arg(access_folder_));
  });
  auto* refuse = new QPushButton(tr("Do not allow"));
  refuse->setObjectName(QStringLiteral("action.access.refuse"));
  connect(refuse, &QPushButton::clicked, this, [this] {
    access_bar_->hide();
    refused_folders_ << access_folder_;
  });
  auto* row = new QHBoxLayout(access_bar_);
  row->setContentsMargins(12, 6, 8, 6);
  row->addWidget(access_text_, 1);
  row->addWidget(allow);
  row->addWidget(refuse);
  access_bar_->hide();
}

void MainWindow::ask_for_access() {
  access_bar_->hide();
  for (const Diagnostic& problem : workspace_.problems()) {
    const auto folder = folder_wanted(workspace_.document(), problem, workspace_.files());
    if (!folder || refused_folders_.contains(QString::fromStdString(*folder))) continue;
    access_folder_ = QString::fromStdString(*folder);
    access_text_->setText(tr("%1 names a file in %2, which is outside its own folder. May models read files there?")
                              .arg(workspace_.file_title(), access_folder_));
    access_bar_->show();
    return;
  }
}

bool MainWindow::save() {
  if (workspace_.path().isEmpty()) return save_as();
  if (workspace_.changed_on_disk()) {
    const auto answer = QMessageBox::warning(this, tr("Changed on disk"),
                                             tr("%1 was changed by another program since it was opened. Save over it?")
                                                 .arg(QFileInfo(workspace_.path()).fileName()),
                                             QMessageBox::Save | QMessageBox::Cancel, QMessageBox::Cancel);
    if (answer != QMessageBox::Save) return false;
  }
  if (const auto failed = workspace_.save(workspace_.path())) {
    show_banner(tr("%1 was not saved. %2").arg(workspace_.file_title(), QString::fromStdString(failed->message)), {});
    return false;
  }
  remember_recent(workspace_.path());
  workspace_.say(tr("Saved %1").arg(workspace_.path()));
  return true;
}

bool MainWindow::save_as() {
  QString path = QFileDialog::getSaveFileName(
      this, tr("Save model"), workspace_.path().isEmpty() ? QStringLiteral("model.ergode") : workspace_.path(),
      tr("Ergode models (*.ergode)"));
  if (path.isEmpty()) return false;
  if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".ergode");
  if (const auto failed = workspace_.save(path)) {
    show_banner(tr("%1 was not saved. %2").arg(QFileInfo(path).fileName(), QString::fromStdString(failed->message)),
                {});
    return false;
  }
  remember_recent(path);
  workspace_.say(tr("Saved %1").arg(path));
  return true;
}

bool MainWindow::may_leave(bool quit) {
  const std::size_t unsaved = desk_->records().home()->unsaved ? desk_->records().rows().size() : 0;
  const bool run_in_no_file = desk_->live() && desk_->records().home()->unsaved;
  if (workspace_.modified() || unsaved > 0 || run_in_no_file) {
    QString text = tr("Save the changes to %1?").arg(workspace_.file_title());
    if (unsaved == 1) text += tr(" Without saving, its run is lost as well.");
    if (unsaved > 1) text += tr(" Without saving, its %1 runs are lost as well.").arg(unsaved);
    if (run_in_no_file) text += tr(" Without saving, the run that is going on is stopped and lost.");
    const auto answer =
        QMessageBox::question(this, tr("Unsaved changes"), text,
                              QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
    if (answer == QMessageBox::Cancel || (answer == QMessageBox::Save && !save())) return false;
    if (answer == QMessageBox::Discard && run_in_no_file) {
      desk_->stop_and_keep();
      return true;
    }
  }
  return may_leave_run(quit);
}

bool MainWindow::may_leave_sweeps() {
  const auto sweeps = findChildren<SweepDialog*>();
  if (std::none_of(sweeps.begin(), sweeps.end(), [](const SweepDialog* one) { return one->active(); })) return true;
  QMessageBox question(
      QMessageBox::Question, tr("A parameter is being varied"),
      tr("A parameter is being varied. Quit? The runs that are done are kept, the one that is going on "
         "is lost."),
      QMessageBox::NoButton, this);
  question.setObjectName(QStringLiteral("dialog.quit.sweep"));
  auto* quit = question.addButton(tr("Quit"), QMessageBox::DestructiveRole);
  question.setDefaultButton(question.addButton(QMessageBox::Cancel));
  question.exec();
  return question.clickedButton() == quit;
}

bool MainWindow::may_leave_run(bool quit) {
  if (!desk_->run().active() || (!quit && desk_->foreign())) return true;
  QMessageBox question(
      QMessageBox::Question, tr("A run is going on"),
      quit ? tr("A run of %1 is going on. Quit?").arg(desk_->model_title())
           : tr("A run of %1 is going on. It can go on and be kept with its model.").arg(desk_->model_title()),
      QMessageBox::NoButton, this);
  question.setObjectName(QStringLiteral("dialog.run"));
  auto* wait = question.addButton(quit ? tr("Quit when it has ended") : tr("Let it go on"), QMessageBox::AcceptRole);
  auto* stop = question.addButton(tr("Stop it, keep what it has"), QMessageBox::DestructiveRole);
  question.addButton(QMessageBox::Cancel);
  question.setDefaultButton(wait);
  question.exec();
  if (question.clickedButton() == stop) {
    desk_->stop_and_keep();
    return true;
  }
  if (question.clickedButton() != wait) return false;
  if (!quit || !desk_->run().active()) return true;
  quit_after_run_ = true;
  workspace_.say(tr("The program ends when the run has ended"));
  return false;
}

void MainWindow::remember_recent(const QString& path) {
  QStringList recent = settings_.value(QLatin1String(recent_key)).toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  while (recent.size() > recent_limit) recent.removeLast();
  settings_.setValue(QLatin1String(recent_key), recent);
  settings_.sync();  // Written at once: a crash must not lose the list.
  refresh_recent();
}

QJsonObject MainWindow::typed_before(const QString& path) const {
  const QByteArray text = settings_.value(QLatin1String(typed_key)).toString().toUtf8();
  return path.isEmpty() ? QJsonObject() : QJsonDocument::fromJson(text).object()[path].toObject();
}

void MainWindow::remember_typed() {
  if (workspace_.path().isEmpty()) return;
  // Of the files that are listed, and this one.
  QJsonObject kept;
  for (const QString& path : settings_.value(QLatin1String(recent_key)).toStringList())
    if (const QJsonObject typed = typed_before(path); !typed.isEmpty()) kept[path] = typed;
  kept[workspace_.path()] = run_bar_->typed();
  settings_.setValue(QLatin1String(typed_key), QString::fromUtf8(QJsonDocument(kept).toJson(QJsonDocument::Compact)));
}

void MainWindow::refresh_recent() {
  recent_menu_->clear();
  const QStringList recent = settings_.value(QLatin1String(recent_key)).toStringList();
  for (const QString& path : recent) {
    const bool there = QFileInfo::exists(path);
    QAction* action = recent_menu_->addAction(there ? path : tr("%1 (missing)").arg(path), this, [this, path] {
      if (may_leave()) open(path);
    });
    action->setEnabled(there);
  }
  recent_menu_->setEnabled(!recent.isEmpty());
  start_page_->show_recent(recent);
}

QByteArray MainWindow::png_of_diagram(double scale) {
  const Picture picture =
      draw_diagram(workspace_.document(), workspace_.diagram(), catalogue(), canvas_->scene_items().numbers_alone());
  QSvgRenderer renderer(QByteArray::fromStdString(to_svg(picture, Theme::print())));
  // A hundred million pixels are enough for a wall; what is larger is drawn smaller.
  constexpr double most_pixels = 1e8;
  scale = std::min(scale, std::sqrt(most_pixels / (picture.view.width * picture.view.height)));
  QImage image(QSize(qRound(picture.view.width * scale), qRound(picture.view.height * scale)), QImage::Format_ARGB32);
  if (image.isNull()) return {};
  image.fill(Qt::white);
  QPainter painter(&image);
  renderer.render(&painter);
  painter.end();
  image.setText(QStringLiteral("Software"), QStringLiteral("Ergode " ERGODE_VERSION));
  image.setText(QStringLiteral("Title"), workspace_.title());
  image.setText(QStringLiteral("ModelHash"), QString::fromStdString(semantic_hash(workspace_.document())));
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return bytes;
}

QString MainWindow::export_diagram(const QString& path) {
  Diagnostics problems;
  const auto format = figure_format(path.toStdString(), problems, {"png"});
  if (!format) return QString::fromStdString(problems.front().message);
  QByteArray bytes;
  if (*format == "png") bytes = png_of_diagram(2.0);
  else if (const auto drawn = make_diagram(workspace_.document(), workspace_.diagram(), *format, false,
                                           canvas_->scene_items().numbers_alone()))
    bytes = QByteArray::fromStdString(*drawn);
  if (bytes.isEmpty()) return tr("The diagram is too large to be drawn as %1.").arg(QString::fromStdString(*format));
  if (const QString why = write_export(path, {bytes.constData(), static_cast<std::size_t>(bytes.size())});
      !why.isEmpty())
    return why;
  workspace_.say(tr("Exported %1").arg(path));
  return {};
}

QString MainWindow::export_run(const QString& path) {
  const auto shown = desk_->shown_for_good();
  if (!shown) return tr("There is no run to export. Run the model first.");
  if (path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive)) {
    if (const QString why = write_export(path, to_json(*shown).dump(2) + "\n"); !why.isEmpty()) return why;
  } else if (path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)) {
    for (const std::string& file : csv_files(*shown, path.toStdString()))
      if (const auto why = refuse_overwrite(file, {.force = true})) return QString::fromStdString(why->message);
    if (const auto why = export_csv(*shown, path.toStdString())) return QString::fromStdString(why->message);
  } else {
    return tr("A run is written as CSV or JSON: the name must end in .csv or .json.");
  }
  workspace_.say(tr("Exported %1").arg(path));
  return {};
}

QString MainWindow::export_report(const QString& path) {
  const auto shown = desk_->shown_for_good();
  if (!shown) return tr("There is no run to report. Run the model first.");
  if (const auto refused = refuse_report_name(path.toStdString()))
    return QString::fromStdString(refused->message + " " + refused->hint);
  // As on the command line: what was not run is not shown as if it had been.
  const bool other = desk_->stale();
  const std::string html = make_report(other ? nullptr : &workspace_.document(), *shown, workspace_.files());
  if (const QString why = write_export(path, html); !why.isEmpty()) return why;
  workspace_.say(other ? tr("Report written to %1, without the model, which has changed since the run").arg(path)
                       : tr("Report written to %1").arg(path));
  return {};
}

}  // namespace ergode
