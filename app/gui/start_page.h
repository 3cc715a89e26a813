#pragma once
#include <QScrollArea>
#include <QVBoxLayout>

namespace ergode {

struct GalleryModel;

/// What a new user sees first: templates and examples, opened as copies by one click, recent files, and the help.
class StartPage : public QScrollArea {
  Q_OBJECT
 public:
  explicit StartPage(QWidget* parent = nullptr);
  /// Files that are gone are not offered.
  void show_recent(const QStringList& paths);

 Q_SIGNALS:
  void empty_wanted(const QString& diagram_kind);  ///< DiagramKind::name; empty: those of every new model
  void model_wanted(const ergode::GalleryModel& model);
  void file_wanted(const QString& path);
  void open_wanted();
  void help_wanted();

 private:
  QVBoxLayout* recent_;
};

}  // namespace ergode
