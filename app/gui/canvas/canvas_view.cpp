#include "app/gui/canvas/canvas_view.h"

#include <QKeyEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>
#include <map>

#include "app/gui/canvas/directions.h"
#include "app/gui/canvas/label_editor.h"
#include "app/gui/canvas/minimap.h"
#include "app/gui/canvas/overlay.h"
#include "app/gui/canvas/quick_add.h"
#include "app/gui/canvas/shape_painter.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/look/look.h"
#include "app/session/catalogue.h"
#include "app/session/label.h"

namespace ergode {

CanvasView::CanvasView(Workspace& workspace, ToolBox tools, QWidget* parent)
    : QGraphicsView(parent), workspace_(workspace), tools_(std::move(tools)) {
  setObjectName(QStringLiteral("view.canvas"));
  setAccessibleName(tr("Diagram"));
  setScene(&scene_);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // The wheel, dragging and the overview move the view.
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setRenderHint(QPainter::Antialiasing);
  setViewportUpdateMode(QGraphicsView::SmartViewportUpdate);
  setTransformationAnchor(QGraphicsView::NoAnchor);
  setResizeAnchor(QGraphicsView::NoAnchor);
  setMouseTracking(true);
  viewport()->setMouseTracking(true);
  setAcceptDrops(true);
  viewport()->setAcceptDrops(true);
  setFocusPolicy(Qt::StrongFocus);
  editor_ = std::make_unique<LabelEditor>(*this);
  minimap_ = new Minimap(*this);
  travellers_ = std::make_unique<Travellers>(scene_);
  connect(travellers_.get(), &Travellers::arrived, this, &CanvasView::show_settled);
  tool_ = tools_.select(*this);
  connect(&workspace_, &Workspace::changed, this, &CanvasView::refresh);
  connect(&workspace_, &Workspace::diagram_shown, this, [this] {
    tool_->cancel();
    editor_->close_silently();
    travellers_->clear();
    refresh();
    use_select_tool();
    fit_pending_ = true;
    since_shown_.start();
    fit();
  });
  connect(&workspace_, &Workspace::replaced, this, [this] { refresh(); });
  connect(&workspace_, &Workspace::selection_changed, this, [this] {
    scene_.show_selection(workspace_.document(), workspace_.selection());
    minimap_->place();
    viewport()->update();
  });
  connect(&workspace_, &Workspace::problems_changed, this, [this] {
    if (scene_.marks_differ(workspace_.problems())) refresh();
  });
  connect(&workspace_, &Workspace::revealed, this, &CanvasView::centre_on);
  refresh();
}

CanvasView::~CanvasView() {
  tool_.reset();
  editor_.reset();
  travellers_.reset();
  setScene(nullptr);
}

ElementId CanvasView::element_at(QPointF at) const {
  const ElementId node = scene_.node_at(at);
  const ElementId edge = scene_.edge_at(at, 5 / zoom());
  const Element* element = workspace_.find(node);
  const KindSpec* kind = element != nullptr ? workspace_.kind_of(*element) : nullptr;
  const bool composite = kind != nullptr && kind->container;
  return edge && (!node || composite) ? edge : node ? node : edge;
}

double CanvasView::press_distance(const CanvasEvent& event) const {
  return std::hypot(event.at.x() - press_at_.x(), event.at.y() - press_at_.y()) * zoom();
}

void CanvasView::show_history(std::unordered_set<ElementId> active, std::unordered_set<ElementId> breakpoints) {
  scene_.show_history(workspace_.document(), std::move(active), std::move(breakpoints));
  viewport()->update();
}

void CanvasView::show_present(bool history, const std::vector<Present>& present) {
  history_ = history;
  present_.clear();
  for (const Present& one : present) present_[one.node].push_back(one);
  show_settled();
}

QString CanvasView::who_is_at(ElementId node) const {
  const auto there = present_.find(node);
  if (there == present_.end()) return {};
  const QString words[] = {tr("waiting"), tr("served"), tr("blocked"), tr("outside"),
                           tr("idle"),    tr("away"),   tr("down")};
  std::map<Standing, std::map<QString, std::uint64_t>> counts;
  for (const Present& one : there->second) {
    const Element* sort = workspace_.find(one.sort);
    counts[one.standing][sort != nullptr ? QString::fromStdString(sort->name()) : QString()] += one.count;
  }
  QStringList out;
  for (const auto& [standing, sorts] : counts) {
    QStringList some;
    for (const auto& [name, count] : sorts)
      some << (name.isEmpty() ? QString::number(count) : QStringLiteral("%1 %2").arg(count).arg(name));
    out << words[static_cast<std::size_t>(standing)] + QLatin1Char(' ') + some.join(QStringLiteral(", "));
  }
  return out.join(QStringLiteral("; "));
}

void CanvasView::show_settled() {
  scene_.show_present(workspace_.document(), history_,
                      travellers_->size() == 0 ? present_ : travellers_->settled(present_));
}

void CanvasView::show_moves(const std::vector<Moved>& moves, double each_s) { travellers_->set_out(moves, each_s); }

void CanvasView::end_moves() { travellers_->clear(); }

void CanvasView::show_numbers(std::unordered_map<ElementId, NodeNumbers> numbers, const std::string& caption) {
  scene_.show_numbers(workspace_.document(), std::move(numbers), caption);
  minimap_->place();  // not upon the legend
  viewport()->update();
}

void CanvasView::refresh() {
  if (previewing_) return;
  scene_.show(workspace_.document(), workspace_.diagram(), workspace_.problems());
  scene_.show_selection(workspace_.document(), workspace_.selection());
  grow_scene();
  minimap_->place();
  viewport()->update();
}

void CanvasView::grow_scene() {
  // Everything stays reachable: the scene is what is drawn with a window's worth of room around it.
  const QSizeF room = QSizeF(viewport()->size()) / zoom();
  const QRectF content = scene_.content().isNull() ? QRectF(0, 0, 400, 300) : scene_.content();
  setSceneRect(content.adjusted(-room.width(), -room.height(), room.width(), room.height()));
}

void CanvasView::preview(const Document& document) {
  previewing_ = true;
  scene_.show(document, workspace_.diagram(), workspace_.problems());
  viewport()->update();
}

void CanvasView::preview_moved(const Document& document, const std::vector<ElementId>& moved) {
  previewing_ = true;
  scene_.show_moved(document, moved);
  viewport()->update();
}

void CanvasView::end_preview() {
  if (!previewing_) {
    viewport()->update();
    return;
  }
  previewing_ = false;
  refresh();
}

void CanvasView::set_tool(std::unique_ptr<Tool> tool) {
  // A tool may replace itself from inside its own event; the old one lives until the event is over.
  std::shared_ptr<Tool> old(std::move(tool_));
  tool_ = std::move(tool);
  QMetaObject::invokeMethod(
      this, [old] {}, Qt::QueuedConnection);
  viewport()->setCursor(tool_->cursor());
  workspace_.say(tool_->hint());
  viewport()->update();
  Q_EMIT tool_changed();
}

void CanvasView::use_select_tool() {
  if (tool_->name() != QLatin1String("select")) set_tool(tools_.select(*this));
}

void CanvasView::use_place_tool(const QString& kind, bool sticky) {
  set_tool(tools_.place(*this, kind.toStdString(), sticky));
}

void CanvasView::use_connect_tool(bool sticky) { set_tool(tools_.connect(*this, sticky)); }

bool CanvasView::place(const std::string& kind, QPointF at, bool then_name) {
  const NotationSpec* notation = workspace_.notation();
  if (notation == nullptr || notation->kind(kind) == nullptr) return false;
  const Document& document = workspace_.document();
  const ElementId parent = container_at(document, catalogue(), workspace_.diagram(), from_qt(at));
  const std::string why = notation->refuse_parent(document, kind, document.find(parent));
  if (!why.empty()) {
    workspace_.say(tr("Not placed: %1").arg(QString::fromStdString(why)));
    return false;
  }
  ElementId made;
  workspace_.push(add_node(document, *notation, workspace_.diagram(), parent, kind, from_qt(at), made));
  workspace_.select({made});
  const KindSpec& placed = *notation->kind(kind);
  if (then_name && (placed.named || placed.expression_label() || placed.free_label())) edit_label(made, true);
  return true;
}

void CanvasView::quick_add(QPointF at) {
  const NotationSpec* notation = workspace_.notation();
  const bool any = notation != nullptr && std::any_of(notation->kinds.begin(), notation->kinds.end(),
                                                      [](const KindSpec& k) { return k.section == Section::node; });
  if (!any) return workspace_.say(tr("This version knows no elements for this diagram; nothing can be added"));
  auto* chooser = new QuickAdd(*this, at);
  chooser->show_at(mapFromScene(at));
}

void CanvasView::edit_label(ElementId id, bool fresh) {
  const Element* element = workspace_.find(id);
  const KindSpec* kind = element != nullptr ? workspace_.kind_of(*element) : nullptr;
  if (element == nullptr || (kind != nullptr && !kind->labelled())) return;
  const ElementItem* item = scene_.item(id);
  if (item == nullptr) return;
  QRectF box = element->is_node() ? scene_.bounds(id) : item->text_box();
  if (box.isEmpty() && !item->path().empty()) {
    const Point middle = item->path()[item->path().size() / 2], before = item->path()[(item->path().size() - 1) / 2];
    box = QRectF((middle.x + before.x) / 2 - 60, (middle.y + before.y) / 2 - 12, 120, 24);
  }
  editor_->open(id, mapFromScene(box).boundingRect(), element->is_node() && (kind == nullptr || !kind->free_label()),
                fresh);
}

bool CanvasView::editing_label() const { return editor_->open(); }

void CanvasView::set_zoom(double wanted, std::optional<QPoint> anchor) {
  const QPoint pivot = anchor.value_or(viewport()->rect().center());
  const QPointF fixed = mapToScene(pivot);
  const double zoom_to = std::clamp(wanted, 0.05, 8.0);
  setTransform(QTransform::fromScale(zoom_to, zoom_to));
  travellers_->set_zoom(zoom_to);
  grow_scene();
  const QPointF moved = mapFromScene(fixed) - QPointF(pivot);
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound(moved.x()));
  verticalScrollBar()->setValue(verticalScrollBar()->value() + qRound(moved.y()));
  Q_EMIT zoom_changed();
}

