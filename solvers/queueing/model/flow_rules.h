#pragma once
#include <string>

#include "core/document/document.h"

namespace ergode {

/// Why no flow leads from a node of one kind to one of another: a sentence for people; empty: it may. The one rule for
/// hands that draw, for models that are read from files, and for nets of other programs. Kinds of other rooms are not
/// judged. O(kinds).
std::string why_no_flow(const std::string& from, const std::string& to);

/// A node as messages call it: station "desk".
std::string called(const Element& node);

}  // namespace ergode
