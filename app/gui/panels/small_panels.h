#pragma once
#include <QListWidget>
#include <QPlainTextEdit>

#include "app/gui/desk/workspace.h"

namespace ergode {

/// The undo history: each step by name, undone ones grey; a click goes there.
class HistoryPanel : public QListWidget {
  Q_OBJECT
 public:
  explicit HistoryPanel(Workspace& workspace, QWidget* parent = nullptr);

 private:
  void refresh();
  Workspace& workspace_;
  bool pending_ = false;
};

/// What happened, with the time (UTC): messages, runs, files.
class LogPanel : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit LogPanel(QWidget* parent = nullptr);
  void add(const QString& text);
};

}  // namespace ergode
