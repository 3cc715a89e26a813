#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/drawing/diagram_picture.h"
#include "core/report/report_parts.h"
#include "core/results/value_text.h"

// What the report says of the model: scope and assumptions, diagrams, data.
namespace ergode {
namespace {

constexpr const char* all_else = "*";       // the column of what no other column shows; the last one, if not named
constexpr std::size_t most_diagrams = 500;  // nobody leafs through more, and each costs time and room

/// Whether elements of a kind have a table in the model's part of the report.
bool has_table(const KindSpec& kind) {
  return !kind.report_data && (!kind.report_caption.empty() || !kind.report_columns.empty());
}

/// What a table of such elements shows of each. Whatever decides about a number has to stand somewhere.
std::vector<std::string> columns_of(const KindSpec& kind) {
  std::vector<std::string> out = kind.report_columns;
  if (std::find(out.begin(), out.end(), all_else) == out.end()) out.emplace_back(all_else);
  return out;
}

}  // namespace

void Report::scope() {
  page_.section("Scope and assumptions");
  if (input_.document == nullptr) {
    page_.missing("The model is not available, so its scope and assumptions cannot be listed.");
    return;
  }
  const Element& header = input_.document->model();
  if (header.has("description")) page_.notes(header.text("description"));
  else page_.missing("The model has no notes on its scope.");
  page_.heading("Assumptions");
  if (header.has("assumptions")) assumptions(header.text("assumptions"));
  else page_.missing("No assumptions are recorded in the model.");
  std::vector<std::string> from_parameters;
  for (const Element* p : input_.document->of(Section::parameter)) {
    std::string source = p->text("source");
    std::transform(source.begin(), source.end(), source.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (source.find("assum") != std::string::npos)
      from_parameters.push_back(p->name() + " = " + value_in_run(*p) + ": " + p->text("source"));
  }
  if (!from_parameters.empty()) {
    page_.paragraph("Parameters whose source is an assumption:");
    page_.list(from_parameters);
  }
  page_.heading("Exclusions");
  ReportTable t;
  t.caption = "Findings that the analyst has excluded, with the reason";
  t.columns = {"Finding", "Element", "Reason"};
  for (const Element* e : input_.document->of(Section::exclusion))
    t.rows.push_back({e->text("code"), e->text("element"), or_missing(e->text("comment"))});
  if (t.rows.empty()) page_.paragraph("None: no finding is excluded.");
  else page_.table(t);
  page_.paragraph(
      "Not part of this report: importance measures, and the uncertainty of the parameters themselves. The intervals "
      "below are statistical: they say how far sampling may be off for the parameter values given.");
}

std::string Report::resolved(const std::string& name) const {
  if (main_ == nullptr) return "";
  const auto found = main_->provenance.parameters.find(name);
  return found == main_->provenance.parameters.end() ? "" : found->second;
}

std::string Report::value_in_run(const Element& parameter) const {
  const std::string drawn = parameter.text("value"), run = resolved(parameter.name());
  if (run.empty()) return drawn;
  const Parameter* base = base_.find(parameter.name());
  const bool changed = base != nullptr && base->value_text() != run;
  return changed ? run + " in this run (" + drawn + " in the model)" : run;
}

void Report::assumptions(const std::string& text) {
  if (text.find("\n\n") != std::string::npos || text.find("\n- ") != std::string::npos ||
      text.find('\n') == std::string::npos)
    return page_.notes(text);
  std::vector<std::string> lines;
  for (const std::string& line : ergode::split(text, '\n'))
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  page_.list(lines);
}

void Report::model() {
  page_.section("Model");
  if (input_.document == nullptr) {
    page_.missing("The model is not available; its diagrams cannot be drawn.");
    return;
  }
  const auto diagrams = input_.document->of(Section::diagram);
  if (diagrams.empty()) page_.missing("Nothing is drawn: the model is its parameters and measures alone.");
  if (diagrams.size() > most_diagrams)
    page_.missing("The model has " + std::to_string(diagrams.size()) + " diagrams; the first " +
                  std::to_string(most_diagrams) + " are drawn here.");
  for (std::size_t i = 0; i < std::min(diagrams.size(), most_diagrams); ++i) {
    const Element* d = diagrams[i];
    page_.heading(or_missing(d->name(), "Diagram without a name"));
    if (d->has("description")) page_.notes(d->text("description"));
    const Picture picture = draw_diagram(*input_.document, d->id, catalogue());
    if (picture.primitives.empty()) page_.missing("The diagram is empty.");
    else
      page_.figure(picture, "Diagram " + or_missing(d->name(), "without a name") + " (" +
                                or_missing(d->text("notation"), "notation not stated") + ")");
    elements(*d);
  }
}

void Report::elements(const Element& diagram) {
  const NotationSpec* notation = catalogue().notation(diagram.text("notation"));
  if (notation == nullptr) return;
  std::vector<std::vector<const KindSpec*>> tables;  // kinds with one caption share a table
  for (const KindSpec& kind : notation->kinds) {
    if (!has_table(kind)) continue;
    const auto same = std::find_if(tables.begin(), tables.end(), [&](const auto& kinds) {
      return kinds.front()->report_caption == kind.report_caption;
    });
    if (same != tables.end()) same->push_back(&kind);
    else tables.push_back({&kind});
  }
  for (const auto& kinds : tables) elements(diagram, kinds);
  if (!tables.empty()) other_elements(diagram, *notation);
}

void Report::other_elements(const Element& diagram, const NotationSpec& notation) {
  ReportTable t;
  t.caption = "Other elements of " + or_missing(diagram.name(), "the diagram");
  t.columns = {"Name", "Kind", "Parameters"};
  for (const Element* e : input_.document->nodes(diagram.id)) {
    const auto kind = std::find_if(notation.kinds.begin(), notation.kinds.end(),
                                   [&](const KindSpec& k) { return k.section == Section::node && k.kind == e->kind; });
    if (kind == notation.kinds.end() || kind->report_data || has_table(*kind)) continue;
    if (std::string all = settings(*kind, *e); !all.empty())
      t.rows.push_back({path_of(e->id), kind->label, std::move(all)});
  }
  if (!t.rows.empty()) page_.table(t);
}

std::string Report::path_of(ElementId element) const {
  const Element* e = input_.document->find(element);
  if (e == nullptr) return "missing";
  std::string out = e->name().empty() ? "(" + e->kind + ")" : e->name();
  std::set<ElementId> met{element};  // a damaged file may have parents in a circle
  for (const Element* up = input_.document->find(e->parent); up != nullptr && met.insert(up->id).second;
       up = input_.document->find(up->parent))
    out.insert(0, (up->name().empty() ? "(" + up->kind + ")" : up->name()) + ".");
  return out;
}

std::string Report::chosen(const PropertySpec& property, const std::string& text) const {
  const std::string word(trim(text));
  const bool known = std::any_of(property.choices.begin(), property.choices.end(),
                                 [&](const Choice& choice) { return choice.name == word; });
  if (known || property.type != PropertyType::choice) return word;
  if (const std::string in_run = resolved(word); !in_run.empty()) return in_run;
  const Parameter* parameter = base_.find(word);
  return parameter != nullptr ? parameter->value_text() : word;
}

std::string Report::cell(const KindSpec& kind, const Element& element, const std::string& column) const {
  const PropertySpec* property = kind.property(column);
  if (property == nullptr) return element.text(column);
  const auto written = [&](const PropertySpec& p) {
    return element.has(p.name) && !element.text(p.name).empty() ? element.text(p.name) : default_of(p, element);
  };
  const PropertySpec* decides = kind.property(property->when_property);
  if (decides != nullptr && std::find(property->when_values.begin(), property->when_values.end(),
                                      chosen(*decides, written(*decides))) == property->when_values.end())
    return "";
  const std::string text = written(*property), word = chosen(*property, text);
  std::string out = choice_label(property->choices, word);
  if (word != trim(text)) out = text + ": " + out;
  if (!element.text(column).empty() && is_replaced(*property, element)) out += " (not used)";
  return out;
}

std::string Report::settings(const KindSpec& kind, const Element& element) const {
  std::string out;
  for (const PropertySpec& property : kind.properties) {
    const auto& columns = kind.report_columns;
    // A time that nobody wrote is a number of the model all the same, where no other column says so.
    const bool said =
        !trim(element.text(property.name)).empty() || (columns.empty() && property.type == PropertyType::expression);
    if (property.group != "Behaviour" || !said ||
        std::find(columns.begin(), columns.end(), property.name) != columns.end())
      continue;
    if (const std::string value = cell(kind, element, property.name); !value.empty())
      out += (out.empty() ? "" : "; ") + property.label + " = " + value;
  }
  return out;
}

void Report::elements(const Element& diagram, const std::vector<const KindSpec*>& kinds) {
  const bool edges = kinds.front()->section == Section::edge;
  ReportTable t;
  t.caption = kinds.front()->report_caption;
  if (const std::size_t name = t.caption.find('*'); name != std::string::npos)
    t.caption.replace(name, 1, or_missing(diagram.name(), "the diagram"));
  t.columns = edges ? std::vector<std::string>{"From", "To"} : std::vector<std::string>{"Name"};
  const std::size_t first = t.columns.size();
  std::vector<std::string> usual;
  const std::vector<std::string> columns = columns_of(*kinds.front());
  for (const std::string& column : columns) {
    const PropertySpec* property = kinds.front()->property(column);
    t.columns.push_back(property != nullptr ? property->label : column == all_else ? "Parameters" : column);
    usual.push_back(property != nullptr ? choice_label(property->choices, property->default_text) : "");
  }
  for (const Element* e : edges ? input_.document->edges(diagram.id) : input_.document->nodes(diagram.id)) {
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const KindSpec* k) { return k->kind == e->kind; });
    if (kind == kinds.end()) continue;
    std::vector<std::string> row =
        edges ? std::vector{path_of(e->source), path_of(e->target)} : std::vector{path_of(e->id)};
    bool says = edges;
    for (const std::string& column : columns) {
      row.push_back(column == all_else ? settings(**kind, *e) : cell(**kind, *e, column));
      // A time that nobody wrote is a number of the model all the same.
      const PropertySpec* property = (*kind)->property(column);
      const bool number = property != nullptr &&
                          (property->type == PropertyType::expression || property->type == PropertyType::integer);
      says = says || !e->text(column).empty() || ((number || column == all_else) && !row.back().empty());
    }
    if (says) t.rows.push_back(std::move(row));
  }
  // What is as usual in all of them needs no column.
  for (std::size_t c = t.columns.size(); c-- > first;) {
    const std::string& common = edges ? usual[c - first] : "";
    if (!std::all_of(t.rows.begin(), t.rows.end(), [&](const auto& row) { return row[c] == common || row[c].empty(); }))
      continue;
    t.columns.erase(t.columns.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& row : t.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(c));
  }
  if (!t.rows.empty()) page_.table(t);
}

