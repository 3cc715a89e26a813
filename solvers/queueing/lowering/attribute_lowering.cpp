// Attributes of customers: which there are, where their values come from, which classes have them, and who reads them.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/expression/compile.h"
#include "core/expression/declarations.h"
#include "solvers/queueing/lowering/lowering_steps.h"
#include "solvers/queueing/lowering/words.h"

namespace ergode {
namespace {

using Attribute = NetworkModel::Attribute;
using AttributeLaw = NetworkModel::AttributeLaw;
using Base = ValueType::Base;
using Kind = NetworkModel::Kind;

constexpr const char* declaring = "attributes";  ///< the property
constexpr const char* taking = "taken";          ///< the property of sources of jobs

/// "real MB", "integer", "boolean", "real"; nothing: a number without unit.
std::optional<Attribute> typed(const DeclarationSyntax& written) {
  Attribute out{.name = written.value.name, .type = ValueType::real(), .unit = {}};
  const std::string text(trim(written.type));
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string word = text.substr(0, end), rest(trim(std::string_view(text).substr(end)));
  if (text.empty()) return out;
  if (word == "integer" || word == "boolean") {
    out.type = word == "integer" ? ValueType::integer() : ValueType::boolean();
    return rest.empty() ? std::optional(out) : std::nullopt;
  }
  if (word != "real") return std::nullopt;
  const auto unit = parse_unit(rest);
  if (!unit) return std::nullopt;
  out.unit = rest, out.type.dimension = unit->dimension;
  return out;
}

bool is_call(const Syntax& syntax, std::string_view word) {
  return syntax.kind == Syntax::Kind::call && syntax.word == word && syntax.unit.empty();
}

std::string type_text(const Attribute& of) {
  return of.type.base == Base::integer   ? "integer"
         : of.type.base == Base::boolean ? "boolean"
         : of.unit.empty()               ? "real"
                                         : "real " + of.unit;
}

}  // namespace

void NetworkLowering::declare_attributes(Lowering& model) {
  for (const char* kind : {"job_class", "source"})
    for (const Element* element : model.nodes("queueing", kind)) {
      std::vector<std::string> own;
      if (kind == std::string_view("source")) declare_attributes(model, *element, taking, own);
      declare_attributes(model, *element, declaring, own);
    }
  for (std::size_t a = 0; a < net().attributes.size(); ++a) {
    const std::uint32_t slot = model.slots.add(0.0);
    if (a == 0) net().attribute_slot = slot;
  }
}

void NetworkLowering::declare_attributes(Lowering& model, const Element& element, const char* property,
                                         std::vector<std::string>& own) {
  const auto parsed = parse_declarations(element.text(property));
  const auto* list = std::get_if<std::vector<DeclarationSyntax>>(&parsed);
  if (list == nullptr) return;  // refused when values are read
  for (const DeclarationSyntax& one : *list) {
    const std::string& name = one.value.name;
    const auto refuse = [&](std::string why, std::string hint = {}) {
      model.refuse(element, "QN017", property, std::move(why), std::move(hint));
    };
    const auto type = typed(one);
    if (!type) {
      refuse("The type of \"" + name + "\" is \"" + one.type + "\"; wanted real, real with a unit, integer or boolean.",
             "Write size: real MB = ..., n: integer = ..., urgent: boolean = ...");
      continue;
    }
    if (std::find(own.begin(), own.end(), name) != own.end()) {
      refuse("\"" + name + "\" is declared twice.");
      continue;
    }
    own.push_back(name);
    const auto known = std::find_if(net().attributes.begin(), net().attributes.end(),
                                    [&](const Attribute& a) { return a.name == name; });
    if (known != net().attributes.end()) {
      const bool left_out = trim(one.type).empty();
      if (!left_out && (known->type.base != type->type.base || !(known->type.dimension == type->type.dimension)))
        refuse("\"" + name + "\" is " + type_text(*type) + " here and " + type_text(*known) +
               " elsewhere; wanted one type for all customers who have it.");
      continue;
    }
    if (model.parameters.find(name) != nullptr) {
      refuse("\"" + name + "\" is also the name of a parameter.");
      continue;
    }
    if (const auto* other = model.slots.declare(
            name, {element.id, "customer attribute, known where an expression concerns one customer"})) {
      refuse("\"" + name + "\" is also the name of a " + other->what + ".");
      continue;
    }
    net().attributes.push_back(*type);
  }
}

void NetworkLowering::declare_jobs(Lowering& model, const Element& element, Node& node) {
  const auto refuse = [&](const char* property, std::string why, std::string hint = {}) {
    model.refuse(element, "QN021", property, std::move(why), std::move(hint));
  };
  const std::string name(trim(element.text("jobs")));
  if (name.empty()) {
    for (const char* property : {taking, "outcome"})
      if (is_written(element, property))
        refuse(property, "Customers take something of jobs, and no stream of these is named.",
               "Name the job stream that they come from.");
    return;
  }
  const Element* from = nullptr;
  std::string known;
  for (const char* kind : {"job_stream", "round_scheduler", "iteration_scheduler"})
    for (const Element* one : model.nodes("cluster", kind)) {
      if (one->name() == name) from = one;
      known += (known.empty() ? "" : ", ") + one->name();
    }
  if (from == nullptr)
    return refuse("jobs", "There is no job stream or scheduler of training jobs \"" + quotable(name) + "\".",
                  known.empty() ? "Draw a cluster to which jobs come." : "Name one of those drawn: " + known + ".");
  for (const char* other : {"rate", "interarrival", "batch"})
    if (is_written(element, other))
      return refuse(other,
                    "Customers of \"" + element.name() + "\" are jobs of \"" + name +
                        "\"; wanted nothing else that says when they come, or how many.",
                    "Take it away, or the jobs.");
  const std::string word(trim(element.text("outcome")));
  const auto* outcome = std::find_if(std::begin(outcome_words), std::end(outcome_words), [&](const auto& one) {
    return word == one.name || (word.empty() && &one == outcome_words);
  });
  if (outcome == std::end(outcome_words))
    return refuse("outcome", "\"" + quotable(word) + "\" is no outcome of jobs; wanted done or rejected.");
  for (const Handover& one : model.slots.handovers)
    if (one.from == from->id && one.whom == outcome->value)
      return refuse("jobs",
                    "Jobs of \"" + name + "\" are customers of \"" + model.document.find(one.to)->name() +
                        "\" already; wanted one source.",
                    "Let a router lead them on from there.");
  Handover made{.from = from->id, .to = element.id, .whom = outcome->value, .wanted = {}};
  const auto parsed = parse_declarations(element.text(taking));
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    model.problems.push_back(
        to_diagnostic({.code = error->code, .message = error->message, .column = error->column}, element.id, taking));
    return;
  }
  for (const DeclarationSyntax& one : std::get<std::vector<DeclarationSyntax>>(parsed)) {
    const auto attribute = attribute_named(one.value.name);
    if (!attribute) continue;  // refused where it was declared
    if (!one.value.value.is_word()) {
      refuse(taking, "\"" + one.value.name + "\" is an expression; wanted the name of something that jobs have.",
             "Write work: real s = run_time, and work it out in the attributes.");
      continue;
    }
    if (net().attributes[*attribute].type.base == Base::boolean) {
      refuse(taking, "\"" + one.value.name + "\" is boolean; wanted a number.");
      continue;
    }
    made.wanted.push_back({one.value.value.segments.front().word, net().attributes[*attribute].type, taking});
    node.taken.push_back(*attribute);
  }
  node.handover = static_cast<std::uint32_t>(model.slots.handovers.size());
  model.slots.handovers.push_back(std::move(made));
}

