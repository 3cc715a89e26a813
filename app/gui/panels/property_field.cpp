#include "app/gui/panels/property_field.h"

#include <QAbstractItemView>
#include <QAbstractTextDocumentLayout>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QStringListModel>
#include <QStyle>
#include <QtMath>
#include <algorithm>

#include "app/gui/look/choice_box.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/session/name_offers.h"
#include "core/base/unit.h"

namespace ergode {
namespace {

constexpr int least_notes = 64;     // height of a field of some lines
constexpr double most_lines = 7.0;  // more are scrolled

constexpr int label_width = 104;
/// Longer words of a choice would be cut beside their label in a narrow window.
constexpr int widest_beside = 78;

bool written_in_mono(PropertyType type) {
  return type != PropertyType::text && type != PropertyType::notes && type != PropertyType::choice &&
         type != PropertyType::boolean && type != PropertyType::reference;
}

/// The choice that a text means: its label or word in any case, or the beginning of one label alone; else the text.
QString meant_choice(const std::vector<Choice>& choices, const QString& text) {
  QStringList begin;
  for (const Choice& choice : choices) {
    const QString name = QString::fromStdString(choice.name), label = QString::fromStdString(choice.label);
    if (text.compare(label, Qt::CaseInsensitive) == 0 || text.compare(name, Qt::CaseInsensitive) == 0) return name;
    if (label.startsWith(text, Qt::CaseInsensitive)) begin << name;
  }
  return begin.size() == 1 && !text.isEmpty() ? begin.front() : text;
}

bool is_time(const std::string& symbol) {
  const auto unit = symbol.empty() ? std::nullopt : parse_unit(symbol);
  return unit && unit->dimension == Dimension::of_time();
}

void repolish(QWidget* widget) {
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
}

}  // namespace

PropertyField::PropertyField(const KindSpec& kind, const PropertySpec& spec, QStringList names, QWidget* parent)
    : QWidget(parent),
      spec_(spec),
      label_(new QLabel(QString::fromStdString(spec.label))),
      reset_(new QToolButton),
      problems_(new LinkLabel),
      worth_(new QLabel) {
  const QString stem =
      QStringLiteral("%1.%2").arg(QString::fromStdString(kind.kind), QString::fromStdString(spec.name));
  setObjectName(QStringLiteral("property.") + stem);
  editor_ = make_editor(names);
  editor_->setObjectName(QStringLiteral("field.") + stem);
  editor_->setAccessibleName(QString::fromStdString(kind.label + " " + spec.label));
  editor_->setToolTip(tip(kind));
  editor_->installEventFilter(this);
  label_->setToolTip(tip(kind));
  label_->setFixedWidth(label_width);
  label_->setWordWrap(true);
  label_->setProperty("role", "muted");
  label_->setBuddy(editor_);
  reset_->setIcon(icon(QStringLiteral("reset")));
  reset_->setIconSize(QSize(12, 12));
  reset_->setFixedSize(20, 22);
  reset_->setFocusPolicy(Qt::NoFocus);
  reset_->setObjectName(QStringLiteral("reset.") + stem);
  reset_->setAccessibleName(tr("Reset %1").arg(QString::fromStdString(spec.label)));
  reset_->setToolTip(
      spec.default_text.empty()
          ? tr("Clear")
          : tr("Back to the default: %1").arg(QString::fromStdString(choice_label(spec.choices, spec.default_text))));
  QSizePolicy keeps = reset_->sizePolicy();
  keeps.setRetainSizeWhenHidden(true);
  reset_->setSizePolicy(keeps);
  connect(reset_, &QToolButton::clicked, this,
          [this] { Q_EMIT committed(QString::fromStdString(spec_.name), QString()); });
  problems_->setObjectName(QStringLiteral("problem.") + stem);
  problems_->belong_to(editor_);
  connect(problems_, &QLabel::linkActivated, this, [this](const QString& link) {
    const std::size_t number = link.toUInt();
    if (number < fixes_.size()) Q_EMIT fix_wanted(QuickFix(fixes_[number]));
  });
  problems_->hide();
  worth_->setProperty("role", "muted");
  worth_->setObjectName(QStringLiteral("worth.") + stem);
  worth_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  if (spec.type == PropertyType::trigger) worth_->setWordWrap(true);
  worth_->hide();

  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(4);
  grid->setVerticalSpacing(2);
  const QFontMetrics metrics = editor_->fontMetrics();
  const bool long_words = std::any_of(spec.choices.begin(), spec.choices.end(), [&](const Choice& choice) {
    return metrics.horizontalAdvance(QString::fromStdString(choice.label)) > widest_beside;
  });
  if (spec.type == PropertyType::notes || long_words) {
    // Nothing stands beside it: no word has to be broken or cut.
    label_->setMinimumWidth(0), label_->setMaximumWidth(QWIDGETSIZE_MAX);
    grid->addWidget(label_, 0, 0, 1, 2);
    grid->addWidget(reset_, 0, 2);
    grid->addWidget(editor_, 1, 0, 1, 3);
    grid->addWidget(problems_, 2, 0, 1, 3);
  } else {
    grid->addWidget(label_, 0, 0, Qt::AlignTop);
    label_->setMinimumHeight(24);
    label_->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    grid->addWidget(editor_, 0, 1);
    grid->addWidget(reset_, 0, 2, Qt::AlignTop);
    // A long mean of a trigger goes below its editor; a value stands beside it.
    if (spec.type == PropertyType::trigger) grid->addWidget(worth_, 1, 1, 1, 2);
    else grid->addWidget(worth_, 0, 3);
    grid->addWidget(problems_, 2, 1, 1, 2);
  }
  grid->setColumnStretch(1, 1);
}

QString PropertyField::tip(const KindSpec& kind) const {
  QString text = QStringLiteral("<b>%1</b>").arg(QString::fromStdString(spec_.label).toHtmlEscaped());
  if (!spec_.help.empty()) text += QStringLiteral("<br>") + QString::fromStdString(spec_.help).toHtmlEscaped();
  if (!spec_.default_text.empty())
    text += tr("<br>Default: %1")
                .arg(QString::fromStdString(choice_label(spec_.choices, spec_.default_text)).toHtmlEscaped());
  if (!spec_.dimension.empty() && spec_.dimension != "*")
    text += tr("<br>Unit: like %1").arg(QString::fromStdString(spec_.dimension).toHtmlEscaped());
  return text + QStringLiteral("<br><span style='color:%1'>%2.%3</span>")
                    .arg(look().muted.name(), QString::fromStdString(kind.kind), QString::fromStdString(spec_.name));
}

QWidget* PropertyField::make_editor(const QStringList& names) {
  const auto commit = [this] {
    if (!filling_) apply();
  };
  if (spec_.type == PropertyType::notes) {
    auto* edit = new QPlainTextEdit;
    edit->setTabChangesFocus(true);
    edit->setFixedHeight(least_notes);
    // As high as what stands there, in whole lines.
    connect(edit->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, edit,
            [edit](const QSizeF& lines) {
              const int around =
                  edit->height() - edit->viewport()->height() + qCeil(2 * edit->document()->documentMargin());
              const double shown = std::clamp(lines.height(), 3.0, most_lines);
              edit->setFixedHeight(std::max(least_notes, qCeil(shown * edit->fontMetrics().lineSpacing()) + around));
            });
    return edit;
  }
  if (spec_.type == PropertyType::boolean) {
    auto* box = new QCheckBox;
    connect(box, &QCheckBox::clicked, this, commit);
    return box;
  }
  const bool of_measure = spec_.type == PropertyType::text && spec_.reference == "measure";
  const bool names_reference = spec_.type == PropertyType::reference || of_measure;
  if (spec_.type == PropertyType::choice || names_reference) {
    auto* box = new ChoiceBox;
    box->setEditable(true);  // A choice may also be the name of a choice parameter.
    box->setInsertPolicy(QComboBox::NoInsert);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(6);
    int widest = 0;  // The list may be wider than the field.
    for (const Choice& choice : spec_.choices)
      widest = std::max(widest, box->fontMetrics().horizontalAdvance(QString::fromStdString(choice.label)));
    box->view()->setMinimumWidth(widest + 36);
    for (const Choice& choice : spec_.choices) box->addItem(QString::fromStdString(choice.label));
    if (names_reference) box->addItems(names);
    box->lineEdit()->installEventFilter(this);
    box->view()->installEventFilter(this);
    connect(box, &QComboBox::activated, this, commit);
    return box;
  }
  auto* edit = new QLineEdit;
  const bool of_each = spec_.type == PropertyType::arguments && !spec_.each_as.empty();
  if (of_each || (spec_.type == PropertyType::expression && is_time(spec_.dimension))) {
    QAction* law = edit->addAction(icon(QStringLiteral("law")), QLineEdit::TrailingPosition);
    law->setObjectName(QStringLiteral("action.law"));
    law->setToolTip(of_each ? tr("Choose a distribution for one of them") : tr("Choose a distribution"));
    connect(law, &QAction::triggered, this, &PropertyField::law_wanted);
  }
  connect(edit, &QLineEdit::textEdited, this, &PropertyField::typed);
  connect(edit, &QLineEdit::editingFinished, edit, [edit] {
    if (!edit->hasFocus()) edit->setCursorPosition(0);  // as of texts that were not typed
  });
  if (written_in_mono(spec_.type)) {
    QFont mono(mono_family());
    mono.setPixelSize(12);
    edit->setFont(mono);
  }
  edit->setPlaceholderText(usual_hint());
  return edit;
}

void PropertyField::offer(const QStringList& names) {
  if (names == offered_) return;
  offered_ = names;
  if (auto* combo = qobject_cast<QComboBox*>(editor_)) {
    filling_ = true;
    const QString typed = combo->currentText();
    combo->clear();
    combo->addItems(names);
    combo->setCurrentIndex(combo->findText(typed, Qt::MatchExactly));
    combo->setEditText(typed);
    filling_ = false;
    return;
  }
  auto* line = qobject_cast<QLineEdit*>(editor_);
  if (line == nullptr) return;
  if (completer_ == nullptr) {
    completer_ = new QCompleter(this);
    completer_->setWidget(line);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    completer_->popup()->setObjectName(QStringLiteral("list.completion"));
    connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &PropertyField::take_completion);
    connect(line, &QLineEdit::textEdited, this, [this] { complete(false); });
    // Enter in the open list, which keys go to: of a name that was chosen there it is for the name, else for the field.
    connect(line, &QLineEdit::returnPressed, this, [this] {
      if (!completer_->popup()->currentIndex().isValid()) apply();
    });
  }
  completer_->setModel(new QStringListModel(names, completer_));
}

