#pragma once
#include <map>
#include <pugixml.hpp>
#include <regex>
#include <sstream>
#include <string>

namespace ergode::test {

/// Instantiates the namespace conf: of the W3C tests, which leaves open what depends on the data model, with the
/// notation that the importer reads. An item that has no instance here is left as it is, and the importer reports it.
class ConfInstance {
 public:
  static std::string of(const std::string& text) {
    pugi::xml_document document;
    document.load_string(text.c_str(), pugi::parse_default);
    ConfInstance().walk(document.document_element());
    std::ostringstream out;
    document.save(out, " ");
    return out.str();
  }

 private:
  static std::string variable(const std::string& value) { return "Var" + value; }

  // "1=2" -> Var1 == 2
  static std::string comparison(const std::string& value, bool quoted, bool both) {
    std::smatch m;
    if (!std::regex_match(value, m, std::regex("\\s*([0-9]+)\\s*([=<>]=?)(.*)"))) return "unknown comparison";
    const std::string op = m[2] == "=" ? "==" : m[2].str();
    return variable(m[1]) + " " + op + " " + (both ? variable(m[3]) : quoted ? "'" + m[3].str() + "'" : m[3].str());
  }
  static std::string pair(const std::string& value) {
    std::smatch m;
    std::regex_match(value, m, std::regex("\\s*([0-9]+)\\W+([0-9]+)\\s*"));
    return m.empty() ? "unknown pair" : variable(m[1]) + " == " + variable(m[2]);
  }

  // Each item becomes an attribute; `$` stands for its value, `%` for the variable of that number.
  static bool attribute(pugi::xml_node node, const std::string& item, const std::string& value) {
    static const std::map<std::string, std::pair<const char*, const char*>> plain = {
        {"targetpass", {"target", "pass"}},
        {"targetfail", {"target", "fail"}},
        {"datamodel", {"datamodel", "ecmascript"}},
        {"id", {"id", "%"}},
        {"name", {"name", "%"}},
        {"location", {"location", "%"}},
        {"invalidLocation", {"location", "foo.bar.baz"}},
        {"systemVarLocation", {"location", "$"}},
        {"expr", {"expr", "$"}},
        {"quoteExpr", {"expr", "'$'"}},
        {"varExpr", {"expr", "%"}},
        {"systemVarExpr", {"expr", "$"}},
        {"illegalExpr", {"expr", "return"}},
        {"invalidSessionID", {"expr", "27"}},
        {"illegalTarget", {"target", "baz"}},
        {"unreachableTarget", {"target", "#_scxml_foo"}},
        {"invalidSendType", {"type", "27"}},
        {"targetVar", {"targetexpr", "%"}},
        {"targetExpr", {"targetexpr", "%"}},
        {"eventExpr", {"eventexpr", "%"}},
        {"delay", {"delay", "$s"}},
        {"delayFromVar", {"delayexpr", "%"}},
        {"sendIDExpr", {"sendidexpr", "%"}},
        {"idlocation", {"idlocation", "%"}},
        {"namelist", {"namelist", "%"}},
        {"invalidNamelist", {"namelist", "undeclared"}},
        {"scxmlEventIOLocation", {"expr", "_ioprocessors['http://www.w3.org/TR/scxml/#SCXMLEventProcessor'].location"}},
        {"eventName", {"expr", "_event.name"}},
        {"eventType", {"expr", "_event.type"}},
        {"eventField", {"expr", "_event.$"}},
        {"eventDataFieldValue", {"expr", "_event.data.$"}},
        {"eventDataParamValue", {"expr", "_event.data.$"}},
        {"eventDataNamelistValue", {"expr", "_event.data.%"}},
        {"eventNameVal", {"cond", "_event.name == '$'"}},
        {"eventdataVal", {"cond", "_event.data == $"}},
        {"eventdataSomeVal", {"cond", "_event.data == 123"}},
        {"emptyEventData", {"cond", "typeof _event.data == 'undefined'"}},
        {"nameVarVal", {"cond", "_name == '$'"}},
        {"inState", {"cond", "In('$')"}},
        {"nonBoolean", {"cond", "return"}},
        {"isBound", {"cond", "%"}},
        {"noValue", {"cond", "!%"}},
        {"unboundVar", {"cond", "typeof % == 'undefined'"}},
        {"true", {"cond", "true"}},
        {"false", {"cond", "false"}},
        {"eventFieldHasNoValue", {"cond", "typeof _event.$ == 'undefined'"}},
        {"eventFieldsAreBound",
         {"cond",
          "'name' in _event && 'type' in _event && 'sendid' in _event && 'origin' in _event && 'origintype' in _event "
          "&& 'invokeid' in _event && 'data' in _event"}},
        {"item", {"item", "%"}},
        {"index", {"index", "%"}},
        {"arrayVar", {"array", "%"}}};
    if (const auto found = plain.find(item); found != plain.end()) {
      std::string text;
      for (const char* c = found->second.second; *c != '\0'; ++c)
        text += *c == '$' ? value : *c == '%' ? variable(value) : std::string(1, *c);
      node.append_attribute(found->second.first) = text.c_str();
      return true;
    }
    std::string condition;
    if (item == "idVal" || item == "namelistIdVal") condition = comparison(value, false, false);
    else if (item == "idQuoteVal") condition = comparison(value, true, false);
    else if (item == "compareIDVal" || item == "varIdVal") condition = comparison(value, false, true);
    else if (item == "idSystemVarVal") condition = comparison(value, false, false);
    else if (item == "VarEqVar" || item == "VarEqVarStruct") condition = pair(value);
    else if (item == "eventvarVal") condition = "_event.data['" + comparison(value, false, false);
    else return false;
    if (item == "eventvarVal") condition.insert(condition.find(' '), "']");
    node.append_attribute("cond") = condition.c_str();
    return true;
  }