void NetworkLowering::check_attribute_names(Lowering& model, Scope& scope) {
  for (const Attribute& one : net().attributes) {
    const auto parsed = parse_expression(one.name);
    const auto* word = std::get_if<Syntax>(&parsed);
    if (word != nullptr && word->is_word() && !scope.name(one.name)) continue;
    const Element& element = *model.document.find(model.slots.declared(one.name)->element);
    const auto listed = parse_declarations(element.text(taking));
    const auto* list = std::get_if<std::vector<DeclarationSyntax>>(&listed);
    const bool taken = list != nullptr && std::any_of(list->begin(), list->end(), [&](const DeclarationSyntax& d) {
                         return d.value.name == one.name;
                       });
    model.refuse(element, "QN017", taken ? taking : declaring,
                 "\"" + one.name + "\" means something in expressions already; wanted a name of its own.");
  }
}

std::optional<std::uint32_t> NetworkLowering::attribute_named(std::string_view name) {
  for (std::uint32_t a = 0; a < net().attributes.size(); ++a)
    if (net().attributes[a].name == name) return a;
  return std::nullopt;
}

void NetworkLowering::show_attribute(CustomerScope& scope, std::uint32_t attribute) {
  const Attribute& one = net().attributes[attribute];
  scope.show(
      one.name,
      Symbol{.type = one.type, .element = {}, .constant = {}, .choice = {}, .slot = net().attribute_slot + attribute});
}

