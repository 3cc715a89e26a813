#include "app/gui/start_page.h"

#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>

#include "app/gui/look/elided_label.h"
#include "app/session/catalogue.h"
#include "app/session/gallery.h"

namespace ergode {
namespace {

/// A button of a title and a line or two below it; a low one has one line, cut off where it is longer.
class Card : public QPushButton {
 public:
  Card(const QString& name, const QString& title, const QString& text, bool low = false) {
    setObjectName(name);
    setAccessibleName(title);
    setAccessibleDescription(text);
    setProperty("role", "card");
    setCursor(Qt::PointingHandCursor);
    auto* rows = new QVBoxLayout(this);
    if (low) rows->setContentsMargins(12, 4, 12, 5);
    else rows->setContentsMargins(12, 8, 12, 9);
    rows->setSpacing(low ? 0 : 2);
    for (const bool head : {true, false}) {
      const QString& words = head ? title : text;
      if (words.isEmpty()) continue;
      QLabel* label = low && !head ? new ElidedLabel : new QLabel;
      label->setText(words);
      if (low && !head) {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        setToolTip(words);
      } else {
        label->setWordWrap(true);
      }
      label->setProperty("role", head ? "card-title" : "hint");
      label->setAttribute(Qt::WA_TransparentForMouseEvents);
      rows->addWidget(label);
    }
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
  }
  // A button's own hint knows nothing of what was put into it.
  QSize sizeHint() const override { return layout()->sizeHint(); }
  QSize minimumSizeHint() const override { return layout()->minimumSize(); }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return layout()->heightForWidth(width); }
};

QLabel* heading(const QString& text) {
  auto* label = new QLabel(text.toUpper());
  label->setProperty("role", "heading");
  return label;
}

QVBoxLayout* column() {
  auto* rows = new QVBoxLayout;
  rows->setSpacing(6);
  return rows;
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QScrollArea(parent), recent_(column()) {
  setObjectName(QStringLiteral("view.start"));
  setAccessibleName(tr("Start page"));
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* page = new QWidget;
  page->setObjectName(QStringLiteral("page_start"));
  auto* title = new QLabel(tr("What would you like to model?"));
  title->setProperty("role", "start");

  auto* templates = column();
  templates->addWidget(heading(tr("Begin with a template")));
  for (const GalleryModel& model : model_templates()) {
    auto* card = new Card(QStringLiteral("template.") + QString::fromStdString(model.name),
                          QString::fromStdString(model.title), QString::fromStdString(model.question));
    connect(card, &QPushButton::clicked, this, [this, &model] { Q_EMIT model_wanted(model); });
    templates->addWidget(card);
  }
  templates->addStretch(1);

  auto* examples = column();
  examples->setSpacing(4);  // All of them are seen in a small window.
  examples->addWidget(heading(tr("Open a copy of an example")));
  for (const GalleryModel& model : example_models()) {
    auto* card = new Card(QStringLiteral("example.") + QString::fromStdString(model.name),
                          QString::fromStdString(model.title), QString::fromStdString(model.question), true);
    connect(card, &QPushButton::clicked, this, [this, &model] { Q_EMIT model_wanted(model); });
    examples->addWidget(card);
  }
  examples->addStretch(1);

  auto* last = column();
  const auto add_empty = [&](const QString& kind, const QString& called, const QString& text) {
    auto* card = new Card(QStringLiteral("action.start.empty") + (kind.isEmpty() ? kind : QLatin1Char('.') + kind),
                          called, text);
    connect(card, &QPushButton::clicked, this, [this, kind] { Q_EMIT empty_wanted(kind); });
    last->addWidget(card);
  };
  last->addWidget(heading(tr("Or begin with an empty page")));
  add_empty({}, tr("Empty model"), tr("One chart, one system diagram."));
  for (const NotationSpec& notation : catalogue().notations())
    for (const DiagramKind& kind : notation.diagrams)
      if (!kind.start_title.empty())
        add_empty(QString::fromStdString(kind.name), QString::fromStdString(kind.start_title),
                  QString::fromStdString(kind.start_text));
  last->addSpacing(14);
  last->addWidget(heading(tr("Recent files")));
  last->addLayout(recent_);
  auto* open = new Card(QStringLiteral("action.start.open"), tr("Open a file ..."), {});
  connect(open, &QPushButton::clicked, this, &StartPage::open_wanted);
  last->addWidget(open);
  last->addSpacing(14);
  last->addWidget(heading(tr("Help")));
  auto* help = new Card(QStringLiteral("action.start.help"), tr("First steps"),
                        tr("Draw, ask, run: a page to read. F1 explains what is selected, at any time."));
  connect(help, &QPushButton::clicked, this, &StartPage::help_wanted);
  last->addWidget(help);
  last->addStretch(1);

  auto* columns = new QHBoxLayout;
  columns->setSpacing(24);
  columns->addLayout(templates, 5);
  columns->addLayout(examples, 5);
  columns->addLayout(last, 4);
  auto* rows = new QVBoxLayout(page);
  rows->setContentsMargins(28, 20, 28, 20);
  rows->setSpacing(14);
  rows->addWidget(title);
  rows->addLayout(columns, 1);
  setWidget(page);
}

void StartPage::show_recent(const QStringList& paths) {
  while (QLayoutItem* old = recent_->takeAt(0)) {
    if (QWidget* widget = old->widget()) widget->deleteLater();
    delete old;
  }
  int shown = 0;
  for (const QString& path : paths) {
    const QFileInfo file(path);
    if (!file.exists() || shown == 6) continue;
    QString folder = QDir::toNativeSeparators(file.absolutePath());
    if (folder.startsWith(QDir::homePath())) folder.replace(0, QDir::homePath().size(), QStringLiteral("~"));
    auto* card = new Card(QStringLiteral("recent.%1").arg(shown++), file.completeBaseName(), folder);
    card->setToolTip(path);
    connect(card, &QPushButton::clicked, this, [this, path] { Q_EMIT file_wanted(path); });
    recent_->addWidget(card);
  }
  if (shown > 0) return;
  auto* none = new QLabel(tr("None yet."));
  none->setProperty("role", "hint");
  recent_->addWidget(none);
}

}  // namespace ergode