void Report::data() {
  std::vector<const KindSpec*> told, none;
  for (const NotationSpec& notation : catalogue().notations())
    for (const KindSpec& kind : notation.kinds) {
      if (!kind.report_data || kind.section != Section::node) continue;
      if (has(kind)) told.push_back(&kind);
      else if (!kind.report_data->none.empty() && expects(kind)) none.push_back(&kind);
    }
  std::string title = "Data";
  for (std::size_t i = 0; i < told.size(); ++i)
    title += (i + 1 == told.size() ? " and " : ", ") + told[i]->report_data->data;
  page_.section(title);
  parameters();
  for (const KindSpec* kind : none) page_.missing(kind->report_data->none);
  for (const KindSpec* kind : told) {
    page_.heading(kind->report_data->heading);
    const std::vector<const ReportSection*> sections = told_of(*kind);
    for (const ReportSection* one : sections) section(*one);
    if (!sections.empty()) continue;
    given(*kind);
    if (!kind->report_data->given_note.empty()) page_.missing(kind->report_data->given_note);
  }
}

std::vector<const ReportSection*> Report::told_of(const KindSpec& kind) const {
  std::vector<const ReportSection*> out;
  if (input_.document == nullptr) return out;
  for (const DataSection& one : input_.data)
    if (const Element* e = input_.document->find(one.element); e != nullptr && e->kind == kind.kind)
      out.push_back(&one.section);
  return out;
}

