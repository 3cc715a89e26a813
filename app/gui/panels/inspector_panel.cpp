#include "app/gui/panels/inspector_panel.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QStyle>
#include <QToolButton>
#include <algorithm>
#include <map>
#include <utility>

#include "app/gui/edit/evaluation.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/link_label.h"
#include "app/gui/look/look.h"
#include "app/gui/panels/element_table.h"
#include "app/gui/panels/preview.h"
#include "app/gui/plots/law_dialog.h"
#include "app/session/argument_texts.h"
#include "app/session/catalogue.h"
#include "app/session/label.h"
#include "app/session/name_offers.h"

namespace ergode {

InspectorPanel::InspectorPanel(Workspace& workspace, QWidget* parent) : QScrollArea(parent), workspace_(workspace) {
  setObjectName(QStringLiteral("panel.inspector"));
  setAccessibleName(tr("Inspector"));
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumWidth(300);
  connect(&workspace_, &Workspace::selection_changed, this, &InspectorPanel::rebuild);
  connect(&workspace_, &Workspace::look_changed, this, &InspectorPanel::rebuild);
  connect(&workspace_, &Workspace::replaced, this, &InspectorPanel::rebuild);
  connect(&workspace_, &Workspace::changed, this, &InspectorPanel::refresh);
  connect(&workspace_, &Workspace::problems_changed, this, &InspectorPanel::refresh);
  rebuild();
}

PropertyField* InspectorPanel::field(const QString& property) const {
  for (PropertyField* field : fields_)
    if (QString::fromStdString(field->spec().name) == property) return field;
  return nullptr;
}

void InspectorPanel::focus_first() {
  for (PropertyField* field : fields_) {
    if (field->isHidden()) continue;
    field->editor()->setFocus(Qt::ShortcutFocusReason);
    return;
  }
}

void InspectorPanel::name_new() {
  made_at_ = workspace_.history().depth();
  focus_first();
}

void InspectorPanel::rebuild() {
  // What was typed and not applied belongs to the element it was typed for.
  bool typing = false;
  for (PropertyField* field : fields_) {
    if (!field->editor()->hasFocus()) continue;
    typing = true;
    field->apply();
  }
  fields_.clear();
  groups_.clear();
  shown_ = workspace_.selection();
  if (shown_.empty()) shown_ = {workspace_.document().model().id};
  QWidget* old = takeWidget();
  if (old != nullptr) old->deleteLater();
  page_ = new QWidget;
  page_->setObjectName(QStringLiteral("page.inspector"));
  rows_ = new QVBoxLayout(page_);
  rows_->setContentsMargins(12, 10, 12, 12);
  rows_->setSpacing(6);
  const Element* first = workspace_.find(shown_.front());
  if (first == nullptr) return setWidget(page_);
  const KindSpec* kind = workspace_.kind_of(*first);
  if (shown_.size() > 1) {
    add_title(tr("%1 elements").arg(shown_.size()), tr("Selection"), QStringLiteral("select"), false);
  } else {
    const QString name = QString::fromStdString(first->name());
    const QString label = kind != nullptr ? QString::fromStdString(kind->label)
                                          : tr("Unknown kind %1").arg(QString::fromStdString(first->kind));
    const bool in_tables = !first->is_node() && !first->is_edge() && first->section != Section::model;
    add_title(name.isEmpty() ? label : name, name.isEmpty() ? QString() : label,
              kind != nullptr ? QString::fromStdString(kind->icon) : QString(), in_tables);
  }
  add_fields(shown_);
  if (first->section == Section::model) add_tables();
  if (shown_.size() == 1 && kind != nullptr && kind->preview) rows_->addWidget(new Preview(workspace_, first->id));
  rows_->addStretch(1);
  setWidget(page_);
  refresh();
  if (typing) Q_EMIT left();  // The field with the focus is gone.
}

void InspectorPanel::add_title(const QString& title, const QString& kind, const QString& icon_name, bool with_back) {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  if (with_back) {
    auto* back = new QToolButton;
    back->setText(tr("‹ Model"));
    back->setObjectName(QStringLiteral("action.inspector.model"));
    back->setToolTip(tr("Back to the model's tables"));
    connect(back, &QToolButton::clicked, this, [this] { workspace_.select({}); });
    row->addWidget(back);
  }
  auto* mark = new QLabel;
  mark->setPixmap(icon(icon_name).pixmap(16, 16));
  row->addWidget(mark);
  title_ = new QLabel(title);
  title_->setProperty("role", "title");
  title_->setObjectName(QStringLiteral("label.inspector.title"));
  title_->setWordWrap(true);
  title_->setMinimumWidth(40);
  row->addWidget(title_, 1);
  auto* kind_label = new QLabel(kind);
  kind_label->setProperty("role", "muted");
  row->addWidget(kind_label);
  rows_->addLayout(row);
  other_problems_ = new LinkLabel;
  other_problems_->setObjectName(QStringLiteral("label.inspector.problems"));
  connect(other_problems_, &QLabel::linkActivated, this, [this](const QString& link) {
    if (link.toUInt() >= other_fixes_.size()) return;
    const QuickFix fix = other_fixes_[link.toUInt()];  // mending makes others
    workspace_.mend(fix);
  });
  other_problems_->hide();
  rows_->addWidget(other_problems_);
}

void InspectorPanel::add_fields(const std::vector<ElementId>& ids) {
  const Element* first = workspace_.find(ids.front());
  const KindSpec* kind = workspace_.kind_of(*first);
  if (kind == nullptr) {
    auto* note = new QLabel(tr("This version does not know this kind. It is kept as it is and saved unchanged."));
    note->setWordWrap(true);
    note->setProperty("role", "hint");
    rows_->addWidget(note);
    return;
  }
  std::vector<std::string> order;
  std::map<std::string, std::vector<PropertyField*>> by_group;
  for (const PropertySpec& spec : kind->properties) {
    const bool shared = std::all_of(ids.begin(), ids.end(), [&](ElementId id) {
      const Element* element = workspace_.find(id);
      const KindSpec* other = element != nullptr ? workspace_.kind_of(*element) : nullptr;
      const PropertySpec* same = other != nullptr ? other->property(spec.name) : nullptr;
      return same != nullptr && same->type == spec.type;
    });
    if (!shared || (ids.size() > 1 && spec.name == "name")) continue;
    QStringList names;
    for (const std::string& name : names_for(workspace_.document(), spec)) names << QString::fromStdString(name);
    auto* field = new PropertyField(*kind, spec, names);
    connect(field, &PropertyField::committed, this, &InspectorPanel::commit);
    connect(field, &PropertyField::typed, this, [this, field](const QString& text) { try_text(field, text); });
    connect(field, &PropertyField::fix_wanted, this, [this, field](const QuickFix& fix) {
      field->apply();  // The fix was made for the model with what is typed here.
      workspace_.mend(fix);
    });
    connect(field, &PropertyField::left, this, &InspectorPanel::left);
    connect(field, &PropertyField::law_wanted, this, [this, field] { choose_law(field); });
    fields_.push_back(field);
    if (!by_group.contains(spec.group)) order.push_back(spec.group);
    by_group[spec.group].push_back(field);
  }
  for (const std::string& group : order) {
    auto* heading = new QLabel(QString::fromStdString(group).toUpper());
    heading->setProperty("role", "heading");
    heading->setContentsMargins(0, 8, 0, 0);
    rows_->addWidget(heading);
    for (PropertyField* field : by_group[group]) rows_->addWidget(field);
    groups_.emplace_back(heading, by_group[group]);
  }
}

void InspectorPanel::choose_law(PropertyField* field) {
  const Element* element = workspace_.find(shown_.front());
  if (element == nullptr) return;
  const Evaluation evaluation(workspace_.document());
  const DataFiles files(workspace_.files());
  // Each of several is such a law as all have.
  const std::string& each_as = field->spec().each_as;
  const std::string property = each_as.empty() ? field->spec().name : each_as;
  LawContext context;
  context.forms = forms_at(*element, property);
  context.judge = [&](const QString& text) -> std::variant<LawPreview, QString> {
    auto found = evaluation.preview(*element, property, text.toStdString(), files);
    if (const auto* why = std::get_if<std::string>(&found)) return QString::fromStdString(*why);
    return std::get<LawPreview>(std::move(found));
  };
  context.read = [&](const QString& name) -> std::variant<std::string, QString> {
    const auto text = files.text(name.toStdString());
    if (const auto* refusal = std::get_if<FileRefusal>(&text)) return QString::fromStdString(refusal->why);
    if (const auto* problem = std::get_if<Diagnostic>(&text)) return QString::fromStdString(problem->message);
    return *std::get<DataFiles::Text>(text).text;
  };
  context.folder = QString::fromStdString(workspace_.files().folder);
  context.time_unit = workspace_.document().model().text("time_unit", "h");
  const std::string now = field->text().trimmed().toStdString();
  std::string text = now.empty() ? field->spec().default_text : now;
  std::string of_whom;
  if (!each_as.empty()) {
    of_whom = choose_one(field, names_in(now));
    if (of_whom.empty()) return;
    // Who is not in the list has what all have.
    const KindSpec* kind = workspace_.kind_of(*element);
    text = argument_text(now, of_whom).value_or(kind != nullptr ? property_text(*kind, *element, each_as) : "");
  }
  LawDialog dialog(QString::fromStdString(text), std::move(context), this);
  if (!of_whom.empty()) dialog.setWindowTitle(tr("%1 – %2").arg(dialog.windowTitle(), QString::fromStdString(of_whom)));
  if (dialog.exec() != QDialog::Accepted) return;
  const std::string chosen = dialog.text().toStdString();
  field->set_text(QString::fromStdString(of_whom.empty() ? chosen : with_argument(now, of_whom, chosen)));
  field->apply();
}

std::string InspectorPanel::choose_one(PropertyField* field, const std::vector<std::string>& written) {
  std::vector<std::string> names = named_by(workspace_.document(), field->spec());
  for (const std::string& one : written)
    if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  if (names.size() == 1) return names.front();
  QMenu menu(this);
  menu.setObjectName(QStringLiteral("menu.law_of"));
  for (const std::string& name : names)
    menu.addAction(QString::fromStdString(name))->setData(QString::fromStdString(name));
  if (names.empty()) menu.addAction(tr("There are none to choose among: draw a class"))->setEnabled(false);
  const QAction* chosen = menu.exec(field->editor()->mapToGlobal(QPoint(0, field->editor()->height())));
  return chosen != nullptr ? chosen->data().toString().toStdString() : std::string();
}

void InspectorPanel::add_tables() {
  for (const Section section : {Section::parameter, Section::measure, Section::scenario, Section::diagram})
    rows_->addWidget(new ElementTable(workspace_, section));
}

QStringList InspectorPanel::texts_of(const PropertySpec& spec) const {
  QStringList texts;
  for (const ElementId id : shown_) {
    const Element* element = workspace_.find(id);
    if (element != nullptr) texts << QString::fromStdString(element->text(spec.name));
  }
  return texts;
}

bool InspectorPanel::visible_now(const PropertySpec& spec) const {
  if (spec.when_property.empty()) return true;
  const Element* first = workspace_.find(shown_.front());
  const KindSpec* kind = first != nullptr ? workspace_.kind_of(*first) : nullptr;
  if (kind == nullptr) return true;
  const std::string value = property_text(*kind, *first, spec.when_property);
  const bool matches = std::find(spec.when_values.begin(), spec.when_values.end(), value) != spec.when_values.end();
  if (matches) {
    const PropertySpec* switching = kind->property(spec.when_property);
    return switching == nullptr || visible_now(*switching);
  }
  // The name of a choice parameter may stand for any of the choices.
  const PropertySpec* switching = kind->property(spec.when_property);
  return switching != nullptr && switching->type == PropertyType::choice &&
         workspace_.document().named(Section::parameter, value) != nullptr;
}

void InspectorPanel::refresh() {
  const bool gone =
      std::any_of(shown_.begin(), shown_.end(), [this](ElementId id) { return workspace_.find(id) == nullptr; });
  if (gone) return rebuild();
  const Evaluation evaluation(workspace_.document());
  const Element* only = shown_.size() == 1 ? workspace_.find(shown_.front()) : nullptr;
  for (PropertyField* field : fields_) {
    field->show_values(texts_of(field->spec()));
    if (only != nullptr && field->spec().type != PropertyType::reference) {
      QStringList names;
      for (const std::string& name : name_offers(workspace_.document(), *only, field->spec()))
        names << QString::fromStdString(name);
      if (!names.isEmpty()) field->offer(names);
    }
    std::string worth;
    if (only != nullptr)
      worth = field->spec().type == PropertyType::trigger ? evaluation.delay(*only, field->spec())
                                                          : evaluation.value(*only, field->spec());
    const PropertySpec* instead = nullptr;
    if (only != nullptr)
      if (const KindSpec* kind = workspace_.kind_of(*only)) instead = kind->property(replaced_by(field->spec(), *only));
    field->show_replaced(instead != nullptr ? QString::fromStdString(instead->label) : QString());
    field->show_worth(QString::fromStdString(instead != nullptr ? std::string() : worth));
    field->setVisible(visible_now(field->spec()));
    Diagnostics own;
    for (const Diagnostic& problem : workspace_.problems())
      if (problem.element == shown_.front() && shown_.size() == 1 && problem.pointer == field->spec().name)
        own.push_back(problem);
    field->show_problems(own);
  }
  for (const auto& [heading, fields] : groups_)
    heading->setVisible(
        std::any_of(fields.begin(), fields.end(), [](PropertyField* field) { return !field->isHidden(); }));
  QStringList others;
  other_fixes_.clear();
  Severity worst = Severity::info;
  for (const Diagnostic& problem : workspace_.problems()) {
    const bool in_field = std::any_of(fields_.begin(), fields_.end(),
                                      [&](PropertyField* field) { return problem.pointer == field->spec().name; });
    if (problem.element != shown_.front() || shown_.size() != 1 || in_field) continue;
    worst = std::max(worst, problem.severity);
    others << QStringLiteral("%1  %2").arg(QString::fromStdString(problem.code),
                                           QString::fromStdString(problem.message).toHtmlEscaped());
    for (const QuickFix& fix : problem.fixes) {
      others.back() += QStringLiteral(" &nbsp;<a href='%1' style='color:%2'>%3</a>")
                           .arg(other_fixes_.size())
                           .arg(look().selection.name(), QString::fromStdString(fix.label).toHtmlEscaped());
      other_fixes_.push_back(fix);
    }
  }
  if (other_problems_ != nullptr) {
    other_problems_->setText(others.join(QStringLiteral("<br>")));
    other_problems_->setVisible(!others.isEmpty());
    other_problems_->setProperty("role", worst == Severity::error     ? "error"
                                         : worst == Severity::warning ? "warning"
                                                                      : "hint");
    other_problems_->style()->unpolish(other_problems_);
    other_problems_->style()->polish(other_problems_);
  }
  const Element* first = workspace_.find(shown_.front());
  if (title_ != nullptr && shown_.size() == 1 && !first->name().empty())
    title_->setText(QString::fromStdString(first->name()));
}

void InspectorPanel::try_text(PropertyField* field, const QString& text) {
  const std::string property = field->spec().name;
  if (shown_.size() != 1 || property == "name") return;
  const ElementId id = shown_.front();
  workspace_.check_draft(
      set_property(workspace_.document(), catalogue(), shown_, property, text.trimmed().toStdString()), field,
      [field, id, property](const Diagnostics& found) {
        Diagnostics own;
        // A text that is half typed is no syntax error yet.
        for (const Diagnostic& d : found)
          if (d.element == id && d.pointer == property && d.code != "EXP001") own.push_back(d);
        field->show_problems(own);
      });
}

void InspectorPanel::commit(const QString& property, const QString& text) {
  if (property == QLatin1String("name") && shown_.size() == 1) {
    std::string why;
    auto command = relabel(workspace_.document(), shown_.front(), text.toStdString(), why);
    PropertyField* name = field(property);
    if (!command) {
      if (name != nullptr) name->refuse(QString::fromStdString(why));
      return workspace_.say(QString::fromStdString(why));
    }
    // The first name of a new element belongs to its making.
    const bool fresh = std::exchange(made_at_, std::nullopt) == workspace_.history().depth();
    return fresh ? workspace_.join(std::move(*command)) : workspace_.push(std::move(*command));
  }
  PropertyField* edited = field(property);
  if (edited != nullptr && edited->spec().type == PropertyType::choice && !text.isEmpty()) {
    const std::vector<Choice>& choices = edited->spec().choices;
    const std::string word = text.toStdString();
    const bool known = std::any_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.name == word; });
    if (!known && workspace_.document().named(Section::parameter, word) == nullptr) {
      const QString why = tr("The list has no \"%1\", and no parameter is called so: nothing was changed.").arg(text);
      edited->refuse(why);
      return workspace_.say(why);
    }
  }
  workspace_.push(set_property(workspace_.document(), catalogue(), shown_, property.toStdString(), text.toStdString()));
}

}  // namespace ergode
