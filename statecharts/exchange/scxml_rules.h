#pragma once
#include <pugixml.hpp>

#include "statecharts/exchange/scxml_content.h"

namespace ergode {

/// What the SCXML Recommendation forbids in the text of a document, whatever it does when run: attributes that exclude
/// each other, that are missing or have no such value, elements in the wrong place. Each is reported as SCX017 and
/// makes the import incomplete, because such a document has no meaning. Cost: one pass.
void check_scxml_rules(pugi::xml_node root, ScxmlReport& report);

}  // namespace ergode
