#pragma once
#include <QElapsedTimer>
#include <QGraphicsView>
#include <memory>
#include <optional>
#include <unordered_set>

#include "app/gui/canvas/diagram_scene.h"
#include "app/gui/canvas/tool.h"
#include "app/gui/canvas/travellers.h"
#include "app/gui/desk/workspace.h"

class QLineEdit;

namespace ergode {

inline constexpr const char* kind_mime = "application/x-ergode-kind";

/// The canvas: shows the diagram of a workspace, hands the mouse to the present tool, zooms and pans.
///
/// Positions are scene coordinates unless they are said to be on the screen. It edits by commands of the workspace
/// only, and follows the workspace's signals.
class CanvasView : public QGraphicsView {
  Q_OBJECT
 public:
  CanvasView(Workspace& workspace, ToolBox tools, QWidget* parent = nullptr);
  ~CanvasView() override;

  Workspace& workspace() const { return workspace_; }
  DiagramScene& scene_items() { return scene_; }
  const DiagramScene& scene_items() const { return scene_; }
  /// Screen pixels per scene pixel: 1 is 100 %.
  double zoom() const { return transform().m11(); }
  /// Node or edge under a point; edges before the composite they run through. Null: nothing.
  ElementId element_at(QPointF at) const;
  /// What hovering over an element says: mean and rate of a transition, its worst problem. Empty: nothing.
  QString tip(ElementId id) const;
  /// Pixels on the screen between a place and where the button went down.
  double press_distance(const CanvasEvent& event) const;

  /// Colours active states and marks breakpoints of a history that is stepped through.
  void show_history(std::unordered_set<ElementId> active, std::unordered_set<ElementId> breakpoints);
  /// Shows who is where at a moment of a history, as soon as those have arrived who are seen on their way.
  /// @param history  false: there is none any more
  void show_present(bool history, const std::vector<Present>& present);
  /// Who is at a node then, in words: "waiting 3 gold, 1 plain; served 2 gold; idle 1". Empty: nobody, or no history.
  QString who_is_at(ElementId node) const;
  /// Dots go along the edges that somebody passed, in so much wall time [s] along each; 0: none does.
  void show_moves(const std::vector<Moved>& moves, double each_s);
  /// Nobody is seen on his way any more: another moment is shown.
  void end_moves();
  const Travellers& travellers() const { return *travellers_; }

  /// Writes numbers of a run at the nodes of the shown diagram.
  void show_numbers(std::unordered_map<ElementId, NodeNumbers> numbers, const std::string& caption);

  /// Shows the effect of a gesture that is not finished; the document stays as it is.
  void preview(const Document& document);
  /// The same where nothing changed but places: `moved` are the nodes that did.
  void preview_moved(const Document& document, const std::vector<ElementId>& moved);
  /// Back to the document as it is.
  void end_preview();

  const Tool& tool() const { return *tool_; }
  void use_select_tool();
  void use_place_tool(const QString& kind, bool sticky);
  void use_connect_tool(bool sticky);

  /// Adds a node of `kind` at a place, inside the container there, and lets the user name it.
  bool place(const std::string& kind, QPointF at, bool then_name);
  void quick_add(QPointF at);
  /// Opens the in-place editor on a label; nothing happens when the element has none.
  /// @param fresh  it was made just now: its first label is part of that step.
  void edit_label(ElementId id, bool fresh = false);
  bool editing_label() const;

  /// Cut to 5 % and 800 %. @param anchor  on the screen, stays where it is; the middle when absent.
  void set_zoom(double zoom, std::optional<QPoint> anchor = {});
  /// Shows all of the diagram as large as it fits, at most at 125 %; of the selection at most at 200 %.
  void fit();
  void fit_selection();
  void centre_on(ElementId id);
  /// Next or previous element in document order.
  void step_selection(int step);
  /// Moves the selected nodes [scene pixel], as one undo step.
  void nudge(double dx, double dy);
  /// From a node along the edge that leaves it in a direction, from an edge to the node there.
  void walk(QPointF direction);
  /// The keys of the palette: the shape waits at a free place for Enter; an edge starts at the selected node.
  void place_with_keys(const std::string& kind);
  void connect_with_keys();

 Q_SIGNALS:
  void tool_changed();
  void zoom_changed();
  void pointed(QPointF at);
  void menu_wanted(const QPoint& global);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  bool viewportEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragMoveEvent(QDragMoveEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void drawBackground(QPainter* painter, const QRectF& area) override;
  void drawForeground(QPainter* painter, const QRectF& area) override;
  void changeEvent(QEvent* event) override;

 private:
  CanvasEvent to_event(const QMouseEvent& event) const;
  void set_tool(std::unique_ptr<Tool> tool);
  void refresh();
  void show_settled();
  void grow_scene();
  bool tool_key(const QKeyEvent& event);

  Workspace& workspace_;
  DiagramScene scene_;
  ToolBox tools_;
  std::unique_ptr<Tool> tool_;
  std::unique_ptr<class LabelEditor> editor_;
  class Minimap* minimap_ = nullptr;
  std::unique_ptr<Travellers> travellers_;
  bool history_ = false;
  std::unordered_map<ElementId, std::vector<Present>> present_;
  QPointF press_at_;
  ElementId walked_;           ///< Edge last gone along.
  QElapsedTimer since_shown_;  ///< the diagram, until the user does something with it
  std::optional<QPoint> pan_from_;
  bool space_down_ = false, previewing_ = false, fit_pending_ = true;
};

}  // namespace ergode
