#include "app/session/key_check.h"

#include <algorithm>
#include <memory>

#include "app/session/catalogue.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/document/command.h"
#include "core/format/model_file.h"

namespace ergode {
namespace {

constexpr std::size_t most_reports = 200;

/// What imports leave on elements for exports and traces; no property that a user sets.
bool kept_by_imports(const std::string& key) { return key == "scxml_id" || key == "depth"; }

/// Keys that say where an element stands rather than what it is like.
std::vector<std::string> structural_keys(Section section) {
  switch (section) {
    case Section::node:
      return {"id", "kind", "parent"};
    case Section::edge:
      return {"id", "kind", "source", "target"};
    case Section::diagram:
      return {"id", "nodes", "edges"};
    default:
      return {"id"};
  }
}

class KeyCheck {
 public:
  KeyCheck(const Document& document, Diagnostics& problems) : document_(document), problems_(problems) {}

  void run() {
    for (const auto& [key, value] : document_.unknown().items()) unknown_key({}, key, model_file_keys());
    for (const Element& element : document_.elements()) {
      if (reports_ >= most_reports) return;
      if (const KindSpec* kind = catalogue().kind_of(document_, element)) look(element, *kind);
    }
  }

 private:
  void look(const Element& element, const KindSpec& kind) {
    for (const auto& [key, value] : element.properties.items()) {
      const PropertySpec* known = kind.property(key);
      if (known == nullptr) {
        if (kept_by_imports(key) || of_missing_plugin(element, kind, key)) continue;
        std::vector<std::string> keys = structural_keys(element.section);
        for (const PropertySpec& spec : kind.properties) keys.push_back(spec.name);
        unknown_key(element.id, key, keys);
      } else if (value.is_null()) {
        add({.code = "DOC002",
             .element = element.id,
             .pointer = key,
             .message = "Here is null; wanted a text, number or boolean.",
             .hint = "Leave the key out where there is nothing to say."});
      }
    }
    if (element.section == Section::measure) no_effect(element, kind);
  }

  /// Of an element that a plugin serves which is not here: what its keys mean only the plugin's manifest says.
  static bool of_missing_plugin(const Element& element, const KindSpec& kind, const std::string& key) {
    for (const PropertySpec& spec : kind.properties) {
      if (spec.reference != "plugin") continue;
      const std::string plugin(trim(element.text(spec.name)));
      return !plugin.empty() && key.starts_with(plugin + "_") &&
             std::none_of(spec.choices.begin(), spec.choices.end(), [&](const Choice& c) { return c.name == plugin; });
    }
    return false;
  }

  /// What one type of measure reads as a level another reads as a time: a value that the type does not read was meant
  /// for something. (What a station keeps for another discipline is there to be tried again.)
  void no_effect(const Element& element, const KindSpec& kind) {
    for (const PropertySpec& spec : kind.properties) {
      if (spec.when_property.empty() || trim(element.text(spec.name)).empty()) continue;
      const PropertySpec* deciding = kind.property(spec.when_property);
      const std::string word = element.text(spec.when_property, deciding->default_text);
      const auto reads = [&](const PropertySpec& one) {
        return std::find(one.when_values.begin(), one.when_values.end(), word) != one.when_values.end();
      };
      const bool known = std::any_of(deciding->choices.begin(), deciding->choices.end(),
                                     [&](const Choice& one) { return one.name == word; });
      if (!known || reads(spec)) continue;  // an unknown type is reported where it is read
      std::string others;
      for (const PropertySpec& other : kind.properties)
        if (other.when_property == spec.when_property && !element.has(other.name) && reads(other))
          others += (others.empty() ? "" : ", ") + other.name;
      add({.severity = Severity::warning,
           .code = "DOC006",
           .element = element.id,
           .pointer = spec.name,
           .message = "The key \"" + spec.name + "\" means nothing to a measure of the type \"" + word +
                      "\"; it is kept but has no effect.",
           .hint = others.empty() ? "Take it away." : "Take it away. There are also: " + others + "."});
    }
  }

  void unknown_key(ElementId element, const std::string& key, const std::vector<std::string>& known) {
    const std::string near = nearest_word(key, known);
    Diagnostic d{.severity = near.empty() ? Severity::warning : Severity::error,
                 .code = "DOC006",
                 .element = element,
                 .pointer = element ? quotable(key) : "/" + quotable(key),
                 .message = "The key \"" + quotable(key) + "\" means nothing here" +
                            (near.empty() ? "; it is kept but has no effect." : "."),
                 .hint = near.empty() ? std::string() : "Did you mean " + near + "?"};
    const Element* owner = document_.find(element);
    // A fix holds a copy of the document while it is made: the first few will do.
    if (owner != nullptr && !near.empty() && !owner->has(near) && reports_ < 10) rename_fix(*owner, key, near, d);
    add(std::move(d));
  }
  void rename_fix(const Element& owner, const std::string& key, const std::string& near, Diagnostic& d) const {
    const auto structural = structural_keys(owner.section);
    if (std::find(structural.begin(), structural.end(), near) != structural.end()) return;
    Edit edit(document_, "Rename the key " + quotable(key));
    edit.set(owner.id, near, owner.properties[key]);
    edit.set(owner.id, key, nullptr);
    d.fixes.push_back({"Call it " + near, std::make_shared<const Command>(edit.finish())});
  }
  void add(Diagnostic d) {
    if (reports_++ < most_reports) problems_.push_back(std::move(d));
  }

  const Document& document_;
  Diagnostics& problems_;
  std::size_t reports_ = 0;
};

}  // namespace

void check_keys(const Document& document, Diagnostics& problems) { KeyCheck(document, problems).run(); }

}  // namespace ergode