void CanvasView::fit() {
  const QRectF content = scene_.content();
  if (content.isEmpty() || viewport()->width() < 50) return;
  const QRectF roomy = content.adjusted(-24, -24, 24, 24);
  const double wanted = std::min(viewport()->width() / roomy.width(), viewport()->height() / roomy.height());
  set_zoom(std::min(wanted, 1.25));
  centerOn(content.center());
  fit_pending_ = false;
  minimap_->place();
  viewport()->update();
}

void CanvasView::fit_selection() {
  QRectF box;
  for (const ElementId id : workspace_.selection()) box = box.united(scene_.bounds(id));
  if (box.isEmpty()) return fit();
  box.adjust(-60, -60, 60, 60);
  set_zoom(std::min({viewport()->width() / box.width(), viewport()->height() / box.height(), 2.0}));
  centerOn(box.center());
}

void CanvasView::centre_on(ElementId id) {
  const QRectF box = scene_.bounds(id);
  if (box.isNull()) return;
  if (!mapToScene(viewport()->rect()).boundingRect().contains(box)) centerOn(box.center());
  viewport()->update();
}

void CanvasView::step_selection(int step) {
  std::vector<ElementId> all;
  for (const Element* node : workspace_.document().nodes(workspace_.diagram())) all.push_back(node->id);
  for (const Element* edge : workspace_.document().edges(workspace_.diagram())) all.push_back(edge->id);
  if (all.empty()) return;
  const auto size = static_cast<std::ptrdiff_t>(all.size());
  std::ptrdiff_t at = step > 0 ? -1 : size;
  if (!workspace_.selection().empty()) {
    const auto found = std::find(all.begin(), all.end(), workspace_.selection().front());
    if (found != all.end()) at = found - all.begin();
  }
  const ElementId next = all[static_cast<std::size_t>((at + step + size) % size)];
  workspace_.select({next});
  centre_on(next);
}