void PropertyField::complete(bool asked) {
  auto* line = static_cast<QLineEdit*>(editor_);
  const WordAt at =
      word_at(line->text().toStdString(), line->text().left(line->cursorPosition()).toUtf8().toStdString().size());
  completer_->setCompletionPrefix(QString::fromStdString(at.word));
  const bool done = completer_->completionCount() == 1 && completer_->currentCompletion().toStdString() == at.word;
  if ((at.word.empty() && !asked) || completer_->completionCount() == 0 || done) return completer_->popup()->hide();
  QRect place = line->rect();
  place.setWidth(std::max(place.width(), 220));
  completer_->complete(place);
}

void PropertyField::take_completion(const QString& name) {
  auto* line = static_cast<QLineEdit*>(editor_);
  const QByteArray before = line->text().left(line->cursorPosition()).toUtf8();
  const WordAt at = word_at(before.toStdString(), static_cast<std::size_t>(before.size()));
  const int begin = static_cast<int>(QString::fromUtf8(before.left(static_cast<qsizetype>(at.begin))).size());
  line->setSelection(begin, line->cursorPosition() - begin);
  line->insert(name);
  Q_EMIT typed(line->text());
}

QString PropertyField::text() const {
  if (const auto* notes = qobject_cast<const QPlainTextEdit*>(editor_)) return notes->toPlainText();
  if (const auto* box = qobject_cast<const QCheckBox*>(editor_))
    return box->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
  if (const auto* combo = qobject_cast<const QComboBox*>(editor_))
    return QString::fromStdString(choice_name(spec_.choices, combo->currentText().trimmed().toStdString()));
  return static_cast<const QLineEdit*>(editor_)->text();
}

