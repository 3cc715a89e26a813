#include "app/gui/panels/run_caption.h"

#include <QCursor>
#include <QTextDocument>
#include <QToolTip>

namespace ergode {
namespace {

constexpr int most_caption_lines = 2, caption_side = 8, caption_above = 3;

QString joined(const QStringList& sentences) { return sentences.join(QStringLiteral(" &nbsp;&nbsp; ")); }

}  // namespace

RunCaption::RunCaption(QWidget* parent) : QLabel(parent) {
  setProperty("role", "hint");
  setContentsMargins(caption_side, caption_above, caption_side, caption_above);
  setTextFormat(Qt::RichText);
  setWordWrap(true);  // Else its length would be the least width of the panel.
  setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  connect(this, &QLabel::linkActivated, this, [this] { QToolTip::showText(QCursor::pos(), toolTip(), this); });
}

void RunCaption::show_sentences(const QStringList& sentences, const QStringList& details) {
  sentences_ = sentences;
  QStringList tip;
  if (sentences.size() > 1) tip << sentences.join(QStringLiteral("<br>"));
  for (const QString& line : details) tip << line.toHtmlEscaped();
  setToolTip(tip.join(QStringLiteral("<br>")));
  fit();
}

void RunCaption::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

void RunCaption::fit() {
  const auto lines = [&](const QString& html) {
    QTextDocument laid;
    laid.setDocumentMargin(0);
    laid.setDefaultFont(font());
    laid.setHtml(html);
    laid.setTextWidth(width() - 2 * caption_side - 2);
    return qRound(laid.size().height() / fontMetrics().lineSpacing());
  };
  qsizetype shown = sentences_.size();
  QString text = joined(sentences_);
  const QString link = QStringLiteral(" <a href='all'>%1</a>").arg(tr("more"));
  while (shown > 1 && lines(text) > most_caption_lines) text = joined(sentences_.mid(0, --shown)) + link;
  // As much of the next one as there is room for, if it is plain words.
  const QString next = sentences_.value(shown);
  const QStringList words = next.contains(QLatin1Char('<')) ? QStringList() : next.split(QLatin1Char(' '));
  for (qsizetype n = words.size() - 1; n > 2; --n) {
    const QString cut = words.mid(0, n).join(QLatin1Char(' ')) + QStringLiteral("\u2026");
    const QString with = joined(sentences_.mid(0, shown) << cut) + link;
    if (lines(with) > most_caption_lines) continue;
    text = with;
    break;
  }
  if (text != this->text()) setText(text);
}

}  // namespace ergode