void CanvasView::walk(QPointF direction) {
  if (workspace_.selection().size() != 1) return;
  const Element* at = workspace_.find(workspace_.selection().front());
  if (at == nullptr) return;
  ElementId next;
  if (at->is_edge()) {
    const ElementItem* item = scene_.item(at->id);
    const QPointF middle = item != nullptr && !item->path().empty()
                               ? (to_qt(item->path().front()) + to_qt(item->path().back())) / 2
                               : scene_.bounds(at->id).center();
    next = nearest_in_direction(*this, middle, direction, {at->source, at->target});
  } else {
    // Two edges may lead to the same neighbour: asking again takes the next of them.
    std::vector<ElementId> others;
    for (const Element* edge : workspace_.document().incident(at->id))
      others.push_back(edge->source == at->id ? edge->target : edge->source);
    const ElementId other = nearest_in_direction(*this, scene_.bounds(at->id).center(), direction, others);
    if (!other) return;
    std::vector<ElementId> between;
    for (const Element* edge : workspace_.document().incident(at->id))
      if (edge->source == other || edge->target == other) between.push_back(edge->id);
    const auto before = std::find(between.begin(), between.end(), walked_);
    next = before == between.end() || before + 1 == between.end() ? between.front() : *(before + 1);
    walked_ = next;
  }
  if (!next) return;
  workspace_.select({next});
  centre_on(next);
}

void CanvasView::place_with_keys(const std::string& kind) {
  set_tool(tools_.place(*this, kind, false));
  tool_->start_with_keys();
}

void CanvasView::connect_with_keys() {
  set_tool(tools_.connect(*this, false));
  tool_->start_with_keys();
}

void CanvasView::nudge(double dx, double dy) {
  if (workspace_.selection().empty()) return;
  workspace_.push(move_nodes(workspace_.document(), workspace_.selection(), dx, dy));
}

}  // namespace ergode
