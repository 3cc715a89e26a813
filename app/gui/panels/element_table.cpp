#include "app/gui/panels/element_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/edit/gestures.h"
#include "app/gui/look/choice_box.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/session/catalogue.h"
#include "app/session/label.h"
#include "core/catalogue/measure_kinds.h"

namespace ergode {
namespace {

struct Words {
  const char *kind, *heading, *second, *second_label, *stem;
};

Words words_of(Section section) {
  switch (section) {
    case Section::measure:
      return {"measure", "MEASURES", "expression", "Expression", "measure"};
    case Section::scenario:
      return {"scenario", "SCENARIOS", "values", "Values", "Scenario"};
    case Section::diagram:
      return {"diagram", "DIAGRAMS", "notation", "Notation", "Chart"};
    default:
      return {"parameter", "PARAMETERS", "value", "Value", "parameter"};
  }
}

/// What a measure asks, and the property that says it: of a stream its name, of a ratio both measures (empty: not one).
std::pair<std::string, std::string> asked_by(const Element& measure, const std::string& expression) {
  const MeasureKind* kind = find_measure_kind(measure.text("type"));
  const std::string of = measure.text("of"), per = measure.text("per");
  if (kind != nullptr && kind->source == MeasureKind::Source::measures)
    return {of + (of.empty() && per.empty() ? "" : " / ") + per, ""};
  if (kind != nullptr && kind->takes_stream() && (!of.empty() || !kind->takes_expression())) return {of, "of"};
  if (kind != nullptr && measure.text(expression).empty() && !measure.text("event").empty())
    return {measure.text("event"), "event"};
  return {measure.text(expression), expression};
}

/// The types of a measure as a list in the cell, which opens at once; what is chosen is written.
class TypeDelegate : public QStyledItemDelegate {
 public:
  TypeDelegate(const std::vector<Choice>& types, QObject* parent) : QStyledItemDelegate(parent), types_(types) {}

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const override {
    auto* box = new ChoiceBox(parent);
    box->setObjectName(QStringLiteral("field.measure.type"));
    for (const Choice& type : types_)
      box->addItem(QString::fromStdString(type.label), QString::fromStdString(type.name));
    auto* self = const_cast<TypeDelegate*>(this);
    connect(box, &QComboBox::activated, self, [self, box] {
      Q_EMIT self->commitData(box);
      Q_EMIT self->closeEditor(box);
    });
    QMetaObject::invokeMethod(box, &QComboBox::showPopup, Qt::QueuedConnection);  // it has no place yet
    return box;
  }
  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    auto* box = static_cast<QComboBox*>(editor);
    box->setCurrentIndex(std::max(0, box->findText(index.data().toString())));
  }
  void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
    const auto* box = static_cast<const QComboBox*>(editor);
    if (box->currentText() != index.data().toString()) model->setData(index, box->currentText());
  }
  /// With a mark that there is a list.
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    painter->setPen(look().muted);
    painter->drawText(option.rect.adjusted(0, 0, -3, 0), Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("▾"));
  }

  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    constexpr int mark = 22;  // and the margins of the cell
    option->text = option->fontMetrics.elidedText(option->text, Qt::ElideRight, option->rect.width() - mark);
  }

 private:
  const std::vector<Choice> types_;
};

QToolButton* small_button(const QString& name, const QString& icon_name, const QString& tip) {
  auto* button = new QToolButton;
  button->setObjectName(name);
  button->setIcon(icon(icon_name));
  button->setIconSize(QSize(12, 12));
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  return button;
}

}  // namespace

