#pragma once
#include <QLabel>
#include <QStringList>

namespace ergode {

/// What is said of a run below its numbers: sentences in the order of their worth, as many as fit into two lines. Where
/// that is not all, a link behind them shows the rest, as the tip does.
class RunCaption : public QLabel {
  Q_OBJECT
 public:
  explicit RunCaption(QWidget* parent = nullptr);
  /// @param sentences  rich text each, without line breaks; the first is always shown
  /// @param details    plain lines for the tip alone
  void show_sentences(const QStringList& sentences, const QStringList& details = {});

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  QStringList sentences_;
};

}  // namespace ergode
