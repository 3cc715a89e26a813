#pragma once
#include <QAction>
#include <QHash>
#include <QJsonArray>
#include <QObject>

namespace ergode {

class Catalogue;

/// The commands that begin a diagram, one for each kind of diagram of each notation: "diagram.add_chart".
QStringList diagram_actions(const Catalogue& catalogue);
/// What stands before the kind's name in them.
inline constexpr QLatin1String diagram_action_prefix("diagram.add_");

/// Every command of the desktop by its stable name: "run.start" has the object name "action.run.start". One table gives
/// text, keys, icon and tip, the notations those of their diagrams; menus, tool bar, scripts and --dump-actions all
/// read them.
class Actions : public QObject {
  Q_OBJECT
 public:
  Actions(QObject* parent, const Catalogue& catalogue);
  /// Precondition: there is a command of this name. Owned by this.
  QAction* operator[](const char* name) const;
  QAction* find(const QString& name) const { return actions_.value(name); }
  QList<QAction*> all() const { return ordered_; }
  /// Enables an action when `why_not` is empty; else its tooltip says why it is not.
  void enable(const QString& name, const QString& why_not);
  /// Icons in the colours of the present look.
  void restyle();
  /// Name, text, keys and whether enabled, in the order of the table.
  QJsonArray dump() const;

 Q_SIGNALS:
  /// What a status line may still show of an action does not hold any more.
  void reason_gone(const QString& why_not);

 private:
  void add(const QString& name, const QString& text, const QString& keys, const QString& icon, const QString& tip);
  QHash<QString, QAction*> actions_;
  QList<QAction*> ordered_;
};

}  // namespace ergode
