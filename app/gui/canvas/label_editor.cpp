#include "app/gui/canvas/label_editor.h"

#include <QKeyEvent>
#include <QLabel>
#include <QStyle>
#include <functional>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/look/link_label.h"
#include "app/gui/look/look.h"
#include "app/session/label.h"

namespace ergode {

class LabelEditor::Field : public QLineEdit {
 public:
  explicit Field(QWidget* parent) : QLineEdit(parent), reason(new LinkLabel) {
    setObjectName(QStringLiteral("field.canvas.label"));
    setAccessibleName(QObject::tr("Label"));
    reason->setProperty("role", "error");
    reason->setAutoFillBackground(true);
    reason->setParent(parent);
    reason->setContentsMargins(6, 3, 6, 3);
    reason->belong_to(this);
    reason->hide();
    hide();
  }
  std::function<bool()> apply;
  std::function<void()> leave;
  LinkLabel* reason;
  std::vector<QuickFix> fixes;
  bool closing = false;

  static QString links(const std::vector<QuickFix>& offered) {
    QString out;
    for (std::size_t i = 0; i < offered.size(); ++i)
      out += QStringLiteral(" &nbsp;<a href='%1' style='color:%2'>%3</a>")
                 .arg(i)
                 .arg(look().selection.name(), QString::fromStdString(offered[i].label).toHtmlEscaped());
    return out;
  }

  /// @param fixes  Offered behind the reason.
  void refuse(const QString& why, std::vector<QuickFix> offered = {}) {
    fixes = std::move(offered);
    setProperty("invalid", true);
    style()->unpolish(this);
    style()->polish(this);
    reason->setText(why.toHtmlEscaped() + links(fixes));
    reason->setFixedWidth(std::clamp(parentWidget()->width() - 8, 120, 380));
    reason->setFixedHeight(reason->heightForWidth(reason->width()));
    reason->move(std::clamp(x(), 4, std::max(4, parentWidget()->width() - reason->width() - 4)), y() + height() + 2);
    reason->show();
    reason->raise();
  }
  void clear_reason() {
    setProperty("invalid", false);
    style()->unpolish(this);
    style()->polish(this);
    reason->hide();
  }

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() == Qt::Key_Escape) return leave();
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
      if (apply()) leave();
      return;
    }
    QLineEdit::keyPressEvent(event);
    event->accept();  // What a line has no use for must not go on to the canvas and its tools.
  }
  void keyReleaseEvent(QKeyEvent* event) override {
    QLineEdit::keyReleaseEvent(event);
    event->accept();
  }
  void focusOutEvent(QFocusEvent* event) override {
    QLineEdit::focusOutEvent(event);
    if (!isVisible() || closing || event->reason() == Qt::PopupFocusReason) return;
    apply();
    leave();
  }
};

LabelEditor::LabelEditor(CanvasView& canvas) : canvas_(canvas), field_(new Field(canvas.viewport())) {
  field_->apply = [this] { return apply(); };
  field_->leave = [this] { close_silently(); };
  QObject::connect(field_->reason, &QLabel::linkActivated, field_, [this](const QString& link) {
    if (link.toUInt() >= field_->fixes.size()) return;
    const QuickFix fix = field_->fixes[link.toUInt()];  // made for the model with what is typed here
    if (!apply()) return;
    close_silently();
    canvas_.workspace().mend(fix);
  });
  QObject::connect(field_, &QLineEdit::textEdited, field_, [this](const QString& text) {
    const Element* element = canvas_.workspace().find(id_);
    const KindSpec* kind = element != nullptr ? canvas_.workspace().kind_of(*element) : nullptr;
    field_->clear_reason();
    const auto problem = label_problem(canvas_.workspace().document(), id_, text.toStdString());
    // A text that is half typed is no syntax error yet.
    if (problem && problem->code != "EXP001") field_->refuse(QString::fromStdString(with_column(*problem)));
    else if (!problem && kind != nullptr && kind->expression_label()) check_draft(text.toStdString());
    const int wanted = field_->fontMetrics().horizontalAdvance(text) + 30;
    if (wanted > field_->width()) field_->resize(wanted, field_->height());
  });
}

void LabelEditor::check_draft(const std::string& text) {
  Workspace& workspace = canvas_.workspace();
  std::string why;
  auto command = relabel(workspace.document(), id_, text, why);
  if (!command) return;
  workspace.check_draft(std::move(*command), field_, [this, id = id_](const Diagnostics& found) {
    if (!open() || id_ != id) return;
    // A text that is half typed is no syntax error yet.
    for (const Diagnostic& d : found)
      if (d.element == id && d.severity == Severity::error && d.code != "EXP001")
        return field_->refuse(QString::fromStdString(d.message), d.fixes);
    field_->clear_reason();
  });
}

LabelEditor::~LabelEditor() {
  field_->apply = [] { return false; };
  field_->leave = [] {};
}

bool LabelEditor::open() const { return field_->isVisible(); }

void LabelEditor::open(ElementId id, const QRect& place, bool centred, bool fresh) {
  const Element* element = canvas_.workspace().find(id);
  if (element == nullptr) return;
  id_ = id;
  made_at_.reset();
  if (fresh) made_at_ = canvas_.workspace().history().depth();
  field_->clear_reason();
  const KindSpec* kind = canvas_.workspace().kind_of(*element);
  field_->setText(QString::fromStdString(editable_label(canvas_.workspace().document(), *element)));
  field_->setPlaceholderText(kind != nullptr && !kind->label_hint.empty() ? QString::fromStdString(kind->label_hint)
                                                                          : QObject::tr("name"));
  field_->setAlignment(centred ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter);
  const int width = std::max({place.width(), field_->fontMetrics().horizontalAdvance(field_->text()) + 30, 120});
  const int height = 26;
  const int top = centred ? place.top() + 3 : place.center().y() - height / 2;
  field_->setGeometry(std::max(2, place.center().x() - width / 2), std::max(2, top), width, height);
  field_->show();
  field_->raise();
  field_->selectAll();
  field_->setFocus(Qt::OtherFocusReason);
}

void LabelEditor::close_silently() {
  if (field_->closing) return;
  field_->closing = true;
  // Hiding the widget with the focus would be a Tab for the canvas, which then selects something else.
  if (field_->hasFocus()) canvas_.setFocus(Qt::OtherFocusReason);
  field_->reason->hide();
  field_->hide();
  field_->closing = false;
}

bool LabelEditor::apply() {
  std::string why;
  auto command = relabel(canvas_.workspace().document(), id_, field_->text().toStdString(), why);
  if (!command) {
    if (!why.empty()) {
      field_->refuse(QString::fromStdString(why));
      canvas_.workspace().say(QString::fromStdString(why));
    }
    return false;
  }
  // Nothing came between the making and the naming: one step takes both back.
  Workspace& workspace = canvas_.workspace();
  const bool belongs = made_at_ == workspace.history().depth();
  made_at_.reset();
  if (belongs) workspace.join(std::move(*command));
  else workspace.push(std::move(*command));
  return true;
}

}  // namespace ergode
