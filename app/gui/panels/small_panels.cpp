#include "app/gui/panels/small_panels.h"

#include <QDateTime>
#include <utility>

#include "app/gui/look/look.h"

namespace ergode {

HistoryPanel::HistoryPanel(Workspace& workspace, QWidget* parent) : QListWidget(parent), workspace_(workspace) {
  setObjectName(QStringLiteral("panel.history"));
  setAccessibleName(tr("Undo history"));
  setFrameShape(QFrame::NoFrame);
  connect(&workspace_, &Workspace::history_changed, this, [this] {
    if (std::exchange(pending_, true)) return;
    QMetaObject::invokeMethod(this, &HistoryPanel::refresh, Qt::QueuedConnection);
  });
  connect(this, &QListWidget::itemClicked, this, [this](QListWidgetItem* clicked) {
    const auto wanted = static_cast<std::size_t>(row(clicked));
    while (workspace_.history().depth() > wanted) workspace_.undo();
    while (workspace_.history().depth() < wanted) workspace_.redo();
  });
  refresh();
}

void HistoryPanel::refresh() {
  pending_ = false;
  const CommandStack& history = workspace_.history();
  blockSignals(true);
  clear();
  addItem(workspace_.path().isEmpty() ? tr("New model") : tr("Opened"));
  for (std::size_t i = 0; i < history.size(); ++i) {
    addItem(QString::fromStdString(history.at(i).text()));
    if (i >= history.depth()) item(count() - 1)->setForeground(look().disabled);
  }
  setCurrentRow(static_cast<int>(history.depth()));
  scrollToItem(currentItem());
  blockSignals(false);
}

LogPanel::LogPanel(QWidget* parent) : QPlainTextEdit(parent) {
  setObjectName(QStringLiteral("panel.log"));
  setAccessibleName(tr("Log"));
  setReadOnly(true);
  setFrameShape(QFrame::NoFrame);
  setMaximumBlockCount(2000);
  QFont mono(mono_family());
  mono.setPixelSize(11);
  setFont(mono);
}

void LogPanel::add(const QString& text) {
  if (text.isEmpty()) return;
  appendPlainText(
      QStringLiteral("%1  %2").arg(QDateTime::currentDateTimeUtc().toString(QStringLiteral("HH:mm:ss")), text));
}

}  // namespace ergode
