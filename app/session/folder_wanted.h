#pragma once
#include <optional>
#include <string>

#include "core/base/diagnostic.h"
#include "core/base/file_access.h"
#include "core/document/document.h"

namespace ergode {

/// The folder that a user would have to allow so that an EXP008 goes away; nothing for other complaints, and where
/// allowing would not help.
/// @param access  with which the model was checked
std::optional<std::string> folder_wanted(const Document& document, const Diagnostic& problem, const FileAccess& access);

}  // namespace ergode
