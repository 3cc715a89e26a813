#pragma once
#include <QAction>
#include <QHash>
#include <QJsonArray>
#include <QObject>

namespace ergode {

/// Every command of the desktop by its stable name: "run.start" has the object name "action.run.start". One table gives
/// text, keys, icon and tip; menus, tool bar, scripts and --dump-actions all read it.
class Actions : public QObject {
  Q_OBJECT
 public:
  explicit Actions(QObject* parent);
  /// Precondition: the name is in the table.
  QAction* operator[](const char* name) const;
  QAction* find(const QString& name) const { return actions_.value(name); }
  QList<QAction*> all() const { return ordered_; }
  /// Enables an action when `why_not` is empty; else its tooltip says why it is not.
  void enable(const char* name, const QString& why_not);
  /// Icons in the colours of the present look.
  void restyle();
  /// Name, text, keys and whether enabled, in the order of the table.
  QJsonArray dump() const;

 private:
  QHash<QString, QAction*> actions_;
  QList<QAction*> ordered_;
};

}  // namespace ergode
