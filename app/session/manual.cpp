#include "app/session/manual.h"

#include <algorithm>

#include "app/session/catalogue.h"
#include "app/session/embedded.h"
#include "app/session/plugin_page.h"
#include "core/base/text.h"
#include "core/plugin/plugin_registry.h"
#include "core/random/distribution.h"
#include "plugins/host/discovery.h"
#include "solvers/registry.h"
#include "solvers/run_options.h"

namespace ergode {
namespace {

/// Fit for a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    if (c == '<') out += "&lt;";
    else if (c == '*' || c == '_' || c == '[') out += std::string("\\") + c;
    else out += c == '\n' ? ' ' : c;
  }
  return out;
}

const char* what_is_written(PropertyType type) {
  switch (type) {
    case PropertyType::text:
    case PropertyType::notes:
      return "a text";
    case PropertyType::boolean:
      return "yes or no";
    case PropertyType::integer:
      return "a whole number";
    case PropertyType::quantity:
      return "a value with its unit";
    case PropertyType::predicate:
      return "a condition";
    case PropertyType::expression:
      return "an expression";
    case PropertyType::choice:
      return "one of";
    case PropertyType::trigger:
      return "a [trigger](3_time_and_events)";
    case PropertyType::actions:
      return "[actions](6_expressions)";
    case PropertyType::arguments:
      return "values by name";
    case PropertyType::reference:
      return "the name of another element";
  }
  return "a text";
}

std::string property_rows(const KindSpec& kind) {
  std::string out = "| Property | What it means | You write |\n|---|---|---|\n";
  for (const PropertySpec& p : kind.properties) {
    std::string written = what_is_written(p.type);
    if (p.type == PropertyType::choice) {
      written.clear();
      for (const Choice& choice : p.choices)
        written += (written.empty() ? "" : ", ") + cell(choice.label) + " (`" + choice.name + "`)";
    }
    if (!p.dimension.empty() && p.dimension != "*") written += ", in units like " + cell(p.dimension);
    if (p.required) written += "; required";
    if (!p.default_text.empty()) written += "; default: " + cell(choice_label(p.choices, p.default_text));
    if (!p.instead.empty()) {
      std::string others;
      for (const std::string& name : split(p.instead, ' ')) {
        const PropertySpec* other = kind.property(name);
        others += (others.empty() ? "" : " or ") + cell(other != nullptr ? other->label : name);
      }
      written += "; not read where " + others + " is given";
    }
    if (!p.when_property.empty()) {
      const PropertySpec* other = kind.property(p.when_property);
      written += "; when " + cell(other != nullptr ? other->label : p.when_property) + " is ";
      for (std::size_t i = 0; i < p.when_values.size(); ++i) {
        const std::string& value = p.when_values[i];
        written += (i > 0 ? " or " : "") + cell(other != nullptr ? choice_label(other->choices, value) : value);
      }
    }
    out += "| **" + cell(p.label) + "** | " + cell(p.help) + " | " + written + " |\n";
  }
  return out;
}

HelpPage page_of(const KindSpec& kind, const std::string& where, std::string name) {
  std::string text = "# " + kind.label + "\n\n" + cell(kind.help) + "\n\n";
  if (!where.empty()) text += "Drawn in: " + where + ".";
  if (!kind.shortcut.empty()) text += " Key: **" + kind.shortcut + "**.";
  text += "\n\n" + property_rows(kind);
  return {std::move(name), kind.label, "Elements", text};
}

HelpPage solver_page() {
  std::string text =
      "# Solvers\n\nEach says whether it fits your model, and why not.\n\n| Solver | What it does | After "
      "|\n|---|---|---|\n";
  for (const auto& solver : solvers()) {
    const SolverSpec& spec = solver->spec();
    text += "| **" + cell(spec.label) + "** (`" + spec.name + "`) | " + cell(spec.description) + " | " +
            cell(spec.reference) + " |\n";
  }
  return {"solvers", "Solvers", "Reference", text};
}

HelpPage option_page() {
  std::string text =
      "# Run options\n\nRun > Run options, and the same words as flags of `ergode run`.\n\n| Option | Meaning | "
      "Default |\n|---|---|---|\n";
  for (const RunOption& option : run_options())
    text += "| **" + cell(option.name) + "** | " + cell(option.help) + " | " + cell(option.default_text) + " |\n";
  return {"run_options", "Run options", "Reference", text};
}

HelpPage distribution_page() {
  std::string text =
      "# Distributions\n\nEvery time may be one of these, its arguments by name: `after(weibull(shape = 1.5, scale = "
      "10 "
      "h))`. `ergode fit FILE.csv` finds those that are like a trace. Arrivals whose gaps have memory: [Queueing "
      "networks](8_queueing).\n\n| You write | What it is | Arguments | After |\n|---|---|---|---|\n";
  for (const DistributionForm& form : distribution_forms()) {
    std::string names, arguments;
    for (const DistributionArgument& one : form.arguments) {
      names += (names.empty() ? "" : ", ") + one.name + (one.list ? " = [...]" : "");
      arguments += (arguments.empty() ? "" : "; ") + cell(one.name + ": " + one.help);
    }
    text += "| `" + form.family + "(" + names + ")` | " + cell(form.help) + " | " + arguments + " | " +
            cell(form.reference) + " |\n";
  }
  return {"distributions", "Distributions", "Reference", text};
}

