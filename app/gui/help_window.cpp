#include "app/gui/help_window.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTextBlock>
#include <QTextTable>
#include <QVBoxLayout>

#include "app/gui/look/look.h"
#include "app/session/manual.h"

namespace ergode {

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), contents_(new QTreeWidget), text_(new QTextBrowser) {
  setObjectName(QStringLiteral("dialog.help"));
  setWindowTitle(tr("Help"));
  resize_on_screen(*this, {1000, 680});
  contents_->setObjectName(QStringLiteral("list.help"));
  contents_->setAccessibleName(tr("Contents"));
  contents_->header()->hide();
  contents_->setFrameShape(QFrame::NoFrame);
  text_->setObjectName(QStringLiteral("view.help"));
  text_->setAccessibleName(tr("Help page"));
  text_->setOpenLinks(false);
  text_->setFrameShape(QFrame::NoFrame);
  text_->document()->setDocumentMargin(18);
  auto* back = new QPushButton(tr("Back"));
  back->setObjectName(QStringLiteral("action.help.back"));
  back->setAutoDefault(false);
  auto* wanted = new QLineEdit;
  wanted->setObjectName(QStringLiteral("field.help.find"));
  wanted->setAccessibleName(tr("Find in the help"));
  wanted->setPlaceholderText(tr("Find in all pages"));
  wanted->setClearButtonEnabled(true);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(8, 6, 8, 6);
  top->addWidget(back);
  top->addWidget(wanted, 1);
  auto* none = new QLabel;
  none->setObjectName(QStringLiteral("label.help.none"));
  none->setProperty("role", "warning");
  none->setContentsMargins(10, 0, 8, 6);
  none->hide();
  auto* split = new QSplitter;
  split->setHandleWidth(1);
  split->addWidget(contents_);
  split->addWidget(text_);
  split->setSizes({250, 750});
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addLayout(top);
  rows->addWidget(none);
  rows->addWidget(split, 1);
  connect(back, &QPushButton::clicked, this, [this] {
    if (!past_.isEmpty()) turn_to(past_.takeLast(), {});
  });
  connect(text_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) { show_page(link.toString()); });
  connect(contents_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* row) {
    const QString name = row != nullptr ? row->data(0, Qt::UserRole).toString() : QString();
    if (!name.isEmpty() && name != page_) show_page(name);
  });
  connect(wanted, &QLineEdit::textChanged, this, [this, none](const QString& word) {
    for (int chapter = 0; chapter < contents_->topLevelItemCount(); ++chapter)
      for (int i = 0; i < contents_->topLevelItem(chapter)->childCount(); ++i) {
        QTreeWidgetItem* row = contents_->topLevelItem(chapter)->child(i);
        const HelpPage* page = find_help(row->data(0, Qt::UserRole).toString().toStdString());
        row->setHidden(page != nullptr && !QString::fromStdString(page->text).contains(word, Qt::CaseInsensitive));
      }
    bool any = false;
    for (int chapter = 0; chapter < contents_->topLevelItemCount(); ++chapter)
      for (int i = 0; i < contents_->topLevelItem(chapter)->childCount(); ++i)
        any = any || !contents_->topLevelItem(chapter)->child(i)->isHidden();
    none->setText(any ? QString() : tr("No page contains \"%1\"").arg(word));
    none->setVisible(!any);
    if (!word.isEmpty()) text_->moveCursor(QTextCursor::Start), text_->find(word);
  });
  fill();
}

void HelpWindow::fill() {
  QHash<QString, QTreeWidgetItem*> chapters;
  for (const HelpPage& page : help_pages()) {
    const QString chapter = QString::fromStdString(page.chapter);
    QTreeWidgetItem*& above = chapters[chapter];
    if (above == nullptr) {
      above = new QTreeWidgetItem(contents_, {chapter});
      above->setFlags(Qt::ItemIsEnabled);
      above->setExpanded(true);
    }
    auto* row = new QTreeWidgetItem(above, {QString::fromStdString(page.title)});
    row->setData(0, Qt::UserRole, QString::fromStdString(page.name));
  }
}

void HelpWindow::show_page(const QString& name, const QString& word) {
  if (!page_.isEmpty() && name != page_) past_ << page_;
  turn_to(name, word);
}

void HelpWindow::turn_to(const QString& name, const QString& word) {
  const HelpPage* page = find_help(name.toStdString());
  if (page == nullptr) page = &help_pages().front();
  page_ = QString::fromStdString(page->name);
  text_->document()->setDefaultStyleSheet(QStringLiteral("a { color: %1; }").arg(look().selection.name()));
  text_->setMarkdown(QString::fromStdString(page->text));
  // Markdown knows no room in tables.
  for (QTextFrame* frame : text_->document()->rootFrame()->childFrames())
    if (auto* table = qobject_cast<QTextTable*>(frame)) {
      QTextTableFormat format = table->format();
      format.setCellPadding(5);
      format.setCellSpacing(0);
      format.setBorder(0.5);
      format.setBorderCollapse(true);
      format.setBorderBrush(look().line);
      format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
      table->setFormat(format);
    }
  text_->moveCursor(QTextCursor::Start);
  if (!word.isEmpty()) text_->find(word);
  for (int chapter = 0; chapter < contents_->topLevelItemCount(); ++chapter)
    for (int i = 0; i < contents_->topLevelItem(chapter)->childCount(); ++i)
      if (contents_->topLevelItem(chapter)->child(i)->data(0, Qt::UserRole).toString() == page_)
        contents_->setCurrentItem(contents_->topLevelItem(chapter)->child(i));
  show();
  raise();
}

}  // namespace ergode
