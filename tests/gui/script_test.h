#pragma once
#include <QJsonArray>
#include <QJsonDocument>

#include "app/gui/script/script_player.h"
#include "tests/gui/gui_test.h"

namespace ergode {

/// Plays a script, as `ergode-workbench --script` does. @returns what went wrong, or nothing
inline QString play(GuiFixture& gui, const char* script) {
  const QJsonDocument steps = QJsonDocument::fromJson(script);
  return steps.isArray() ? ScriptPlayer(gui.window).play(steps.array()) : QStringLiteral("the script is no JSON");
}

}  // namespace ergode
