#pragma once
#include <QDialog>
#include <QTextBrowser>
#include <QTreeWidget>

namespace ergode {

/// The offline help (app/session/manual): contents on the left, the page on the right, back and forward. Not modal.
class HelpWindow : public QDialog {
  Q_OBJECT
 public:
  explicit HelpWindow(QWidget* parent = nullptr);
  /// @param word  A label on the page to go to ("Mean delay"); empty: its beginning.
  void show_page(const QString& name, const QString& word = {});
  /// Name of the page on show.
  QString page() const { return page_; }

 private:
  void fill();
  void turn_to(const QString& name, const QString& word);
  QTreeWidget* contents_;
  QTextBrowser* text_;
  QStringList past_;
  QString page_;
};

}  // namespace ergode
