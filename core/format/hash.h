#pragma once
#include <string>

#include "core/document/document.h"

namespace ergode {

/// sha256 of what the model means: the canonical text without layout, notes on the diagram and descriptions.
std::string semantic_hash(const Document& document);
/// sha256 of the canonical text.
std::string file_hash(const Document& document);

}  // namespace ergode
