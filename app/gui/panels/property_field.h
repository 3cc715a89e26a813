#pragma once
#include <QLabel>
#include <QToolButton>
#include <QWidget>
#include <functional>

#include "app/gui/look/link_label.h"
#include "core/base/diagnostic.h"
#include "core/catalogue/catalogue.h"

class QCompleter;

namespace ergode {

/// One property in the inspector: name, editor by type, reset button, problems below. Applies on Enter and when left;
/// Escape restores what the model says. Where the property is a choice, words, labels and beginnings of them are
/// understood.
class PropertyField : public QWidget {
  Q_OBJECT
 public:
  /// `names`: what a reference may name.
  PropertyField(const KindSpec& kind, const PropertySpec& spec, QStringList names, QWidget* parent = nullptr);

  const PropertySpec& spec() const { return spec_; }
  /// What the elements say: their texts; several different ones show "(mixed)". An empty text is the default.
  void show_values(const QStringList& texts);
  /// Which other property is written instead of this one, which is not read then; empty: none. After show_values().
  void show_replaced(const QString& by);
  void show_problems(const Diagnostics& problems);
  /// What was applied just now cannot be; the editor keeps text and focus, but a list its former choice.
  void refuse(const QString& why);
  /// What the expression is worth ("= 16 h"), beside the editor or below it; empty: nothing.
  void show_worth(const QString& text);
  /// Text in the editor.
  QString text() const;
  void set_text(const QString& text);
  /// Applies what was typed, as Enter does.
  void apply();
  /// Shows what the model says again, as Escape does.
  void restore();
  /// Names that may be written here: the list of a field that has one; while an expression is typed, those that go on
  /// with the word before the cursor are offered, all of them at Ctrl+Space.
  void offer(const QStringList& names);
  QWidget* editor() const { return editor_; }
  QLabel* label() const { return label_; }

 Q_SIGNALS:
  void committed(const QString& property, const QString& text);
  void typed(const QString& text);  ///< Not applied yet.
  void fix_wanted(const ergode::QuickFix& fix);
  void law_wanted();  ///< The button of a time was pressed: a law is to be chosen.
  void left();        ///< Escape was pressed and there was nothing to take back.

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QString usual_hint() const;
  QWidget* make_editor(const QStringList& names);
  /// A click into a list that can be typed in selects its text and opens it. @returns whether the event is used up.
  bool choose_on_click(QObject* watched, QEvent* event);
  QString tip(const KindSpec& kind) const;
  void complete(bool asked);
  void take_completion(const QString& name);
  /// Below the editor.
  void tell(const Diagnostics& problems);
  /// Beside the editor, or below it where it would leave too little room for what is typed there.
  void place_worth();

  PropertySpec spec_;
  QLabel* label_;
  QWidget* editor_;
  QCompleter* completer_ = nullptr;  ///< Of an expression, once there is something to offer.
  QStringList offered_;
  QToolButton* reset_;
  LinkLabel* problems_;
  Diagnostics own_;              ///< Problems of what the model says.
  std::vector<QuickFix> fixes_;  ///< Of the problems shown.
  QLabel* worth_;
  QString shown_;
  bool mixed_ = false, filling_ = false, worth_below_ = false;
  bool tells_refusal_ = false;  ///< What stands below is why a text was refused.
};

}  // namespace ergode