  static bool element(pugi::xml_node node, const std::string& item) {
    const auto assign = [&](const std::string& location, const std::string& expression) {
      node.set_name("assign");
      node.append_attribute("location") = location.c_str();
      node.append_attribute("expr") = expression.c_str();
    };
    const auto number = [&](const char* attribute) { return variable(node.attribute(attribute).value()); };
    if (item == "pass" || item == "fail") node.set_name("final"), node.append_attribute("id") = item.c_str();
    else if (item == "incrementID") assign(number("id"), number("id") + " + 1");
    else if (item == "concatVars" || item == "sumVars") assign(number("id1"), number("id1") + " + " + number("id2"));
    else if (item == "extendArray") assign(number("id"), "[].concat(" + number("id") + ", [4])");
    else if (item == "contentFoo") node.set_name("content"), node.text() = "foo";
    else if (item == "sendToSender") {
      node.set_name("send");
      node.append_attribute("event") = node.attribute("name").value();
      node.append_attribute("targetexpr") = "_event.origin";
      node.append_attribute("typeexpr") = "_event.origintype";
    } else if (item == "array123" || item == "someInlineVal") {
      node.parent().text() = item == "array123" ? "[1,2,3]" : "123";
      node.parent().remove_child(node);
    } else {
      return false;
    }
    return true;
  }

  void walk(pugi::xml_node node) {
    std::vector<std::pair<std::string, std::string>> items;
    for (const pugi::xml_attribute a : node.attributes())
      if (std::string_view(a.name()).substr(0, 5) == "conf:") items.emplace_back(a.name() + 5, a.value());
    for (const auto& [item, value] : items)
      if (attribute(node, item, value)) node.remove_attribute(("conf:" + item).c_str());
    for (pugi::xml_node child = node.first_child(); child;) {
      const pugi::xml_node next = child.next_sibling();
      const std::string_view name = child.name();
      if (name.substr(0, 5) == "conf:") element(child, std::string(name.substr(5)));
      else walk(child);
      child = next;
    }
  }
};

}  // namespace ergode::test