HelpPage problem_page() {
  return {"problems", "Problems", "Reference", R"(# Problems

A problem has a code, a place, what was seen and what was wanted. Select it and press F1 to come here; double click it to
go to its place; the button in its row mends it where that can be done for you.

| Code begins with | It is about |
|---|---|
| FIT | a trace that laws are fitted to |
| FMT, DOC | the file, or the structure of the document |
| PAR | a [parameter](kind.parameter) or a scenario |
| EXP, UNI | an [expression](6_expressions) or a unit |
| SCH | a [statechart](3_time_and_events) |
| SYS | a [component](kind.component), or how components are joined |
| CCF | a [common-cause group](4_common_causes) |
| MEA | a [measure](5_measures) |
| RUN, SOL, MKV | a [run](7_runs_and_results) or a [solver](solvers) |
| RES | kept results |
| SCX, GAL, JMT, PNM, PRI | an imported document |
| STP | stepping through one history |
| QN, QUE | a [queueing network](8_queueing), as it is drawn or as it is solved |
| RNT | a [rental of GPUs](9_clusters) |
| BAT | a [pool of hosts](9_clusters), its jobs or its provisioner |
| GNG | a [GPU cluster](9_clusters), its jobs or its traces |
| RND | a [scheduler of rounds](9_clusters), or its traces |
| DEV | a [fleet of GPUs](9_clusters) or its jobs, or measured devices |
| ITR | a [scheduler of iterations](9_clusters), or its jobs |
| SIM | a drawn simulator |
| PLG | a plugin, its manifest, or what it did while it ran |

One fact gives one problem: what merely follows from it is not listed. Mend the first one, and look again.
)"};
}

std::vector<HelpPage> make_pages() {
  std::vector<HelpPage> out;
  for (const EmbeddedFile& file : embedded_help()) {
    const std::size_t end = file.text.find('\n');
    out.push_back({file.name, file.text.substr(2, end - 2), "Guide", file.text});
  }
  const auto before = [](const NotationSpec& notation, const std::string& kind) -> const KindSpec* {
    for (const NotationSpec& other : catalogue().notations()) {
      if (&other == &notation) return nullptr;
      if (const KindSpec* found = other.kind(kind)) return found;
    }
    return nullptr;
  };
  for (const NotationSpec& notation : catalogue().notations())
    for (const KindSpec& kind : notation.kinds) {
      const KindSpec* known = before(notation, kind.kind);
      if (known == nullptr) out.push_back(page_of(kind, notation.label, "kind." + kind.kind));
      // What is the same in several (a note) has one page.
      else if (known->help != kind.help || property_rows(*known) != property_rows(kind))
        out.push_back(page_of(kind, notation.label, "kind." + notation.name + "." + kind.kind));
    }
  for (const KindSpec& kind : catalogue().model_kinds()) out.push_back(page_of(kind, "", "kind." + kind.kind));
  out.push_back(solver_page());
  out.push_back(option_page());
  out.push_back(distribution_page());
  out.push_back(problem_page());
  const auto of_plugins = static_cast<std::ptrdiff_t>(out.size());
  for (const FoundPlugin& plugin : known_plugins())
    if (plugin.manifest && plugin.state == PluginState::ready)
      out.push_back({"plugin." + plugin.name, plugin.manifest->label, "Plugins", plugin_markdown(*plugin.manifest)});
  // They are found folder by folder, which is no order for a reader.
  std::stable_sort(out.begin() + of_plugins, out.end(),
                   [](const HelpPage& a, const HelpPage& b) { return before_for_people(a.title, b.title); });
  return out;
}

}  // namespace

const std::vector<HelpPage>& help_pages() {
  static const std::vector<HelpPage> all = make_pages();
  return all;
}

const HelpPage* find_help(const std::string& name) {
  for (const HelpPage& page : help_pages())
    if (page.name == name) return &page;
  return nullptr;
}

const HelpPage* help_of(const NotationSpec* notation, const KindSpec& kind) {
  const HelpPage* own = notation != nullptr ? find_help("kind." + notation->name + "." + kind.kind) : nullptr;
  return own != nullptr ? own : find_help("kind." + kind.kind);
}

const HelpPage& help_for(const Document& document, const Element& element) {
  const KindSpec* kind = catalogue().kind_of(document, element);
  const NotationSpec* notation = element.diagram ? catalogue().notation_of(document, element.diagram) : nullptr;
  const HelpPage* page = kind != nullptr ? help_of(notation, *kind) : nullptr;
  return page != nullptr ? *page : help_pages().front();
}

}  // namespace ergode
