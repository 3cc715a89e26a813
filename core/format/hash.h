#pragma once
#include <string>

#include "core/document/document.h"

namespace ergode {

/// sha256 of what the model means: the canonical text without layout, notes on the diagram, descriptions and the
/// question. 64 hexadecimal digits; O(size of the text), which is made for it. Equal models have equal hashes on every
/// machine; the order of elements counts.
std::string semantic_hash(const Document& document);
/// sha256 of the canonical text: what sha256sum says of the file that save_model() writes.
std::string file_hash(const Document& document);

}  // namespace ergode