ElementTable::ElementTable(Workspace& workspace, Section section, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      section_(section),
      value_column_(section == Section::measure ? 2 : 1),
      table_(new QTableWidget(0, value_column_ + 1)) {
  const Words words = words_of(section);
  kind_ = words.kind;
  second_ = words.second;
  const QString kind = QString::fromLatin1(words.kind);
  auto* heading = new QLabel(tr(words.heading));
  heading->setProperty("role", "heading");
  auto* add_button =
      small_button(QStringLiteral("action.%1.add").arg(kind), QStringLiteral("add"), tr("Add %1").arg(kind));
  open_ = small_button(QStringLiteral("action.%1.open").arg(kind), QStringLiteral("edit"),
                       tr("All properties of the selected row"));
  connect(open_, &QToolButton::clicked, this, [this] { open_row(table_->currentRow()); });
  remove_ = small_button(QStringLiteral("action.%1.remove").arg(kind), QStringLiteral("remove"),
                         tr("Remove the selected row"));
  connect(add_button, &QToolButton::clicked, this, &ElementTable::add);
  connect(remove_, &QToolButton::clicked, this, &ElementTable::remove);
  auto* top = new QHBoxLayout;
  top->setSpacing(2);
  top->addWidget(heading, 1);
  top->addWidget(open_);
  top->addWidget(add_button);
  top->addWidget(remove_);

  table_->setObjectName(QStringLiteral("table.%1").arg(kind));
  table_->setAccessibleName(tr(words.heading).toLower());
  QStringList headings = {tr("Name"), tr(words.second_label)};
  // What an expression is asked for is half of the question.
  if (section == Section::measure) headings.insert(1, tr("Type"));
  table_->setHorizontalHeaderLabels(headings);
  for (int column = 0; column < value_column_; ++column)
    table_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Interactive);
  table_->horizontalHeader()->setSectionResizeMode(value_column_, QHeaderView::Stretch);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->resizeSection(0, section == Section::measure ? 96 : 124);
  if (section == Section::measure) {
    table_->horizontalHeader()->resizeSection(1, 100);
    for (const KindSpec& known : catalogue().model_kinds())
      if (known.kind == kind_)
        if (const PropertySpec* type = known.property("type")) types_ = type->choices;
    table_->setItemDelegateForColumn(1, new TypeDelegate(types_, table_));
    connect(table_, &QTableWidget::cellClicked, this, [this](int row, int column) {
      if (column == 1) table_->editItem(table_->item(row, column));
    });
  }
  table_->horizontalHeader()->setFixedHeight(24);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(24);
  table_->setShowGrid(false);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table_->setWordWrap(false);
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(table_, &QTableWidget::cellChanged, this, &ElementTable::take_edit);
  for (const QAbstractItemDelegate* delegate : {table_->itemDelegate(), table_->itemDelegateForColumn(1)}) {
    if (delegate == nullptr) continue;
    connect(
        delegate, &QAbstractItemDelegate::closeEditor, this,
        [this] {
          if (late_) refresh();
        },
        Qt::QueuedConnection);  // the field is still there
  }
  connect(table_, &QTableWidget::itemSelectionChanged, this, [this] {
    for (QToolButton* one : {open_, remove_}) one->setEnabled(table_->currentRow() >= 0);
  });
  connect(table_, &QTableWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    const int row = table_->rowAt(at.y());
    if (row < 0) return;
    QMenu menu;
    menu.addAction(tr("All properties"), this, [this, row] { open_row(row); });
    menu.addAction(icon(QStringLiteral("delete")), tr("Remove"), this, &ElementTable::remove);
    menu.exec(table_->viewport()->mapToGlobal(at));
  });
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 10, 0, 0);
  rows->setSpacing(2);
  rows->addLayout(top);
  rows->addWidget(table_);
  connect(&workspace_, &Workspace::changed, this, &ElementTable::refresh);
  connect(&workspace_, &Workspace::problems_changed, this, &ElementTable::refresh);
  refresh();
}

ElementId ElementTable::id_of(int row) const {
  const QTableWidgetItem* cell = table_->item(row, 0);
  return cell != nullptr ? ElementId(cell->data(Qt::UserRole).toULongLong()) : ElementId();
}

bool ElementTable::typing() const {
  const auto* field = table_->viewport()->findChild<QLineEdit*>();
  const auto* list = table_->viewport()->findChild<QComboBox*>();
  return (field != nullptr && field->isVisible()) || (list != nullptr && list->isVisible());
}

