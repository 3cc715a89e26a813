#pragma once
#include <QJsonArray>
#include <QJsonObject>
#include <QString>

namespace ergode {

class MainWindow;

/// Plays user events on a window through Qt Test, and checks what is to be seen afterwards. Used by --ui-script and
/// tests.
///
/// A script is a JSON array (or {"size": "1600x1000", "steps": [...]}) of steps, each with one key:
///   {"click": T} {"double_click": T} {"drag": T, "to": T}   T: an element's name or id, "x,y" in scene coordinates, or
///   the
///                                                  object name of a widget; "modifiers": ["ctrl", "shift"] may be
///                                                  added
///   {"key": "Ctrl+Z"}  {"type": "text"}  {"set": "field.state.name", "text": "Failed"}  {"trigger": "run.start"}
///   {"select": ["A", "B"]}  {"diagram": "EDG"}  {"wait_idle": 5000}  {"wait_run": 20000}  {"screenshot": "file.png"}
///   {"expect": {"depth": 3, "undo_text": "...", "modified": true, "semantic": "hash", "file": "hash", "exists":
///   "Failed",
///               "absent": "X", "property": {"element": "A", "name": "entry", "is": "x := 1"}, "problem": "SCH003",
///               "problems": 0, "state": "Done", "selected": ["A"], "tool": "select", "nodes": 4, "edges": 2,
///               "bounds": {"element": "A", "is": [0, 0, 140, 60]}}}
class ScriptPlayer {
 public:
  explicit ScriptPlayer(MainWindow& window) : window_(window) {}
  /// @returns what went wrong first, with the number of the step (from 1); empty: everything is as expected.
  QString play(const QJsonArray& steps);

 private:
  QString play_step(const QJsonObject& step);
  QString mouse(const QJsonObject& step);
  QString expect(const QJsonObject& wanted);
  QString expect_model(const QString& key, const QJsonValue& value);
  QString wait(bool for_run, int limit_ms);
  MainWindow& window_;
};

/// Reads and plays a script file; prints what went wrong. @returns 0, or 1.
int play_script_file(MainWindow& window, const QString& path);

}  // namespace ergode