void PropertyField::set_text(const QString& text) {
  filling_ = true;
  if (auto* notes = qobject_cast<QPlainTextEdit*>(editor_)) notes->setPlainText(text);
  else if (auto* box = qobject_cast<QCheckBox*>(editor_)) box->setChecked(text == QLatin1String("true"));
  else if (auto* combo = qobject_cast<QComboBox*>(editor_)) {
    const QString words = QString::fromStdString(choice_label(spec_.choices, text.toStdString()));
    combo->setCurrentIndex(combo->findText(words, Qt::MatchExactly));
    combo->setEditText(words);
    combo->lineEdit()->setCursorPosition(0);
  } else {
    auto* line = static_cast<QLineEdit*>(editor_);
    line->setText(text);
    line->setCursorPosition(0);  // The beginning of a long text says more than its end.
  }
  filling_ = false;
}

void PropertyField::show_values(const QStringList& texts) {
  QStringList different = texts;
  different.removeDuplicates();
  mixed_ = different.size() > 1;
  const QString value = mixed_ || different.isEmpty() ? QString() : different.front();
  const QString fallback = QString::fromStdString(spec_.default_text);
  const bool changed = mixed_ || (!value.isEmpty() && value != fallback);
  const bool shows_default = spec_.type == PropertyType::choice || spec_.type == PropertyType::boolean;
  const QString wanted = value.isEmpty() && shows_default && !mixed_ ? fallback : value;
  const bool focused = editor_->hasFocus() || editor_->isAncestorOf(focusWidget());
  // Where the user is at work, the same text again would take his cursor and selection away.
  if (!focused || (text() == shown_ && text() != wanted)) set_text(wanted);
  shown_ = wanted;
  if (auto* line = qobject_cast<QLineEdit*>(editor_)) {
    if (mixed_) line->setPlaceholderText(tr("(mixed)"));
  } else if (auto* combo = qobject_cast<QComboBox*>(editor_)) {
    combo->lineEdit()->setPlaceholderText(mixed_ ? tr("(mixed)") : QString());
  }
  QFont font = label_->font();
  font.setBold(changed);
  label_->setFont(font);
  reset_->setVisible(changed && !(spec_.required && spec_.default_text.empty()));
}

