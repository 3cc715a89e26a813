#pragma once
#include <QWidget>

namespace ergode {

/// What was typed into a field of a window and not yet confirmed by Enter becomes a value, as if the field had been
/// left, which keeps the focus where it still is: before the model is run, stepped, saved or closed. Fields of dialogs
/// decide themselves.
void confirm_typed();

}  // namespace ergode
