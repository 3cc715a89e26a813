#pragma once
#include <string>

#include "core/catalogue/catalogue.h"
#include "core/document/command.h"

namespace ergode {

/// Puts an empty diagram of a kind, with what such a diagram begins with, into a model. Where nothing is drawn in any
/// diagram yet, the header takes what the kind wants said there (DiagramKind::header).
/// @param name  of the diagram, free in the model
ElementId insert_diagram(Edit& edit, const NotationSpec& notation, const DiagramKind& kind, const std::string& name);

/// The model without a name that a user begins with (until he gives it one, its file's name is shown instead): one
/// empty diagram of the kind of this name (DiagramKind::name); of those that every new model has where it is empty or
/// unknown.
Document new_model(const std::string& diagram_kind = {});

}  // namespace ergode
