#pragma once
#include <pugixml.hpp>

#include "statecharts/exchange/scxml_content.h"

namespace ergode {

/// What the SCXML Recommendation forbids in the text of a document, whatever it does when run: attributes that exclude
/// each other, that are missing or have no such value, elements in the wrong place. Each is reported as SCX017 and
/// makes the import incomplete, because such a document has no meaning. An attribute without a namespace prefix that
/// the Recommendation does not know is reported as SCX018 and changes nothing. Nothing below `content` and `invoke` is
/// looked at, since documents of their own may stand there. Cost: one pass, recursive by level of nesting.
/// W3C, State Chart XML (SCXML), Recommendation of 1 September 2015, sections 3 to 6.
/// @param root    element `scxml`, nested no deeper than xml_defect() lets pass.
/// @param report  made from the text that `root` was read from; the entries name no element of the model.
void check_scxml_rules(pugi::xml_node root, ScxmlReport& report);

}  // namespace ergode