QString PropertyField::usual_hint() const {
  if (!spec_.default_text.empty()) return QString::fromStdString(spec_.default_text);
  return spec_.required ? tr("required") : QString::fromStdString(spec_.empty_hint);
}

void PropertyField::show_replaced(const QString& by) {
  auto* line = qobject_cast<QLineEdit*>(editor_);
  if (line == nullptr || mixed_) return;
  line->setPlaceholderText(by.isEmpty() ? usual_hint() : tr("not used: %1 is given").arg(by));
  // A text that is written stays what it is, and is struck out.
  QFont font = line->font();
  font.setStrikeOut(!by.isEmpty() && !line->text().isEmpty());
  line->setFont(font);
}

void PropertyField::show_problems(const Diagnostics& problems) {
  own_ = problems;
  tell(problems);
}

void PropertyField::tell(const Diagnostics& problems) {
  tells_refusal_ = false;
  QStringList lines;
  fixes_.clear();
  Severity worst = Severity::info;
  for (const Diagnostic& problem : problems) {
    QString line = QString::fromStdString(problem.message);
    if (problem.column > 0) line = tr("Column %1: %2").arg(problem.column).arg(line);
    if (!problem.hint.empty()) line += QStringLiteral(" ") + QString::fromStdString(problem.hint);
    line = line.toHtmlEscaped();
    for (const QuickFix& fix : problem.fixes) {
      line += QStringLiteral(" <a href='%1' style='color:%2'>%3</a>")
                  .arg(fixes_.size())
                  .arg(look().selection.name(), QString::fromStdString(fix.label).toHtmlEscaped());
      fixes_.push_back(fix);
    }
    lines << line;
    worst = std::max(worst, problem.severity);
  }
  problems_->setText(lines.join(QStringLiteral("<br>")));
  problems_->setVisible(!lines.isEmpty());
  problems_->setProperty("role", worst == Severity::error ? "error" : worst == Severity::warning ? "warning" : "hint");
  repolish(problems_);
  editor_->setProperty("invalid", !lines.isEmpty() && worst == Severity::error);
  repolish(editor_);
}

void PropertyField::refuse(const QString& why) {
  tell({Diagnostic{.pointer = spec_.name, .message = why.toStdString()}});
  tells_refusal_ = true;
  auto* combo = qobject_cast<QComboBox*>(editor_);
  if (spec_.type != PropertyType::choice || combo == nullptr) return;
  set_text(shown_);
  combo->lineEdit()->selectAll();  // what is typed next replaces it
}