void ElementTable::refresh() {
  if (typing()) {  // New data for a cell would replace what is being typed there.
    late_ = true;
    return;
  }
  late_ = false;
  filling_ = true;
  const auto all = workspace_.document().of(section_);
  table_->setRowCount(static_cast<int>(all.size()));
  QFont mono(mono_family());
  mono.setPixelSize(11);
  for (int row = 0; row < static_cast<int>(all.size()); ++row) {
    const Element& element = *all[static_cast<std::size_t>(row)];
    const KindSpec* kind = workspace_.kind_of(element);
    for (int column = 0; column <= value_column_; ++column) {
      const bool is_value = column == value_column_;
      QTableWidgetItem* cell = table_->item(row, column);
      if (cell == nullptr) table_->setItem(row, column, cell = new QTableWidgetItem);
      QString text = QString::fromStdString(column == 0 ? element.name() : is_value ? element.text(second_) : "");
      if (const PropertySpec* type = kind != nullptr ? kind->property("type") : nullptr;
          type != nullptr && column > 0 && !is_value)
        text = QString::fromStdString(choice_label(type->choices, property_text(*kind, element, "type")));
      const auto asked = asked_by(element, second_);
      if (section_ == Section::measure && is_value) text = QString::fromStdString(asked.first);
      if (section_ == Section::diagram && is_value)
        if (const NotationSpec* notation = catalogue().notation(element.text(second_)))
          text = QString::fromStdString(notation->label);
      if (cell->text() != text) cell->setText(text);
      if (is_value) cell->setFont(mono);
      QString tip = text;
      for (const char* property : {"label", "description", "source"})
        if (kind != nullptr && !element.text(property).empty())
          tip += QLatin1Char('\n') + QString::fromStdString(element.text(property));
      const Diagnostic* problem = workspace_.worst_problem(element.id);
      if (problem != nullptr)
        tip += QLatin1Char('\n') + QString::fromStdString(problem->code + ": " + problem->message);
      cell->setToolTip(tip);
      const bool error = problem != nullptr && problem->severity == Severity::error;
      cell->setForeground(error ? look().error : look().text);
      cell->setData(Qt::UserRole, QVariant::fromValue<qulonglong>(element.id.bits()));
      const bool of_two = section_ == Section::measure && asked.second.empty();
      const bool shown_only = is_value && (section_ == Section::diagram || of_two);
      cell->setFlags(shown_only ? cell->flags() & ~Qt::ItemIsEditable : cell->flags() | Qt::ItemIsEditable);
    }
  }
  table_->setFixedHeight(26 + 24 * static_cast<int>(all.size()));
  for (QToolButton* one : {open_, remove_}) one->setEnabled(table_->currentRow() >= 0);
  filling_ = false;
}

void ElementTable::take_edit(int row, int column) {
  if (filling_) return;
  const ElementId id = id_of(row);
  const std::string text = table_->item(row, column)->text().toStdString();
  if (column > 0 && column < value_column_) {
    const auto type = std::find_if(types_.begin(), types_.end(), [&](const Choice& c) { return c.label == text; });
    if (type != types_.end())
      workspace_.push(set_property(workspace_.document(), catalogue(), {id}, "type", type->name));
  } else if (column == value_column_) {
    const Element* element = workspace_.find(id);
    const std::string property =
        section_ == Section::measure && element != nullptr ? asked_by(*element, second_).second : second_;
    if (!property.empty()) workspace_.push(set_property(workspace_.document(), catalogue(), {id}, property, text));
  } else {
    std::string why;
    auto command = relabel(workspace_.document(), id, text, why);
    // The first name of a new element belongs to its making.
    const bool fresh = made_at_ == workspace_.history().depth() && row == table_->rowCount() - 1;
    made_at_.reset();
    if (command && fresh) workspace_.join(std::move(*command));
    else if (command) workspace_.push(std::move(*command));
    else workspace_.say(QString::fromStdString(why));
  }
  refresh();
}

void ElementTable::add() {
  const Words words = words_of(section_);
  Edit edit(workspace_.document(), std::string("Add ") + words.kind);
  Element element;
  element.section = section_;
  element.kind = kind_;
  int number = 1;
  std::string name;
  do {
    name = words.stem + std::to_string(number++);
  } while (workspace_.document().named(section_, name) != nullptr);
  element.properties["name"] = name;
  if (section_ == Section::diagram) element.properties["notation"] = catalogue().notations().front().name;
  if (section_ == Section::parameter) element.properties["value"] = "0";
  edit.insert(element);
  workspace_.push(edit.finish());
  made_at_ = workspace_.history().depth();
  QTableWidgetItem* name_cell = table_->item(table_->rowCount() - 1, 0);
  table_->setCurrentItem(name_cell);
  // The button takes the focus once its click is over.
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (table_->currentItem() == nullptr) return;
        table_->setFocus(Qt::OtherFocusReason);
        table_->editItem(table_->currentItem());
        if (auto* field = table_->viewport()->findChild<QLineEdit*>()) field->selectAll();
        // Whoever types sees it: the row may have been made from the menu, out of sight.
        for (QWidget* around = parentWidget(); around != nullptr; around = around->parentWidget())
          if (auto* area = qobject_cast<QScrollArea*>(around)) {
            const QPoint below = table_->mapTo(area->widget(), QPoint(0, table_->height()));
            area->ensureVisible(below.x(), below.y());
          }
      },
      Qt::QueuedConnection);
}

void ElementTable::remove() {
  const ElementId id = id_of(table_->currentRow());
  if (id) workspace_.push(remove_elements(workspace_.document(), {id}, "Remove"));
}

void ElementTable::open_row(int row) {
  const ElementId id = id_of(row);
  if (id)
    QMetaObject::invokeMethod(
        &workspace_, [workspace = &workspace_, id] { workspace->select({id}); }, Qt::QueuedConnection);
}

}  // namespace ergode