bool Report::has(const KindSpec& kind) const {
  if (input_.document == nullptr) return false;
  const auto nodes = input_.document->of(Section::node);
  return std::any_of(nodes.begin(), nodes.end(), [&](const Element* e) { return e->kind == kind.kind; });
}

bool Report::expects(const KindSpec& kind) const {
  if (input_.document == nullptr) return false;
  const auto& notations = kind.report_data->expected_in;
  const auto diagrams = input_.document->of(Section::diagram);
  return std::any_of(diagrams.begin(), diagrams.end(), [&](const Element* d) {
    return std::find(notations.begin(), notations.end(), d->text("notation")) != notations.end();
  });
}

void Report::section(const ReportSection& section) {
  page_.heading(section.heading);
  for (const std::string& text : section.paragraphs) page_.paragraph(text);
  for (const ReportTable& table : section.tables) page_.table(table);
}

void Report::given(const KindSpec& kind) {
  ReportTable t;
  t.caption = kind.report_data->given_caption;
  t.columns = {kind.label, "Property", "Value"};
  if (input_.document != nullptr)
    for (const Element* e : input_.document->of(Section::node))
      if (e->kind == kind.kind)
        for (const auto& [key, value] : e->properties.items())
          if (key != "name") t.rows.push_back({e->name(), key, e->text(key)});
  if (!t.rows.empty()) page_.table(t);
}

void Report::parameters() {
  ReportTable t;
  t.caption = "Parameters";
  t.columns = {"Name", "Meaning", "Value in the model", "Value in this run", "Unit", "Source"};
  std::set<std::string> listed;
  if (input_.document != nullptr)
    for (const Element* p : input_.document->of(Section::parameter)) {
      listed.insert(p->name());
      t.rows.push_back({p->name(), p->text("description"), p->text("value"), resolved(p->name()), p->text("unit"),
                        or_missing(p->text("source"))});
    }
  if (main_ != nullptr)
    for (const auto& [name, value] : main_->provenance.parameters)
      if (!listed.contains(name)) t.rows.push_back({name, "", "", value, "", "not available"});
  if (t.rows.empty()) page_.missing("The model has no parameters.");
  else page_.table(t);
  if (main_ == nullptr || main_->provenance.overrides.empty()) return;
  ReportTable o;
  o.caption = "Values set for this run by its user";
  o.columns = {"Parameter", "Given as"};
  for (const auto& [name, value] : main_->provenance.overrides) o.rows.push_back({name, value});
  page_.table(o);
  page_.paragraph("The tables and pictures of the model show it with these values.");
}

}  // namespace ergode