void PropertyField::show_worth(const QString& text) {
  worth_->setText(text);
  worth_->setVisible(!text.isEmpty());
  place_worth();
}

void PropertyField::place_worth() {
  auto* line = qobject_cast<QLineEdit*>(editor_);
  auto* grid = qobject_cast<QGridLayout*>(layout());
  if (line == nullptr || grid == nullptr || spec_.type == PropertyType::trigger || worth_->isHidden()) return;
  constexpr int frame = 22;  // padding and cursor
  const int room = width() - label_width - reset_->width() - 3 * grid->horizontalSpacing();
  const bool below = line->fontMetrics().horizontalAdvance(line->text()) + frame + worth_->sizeHint().width() > room;
  if (below == worth_below_) return;
  worth_below_ = below;
  grid->removeWidget(worth_);
  if (below) grid->addWidget(worth_, 1, 1, 1, 2);
  else grid->addWidget(worth_, 0, 3);
}

void PropertyField::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place_worth();
}

void PropertyField::apply() {
  QString wanted = text().trimmed();
  if (tells_refusal_) tell(own_);  // of an earlier text
  if (wanted == shown_ || (mixed_ && wanted.isEmpty())) return;
  if (spec_.type == PropertyType::choice) {
    wanted = meant_choice(spec_.choices, wanted);
    set_text(wanted);
    if (wanted == shown_) return;
  }
  Q_EMIT committed(QString::fromStdString(spec_.name), wanted);
}

void PropertyField::restore() {
  set_text(shown_);
  Q_EMIT typed(shown_);
}

/// A text that is replaced and not gone on with: who reads a word of a list and types another means that one.
bool PropertyField::choose_on_click(QObject* watched, QEvent* event) {
  auto* combo = qobject_cast<QComboBox*>(editor_);
  if (combo == nullptr || watched == combo) return false;
  // The list is closed, or the line is entered.
  if (event->type() == (watched == combo->lineEdit() ? QEvent::FocusIn : QEvent::Hide)) {
    // The line itself takes the focus after this, and the place of a click after that.
    QMetaObject::invokeMethod(combo->lineEdit(), &QLineEdit::selectAll, Qt::QueuedConnection);
    return false;
  }
  if (watched != combo->lineEdit()) return false;
  if (event->type() != QEvent::MouseButtonPress && event->type() != QEvent::MouseButtonRelease) return false;
  const bool of_list = combo->findText(combo->currentText()) >= 0;
  if (static_cast<QMouseEvent*>(event)->button() != Qt::LeftButton || !of_list) return false;
  combo->lineEdit()->setFocus(Qt::MouseFocusReason);
  combo->lineEdit()->selectAll();
  if (event->type() == QEvent::MouseButtonRelease) combo->showPopup();
  return true;
}

bool PropertyField::eventFilter(QObject* watched, QEvent* event) {
  if (choose_on_click(watched, event)) return true;
  // Keys in an open list are the list's.
  if (const auto* combo = qobject_cast<QComboBox*>(editor_); combo != nullptr && watched == combo->view()) return false;
  if (event->type() == QEvent::FocusOut) {
    // What is chosen from the list of names is not the end of typing.
    const bool to_names = completer_ != nullptr && completer_->popup()->isVisible() &&
                          static_cast<QFocusEvent*>(event)->reason() == Qt::PopupFocusReason;
    if (!to_names) apply();
  } else if (event->type() == QEvent::ShortcutOverride && text() == shown_ && !tells_refusal_) {
    // Where nothing was typed there is nothing to take back but the last step of the model.
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      event->ignore();
      return true;
    }
  } else if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (completer_ != nullptr && key->key() == Qt::Key_Space && key->modifiers() == Qt::ControlModifier) {
      complete(true);
      return true;
    }
    if (key->key() == Qt::Key_Escape) {
      const bool nothing_typed = spec_.type == PropertyType::boolean || (text() == shown_ && !tells_refusal_);
      restore();
      if (nothing_typed) Q_EMIT left();
      return true;
    }
    if (enter && (spec_.type != PropertyType::notes || key->modifiers().testFlag(Qt::ControlModifier))) {
      apply();  // The focus stays: Tab goes on to the next field.
      return true;
    }
  } else if (event->type() == QEvent::Wheel && watched == editor_) {
    event->ignore();  // Scrolling the panel goes on over a field, whatever stands in it.
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace ergode
