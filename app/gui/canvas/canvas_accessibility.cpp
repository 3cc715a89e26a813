#include "app/gui/canvas/canvas_accessibility.h"

#include <QAccessibleWidget>
#include <map>

#include "app/gui/canvas/canvas_view.h"
#include "app/session/label.h"

namespace ergode {
namespace {

QString sentence(const Workspace& workspace, const Element& element) {
  const KindSpec* kind = workspace.kind_of(element);
  const auto name_of = [&](const Element* e) {
    const KindSpec* its = e != nullptr ? workspace.kind_of(*e) : nullptr;
    if (e == nullptr) return QString();
    return QString::fromStdString(e->name().empty() && its != nullptr ? its->label : e->name());
  };
  const QString label = kind != nullptr ? QString::fromStdString(kind->label) : QString::fromStdString(element.kind);
  QString out;
  if (element.is_edge()) {
    out = QObject::tr("%1 from %2 to %3")
              .arg(label, name_of(workspace.find(element.source)), name_of(workspace.find(element.target)));
    const PropertySpec* trigger = kind != nullptr ? kind->first(PropertyType::trigger) : nullptr;
    const std::string said =
        trigger != nullptr ? element.text(trigger->name) : editable_label(workspace.document(), element);
    if (!said.empty()) out += QStringLiteral(", ") + QString::fromStdString(said);
  } else {
    int leaving = 0;
    for (const Element* edge : workspace.document().incident(element.id)) leaving += edge->source == element.id;
    out = element.name().empty() ? label : QStringLiteral("%1 %2").arg(label, QString::fromStdString(element.name()));
    if (leaving > 0) out += QObject::tr(", %1 outgoing").arg(leaving);
  }
  if (const Diagnostic* problem = workspace.worst_problem(element.id))
    out += QStringLiteral(", ") + QString::fromStdString(problem->message);
  return out;
}

/// One element of the diagram, asked of the document each time: it may be gone by then.
class ElementAccess : public QAccessibleInterface {
 public:
  ElementAccess(CanvasView& canvas, ElementId id) : canvas_(&canvas), id_(id) {}
  bool isValid() const override { return canvas_ != nullptr && element() != nullptr; }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  QAccessibleInterface* parent() const override {
    return canvas_ != nullptr ? QAccessible::queryAccessibleInterface(canvas_) : nullptr;
  }
  QAccessibleInterface* child(int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text what) const override {
    if (what != QAccessible::Name || !isValid()) return {};
    const QString who = canvas_->who_is_at(id_);
    return sentence(canvas_->workspace(), *element()) + (who.isEmpty() ? QString() : QStringLiteral(", ") + who);
  }
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override {
    if (!isValid()) return {};
    const QRect box = canvas_->mapFromScene(canvas_->scene_items().bounds(id_)).boundingRect();
    return {canvas_->viewport()->mapToGlobal(box.topLeft()), box.size()};
  }
  QAccessible::Role role() const override {
    return isValid() && element()->is_edge() ? QAccessible::Link : QAccessible::Graphic;
  }
  QAccessible::State state() const override {
    QAccessible::State out;
    out.selectable = out.focusable = true;
    if (!isValid()) out.invalid = true;
    else out.selected = out.focused = canvas_->workspace().selected(id_);
    return out;
  }

 private:
  const Element* element() const { return canvas_->workspace().find(id_); }
  QPointer<CanvasView> canvas_;
  ElementId id_;
};

class CanvasAccess : public QAccessibleWidget {
 public:
  explicit CanvasAccess(CanvasView* canvas) : QAccessibleWidget(canvas, QAccessible::Canvas) {}
  ~CanvasAccess() override {
    for (const auto& [id, known] : known_) QAccessible::deleteAccessibleInterface(known);
  }
  int childCount() const override { return static_cast<int>(ids().size()); }
  QAccessibleInterface* child(int index) const override {
    const auto all = ids();
    if (index < 0 || index >= static_cast<int>(all.size())) return nullptr;
    const ElementId id = all[static_cast<std::size_t>(index)];
    const auto found = known_.find(id.bits());
    QAccessibleInterface* known = found != known_.end() ? QAccessible::accessibleInterface(found->second) : nullptr;
    if (known == nullptr) {
      known = new ElementAccess(canvas(), id);
      known_[id.bits()] = QAccessible::registerAccessibleInterface(known);
    }
    return known;
  }
  int indexOfChild(const QAccessibleInterface* wanted) const override {
    for (int i = 0; i < childCount(); ++i)
      if (child(i) == wanted) return i;
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const ElementId hit = canvas().element_at(canvas().mapToScene(canvas().viewport()->mapFromGlobal(QPoint(x, y))));
    const auto all = ids();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == hit) return child(static_cast<int>(i));
    return nullptr;
  }

 private:
  CanvasView& canvas() const { return *static_cast<CanvasView*>(widget()); }
  std::vector<ElementId> ids() const {
    const Workspace& workspace = canvas().workspace();
    std::vector<ElementId> out;
    for (const Element* node : workspace.document().nodes(workspace.diagram())) out.push_back(node->id);
    for (const Element* edge : workspace.document().edges(workspace.diagram())) out.push_back(edge->id);
    return out;
  }
  mutable std::map<std::uint64_t, QAccessible::Id> known_;
};

QAccessibleInterface* make_access(const QString&, QObject* object) {
  auto* canvas = qobject_cast<CanvasView*>(object);
  return canvas != nullptr ? new CanvasAccess(canvas) : nullptr;
}

}  // namespace

void install_canvas_accessibility() { QAccessible::installFactory(make_access); }

}  // namespace ergode