bool NetworkLowering::reads_attributes(const Syntax& syntax) {
  bool any = false;
  walk(syntax, [&](const Syntax& s) {
    if (s.kind == Syntax::Kind::path && s.segments.size() == 1 && s.index == Syntax::Index::none)
      any = any || attribute_named(s.segments.front().word).has_value();
  });
  return any;
}

bool NetworkLowering::reads_attributes(const Element& at, const char* property) {
  if (net().attributes.empty()) return false;
  const auto parsed = parse_expression(at.text(property));
  const auto* syntax = std::get_if<Syntax>(&parsed);
  return syntax != nullptr && reads_attributes(*syntax);
}

// Counts from 1 on: the whole number above an exponential time is one, with the same chance to end at each.
bool NetworkLowering::geometric(Lowering& model, Scope& scope, const Element& at, const char* property,
                                const Syntax& call, AttributeLaw& out) {
  const bool mean = call.children.size() == 1 && call.names[0] == "mean";
  const bool chance = call.children.size() == 1 && call.names[0] == "probability";
  const auto wrong = [&](std::string why) {
    model.problems.push_back({.code = "EXP005",
                              .element = at.id,
                              .pointer = property,
                              .message = "geometric: " + std::move(why),
                              .column = call.begin + 1});
    return false;
  };
  if (!mean && !chance) return wrong("wanted geometric(mean = 20), or geometric(probability = 0.05) of ending.");
  auto values = compile_list(call.children[0], Dimension(), scope);
  if (const auto* error = std::get_if<ExpressionError>(&values)) {
    model.problems.push_back(to_diagnostic(*error, at.id, property));
    return false;
  }
  const auto& list = std::get<std::vector<double>>(values);
  if (list.size() != 1 || (mean ? !(list[0] >= 1.0 && std::isfinite(list[0])) : !(list[0] > 0.0 && list[0] <= 1.0)))
    return wrong((mean ? "the mean is " : "the probability is ") + (list.empty() ? "nothing" : number_text(list[0])) +
                 (mean ? "; wanted at least 1." : "; wanted more than 0, at most 1."));
  const double ends = mean ? 1.0 / list[0] : list[0];
  out.value.law = ends >= 1.0 ? Distribution::deterministic(1.0) : Distribution::exponential(-std::log1p(-ends));
  out.value.mean_s = out.value.law.mean();
  out.whole = AttributeLaw::Whole::up;
  return true;
}

void NetworkLowering::lower_value(Lowering& model, CustomerScope& scope, const Element& at, const char* property,
                                  const DeclarationSyntax& written, AttributeLaw& out) {
  const Attribute& attribute = net().attributes[out.attribute];
  const Syntax& syntax = written.value.value;
  const auto program = [&](const Syntax& of, ValueType type) {
    auto made = compile_as(of, type, scope);
    out.value.drawn = false;
    if (const auto* error = std::get_if<ExpressionError>(&made))
      model.problems.push_back(to_diagnostic(*error, at.id, property));
    else out.value.value = std::get<Program>(std::move(made));
  };
  if (attribute.type.base == Base::boolean) {
    out.chance = is_call(syntax, "bernoulli");
    if (!out.chance) return program(syntax, ValueType::boolean());
    if (syntax.children.size() == 1 && syntax.names[0] == "probability")
      return program(syntax.children[0], ValueType::real());
    model.problems.push_back({.code = "EXP005",
                              .element = at.id,
                              .pointer = property,
                              .message = "bernoulli: wanted bernoulli(probability = 0.2).",
                              .column = syntax.begin + 1});
    return;
  }
  if (attribute.type.base == Base::integer) {
    out.whole = AttributeLaw::Whole::nearest;
    if (is_call(syntax, "geometric")) {
      geometric(model, scope, at, property, syntax, out);
      return;
    }
  }
  out.value = quantity(model, scope, at, property, syntax, attribute.type.dimension);
}

