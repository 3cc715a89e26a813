#include "app/gui/look/style_sheet.h"

namespace ergode {
namespace {

// @name stands for a colour of the theme.
constexpr const char* sheet = R"(
QMainWindow, QDialog { background: @panel; }
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @selection; }
QMenuBar { background: @panel; border-bottom: 1px solid @line; padding: 1px 4px; }
QMenuBar::item { padding: 4px 9px; border-radius: 4px; background: transparent; }
QMenuBar::item:selected { background: @raised; }
QMenu { background: @panel; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @selfill; color: @text; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @line; margin: 4px 6px; }
QMenu::icon { padding-left: 4px; }
QToolBar { background: @panel; border: none; border-bottom: 1px solid @line; spacing: 2px; padding: 4px 6px; }
QToolBar::separator { background: @line; width: 1px; margin: 3px 5px; }
QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 4px; background: transparent; color: @text; }
QToolButton:hover { background: @raised; }
QToolButton:pressed, QToolButton:checked { background: @selfill; }
QToolButton:focus { border-color: @selection; }
QToolButton#tool\.run { padding: 4px 8px; font-weight: bold; }
QToolBar QLabel { color: @muted; padding: 0 2px 0 6px; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QDockWidget > QWidget { background: @panel; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @muted; padding: 6px 11px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: @text; background: @raised; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @selection; }
QTabWidget::pane { border: none; border-top: 1px solid @line; }
QStatusBar { background: @panel; border-top: 1px solid @line; color: @muted; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @muted; padding: 2px 8px; }
QStatusBar QToolButton { color: @muted; padding: 1px 6px; }
QLineEdit, QPlainTextEdit, QSpinBox, QComboBox { background: @field; border: 1px solid @line; border-radius: 4px; padding: 3px 6px;
  selection-background-color: @selection; selection-color: @canvas; }
QLineEdit:focus, QPlainTextEdit:focus, QSpinBox:focus, QComboBox:focus { border: 1px solid @selection; }
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled { color: @disabled; background: @panel; }
QLineEdit[invalid="true"], QPlainTextEdit[invalid="true"] { border: 1px solid @error; }
QComboBox { padding-right: 20px; }
QComboBox::drop-down { border: none; width: 18px; }
QComboBox::down-arrow { image: url(:/icons/arrow_@name.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @panel; border: 1px solid @line; selection-background-color: @selfill; selection-color: @text;
  outline: none; padding: 2px; }
QSpinBox::up-button, QSpinBox::down-button { width: 0; border: none; }
QCheckBox { spacing: 6px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @muted; border-radius: 3px; background: @field; }
QCheckBox::indicator:checked { background: @selection; border-color: @selection; image: url(:/icons/check_@name.svg); }
QCheckBox::indicator:focus { border-color: @selection; }
QPushButton { background: @raised; border: 1px solid @line; border-radius: 5px; padding: 5px 12px; color: @text; }
QPushButton:hover { border-color: @muted; }
QPushButton:pressed { background: @selfill; }
QPushButton:focus, QPushButton:default { border-color: @selection; }
QPushButton:disabled { color: @disabled; }
QAbstractItemView { background: @panel; border: none; outline: none; alternate-background-color: @raised; }
QTreeView::item, QListView::item { padding: 3px 4px; border: none; }
QTableView::item { padding: 2px 6px; border: none; }
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover { background: @raised; }
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected { background: @selfill; color: @text; }
QTreeView::branch { background: transparent; }
QTreeView::branch:has-children:closed { image: url(:/icons/branch_closed_@name.svg); }
QTreeView::branch:has-children:open { image: url(:/icons/branch_open_@name.svg); }
QTableView { gridline-color: @line; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @muted; border: none; border-bottom: 1px solid @line; padding: 4px 6px; }
QTableCornerButton::section { background: @panel; border: none; }
QScrollBar:vertical { width: 11px; background: transparent; margin: 0; }
QScrollBar:horizontal { height: 11px; background: transparent; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { border: none; border-radius: 3px; background: @raised; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { border-radius: 3px; background: @selection; }
QToolTip { background: @raised; color: @text; border: 1px solid @line; padding: 5px; }
QSplitter::handle { background: @line; }
QScrollArea { background: @panel; border: none; }
QLabel[role="heading"] { color: @muted; font-weight: bold; font-size: 11px; }
QLabel[role="title"] { font-weight: bold; font-size: 14px; }
QLabel[role="muted"], QLabel[role="hint"] { color: @muted; }
QLabel[role="hint"] { font-size: 11px; }
QLabel[role="error"] { color: @error; font-size: 11px; }
QLabel[role="warning"] { color: @warning; font-size: 11px; }
QLabel[role="dock"] { color: @muted; font-weight: bold; font-size: 11px; padding: 6px 10px 5px 10px; }
QLabel[role="start"] { font-weight: bold; font-size: 20px; }
QLabel[role="card-title"] { font-weight: bold; }
QPushButton[role="card"] { text-align: left; background: @raised; border: 1px solid @line; border-radius: 6px; }
QPushButton[role="card"]:hover, QPushButton[role="card"]:focus { border-color: @selection; background: @selfill; }
#page_start { background: @canvas; }
QFrame[role="rule"] { background: @line; max-height: 1px; min-height: 1px; border: none; }
QFrame[role="banner"] { background: @raised; border: none; border-bottom: 1px solid @line; }
)";

}  // namespace

QString style_sheet(const Look& t) {
  QString text = QString::fromLatin1(sheet);
  const std::pair<const char*, QString> names[] = {{"@selection", t.selection.name()},
                                                   {"@selfill", t.selection_fill.name()},
                                                   {"@canvas", t.canvas.name()},
                                                   {"@panel", t.panel.name()},
                                                   {"@raised", t.raised.name()},
                                                   {"@line", t.line.name()},
                                                   {"@field", t.field.name()},
                                                   {"@text", t.text.name()},
                                                   {"@muted", t.muted.name()},
                                                   {"@disabled", t.disabled.name()},
                                                   {"@error", t.error.name()},
                                                   {"@warning", t.warning.name()},
                                                   {"@name", t.name}};
  for (const auto& [from, to] : names) text.replace(QLatin1String(from), to);
  return text;
}

}  // namespace ergode