std::vector<std::uint32_t> NetworkLowering::values_of(Lowering& model, Scope& scope, const Element& at,
                                                      const char* property, bool all_known) {
  std::vector<std::uint32_t> out;
  const auto parsed = parse_declarations(at.text(property));
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    model.problems.push_back(
        to_diagnostic({.code = error->code, .message = error->message, .column = error->column}, at.id, property));
    return out;
  }
  CustomerScope customers(scope);
  if (const auto node = number_.find(at.id); node != number_.end())
    for (const std::uint32_t taken : net().nodes[node->second].taken) show_attribute(customers, taken);
  for (std::uint32_t a = 0; all_known && a < net().attributes.size(); ++a) show_attribute(customers, a);
  for (const DeclarationSyntax& one : std::get<std::vector<DeclarationSyntax>>(parsed)) {
    const auto attribute = attribute_named(one.value.name);
    if (!attribute) {
      if (all_known)
        model.refuse(at, "QN017", property, "No class or source declares \"" + one.value.name + "\".",
                     "Declare it where customers are born, with its first value.");
      continue;
    }
    AttributeLaw made{.attribute = *attribute, .value = {}, .element = at.id, .property = property};
    lower_value(model, customers, at, property, one, made);
    show_attribute(customers, *attribute);  // what is declared later may read it
    out.push_back(static_cast<std::uint32_t>(net().attribute_laws.size()));
    net().attribute_laws.push_back(std::move(made));
  }
  return out;
}

// A source's own first: what a class declares may read what it is by the source.
void NetworkLowering::lower_attributes(Lowering& model, Scope& scope) {
  for (NetworkModel::JobClass& one : net().classes)
    if (one.element) one.born = values_of(model, scope, *model.document.find(one.element), declaring, false);
  for (Node& node : net().nodes) {
    const Element& element = *model.document.find(node.element);
    if (element.kind == "router" || element.kind == "class_switch")
      node.sets = values_of(model, scope, element, "sets", true);
    if (node.kind != Kind::source) continue;
    node.born = values_of(model, scope, element, declaring, false);
    const auto own = [&](std::uint32_t attribute) {
      return std::find(node.taken.begin(), node.taken.end(), attribute) != node.taken.end() ||
             std::any_of(node.born.begin(), node.born.end(),
                         [&](std::uint32_t law) { return net().attribute_laws[law].attribute == attribute; });
    };
    for (const std::uint32_t law : net().classes[node.emits].born)
      if (!own(net().attribute_laws[law].attribute)) node.born.push_back(law);
  }
}

void NetworkLowering::check_handed(Lowering& model) {
  for (const Handover& one : model.slots.handovers) {
    const auto sink = number_.find(one.from);
    if (sink == number_.end()) continue;
    std::vector<std::uint8_t> come(net().classes.size(), 0);
    for (const Node& node : net().nodes)
      for (const auto* all : {&node.ways, &node.refused, &node.reneged})
        for (const NetworkModel::Ways& ways : *all)
          for (std::size_t way = 0; way < ways.target.size(); ++way)
            if (ways.target[way] == sink->second && ways.becomes[way] < come.size()) come[ways.becomes[way]] = 1;
    const Element& taker = *model.document.find(one.to);
    for (const Handover::Wanted& wanted : one.wanted) {
      const auto attribute = attribute_named(wanted.name);
      if (!attribute) {
        model.refuse(taker, "QN017", wanted.property, "No class or source declares \"" + wanted.name + "\".",
                     "Declare it where customers are born: " + wanted.name + ": real = ...");
        continue;
      }
      const Attribute& known = net().attributes[*attribute];
      if (!(known.type.dimension == wanted.type.dimension)) {
        model.refuse(taker, "QN017", wanted.property,
                     "\"" + wanted.name + "\" of customers is " + type_text(known) + "; wanted " +
                         (wanted.type.dimension.none() ? "a number without a unit." : "a time."));
        continue;
      }
      for (std::size_t c = 0; c < come.size(); ++c)
        if (come[c] != 0 && net().classes[c].carries[*attribute] == 0) {
          model.refuse(taker, "QN018", wanted.property,
                       "\"" + wanted.name + "\" is taken of customers at \"" + net().nodes[sink->second].name +
                           "\", and not all who come there have it.",
                       "Declare it for each class, or for every source.");
          break;
        }
    }
  }
}

}  // namespace ergode
