#include "solvers/cluster/lowering/drawn_handover.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/expression/compile.h"
#include "core/expression/syntax.h"

namespace ergode {
namespace {

std::string words_in_text(std::span<const TakenWord> words) {
  std::string out;
  for (const TakenWord& one : words) out += (out.empty() ? "" : ", ") + std::string(one.word);
  return out;
}

const Element* sink_named(Lowering& model, const Element& stream, const std::string& name, const char* code) {
  std::string known;
  for (const Element* sink : model.nodes("queueing", "sink")) {
    if (sink->name() == name) return sink;
    known += (known.empty() ? "" : ", ") + sink->name();
  }
  model.refuse(stream, code, "sink", "There is no sink \"" + quotable(name) + "\" in a queueing network.",
               known.empty() ? "Draw a queueing network that ends in it." : "Name one of those drawn: " + known + ".");
  return nullptr;
}

/// Which of the words of its jobs go with those whom a source takes.
void take_words(Lowering& model, const Element& from, const Element& source, const Handover& taken,
                std::span<const TakenWord> words, std::vector<std::uint32_t>& out) {
  for (const Handover::Wanted& wanted : taken.wanted) {
    const auto word =
        std::find_if(words.begin(), words.end(), [&](const TakenWord& w) { return w.word == wanted.name; });
    const auto place = static_cast<std::uint32_t>(word - words.begin());
    if (word == words.end())
      model.refuse(source, "QN021", wanted.property,
                   "Jobs of \"" + from.name() + "\" have no \"" + quotable(wanted.name) + "\"; wanted some of " +
                       words_in_text(words) + ".");
    else if (!(word->dimension == wanted.type.dimension))
      model.refuse(source, "QN021", wanted.property,
                   "\"" + wanted.name + "\" of jobs is " +
                       (word->dimension.none() ? "a number without a unit" : "a time") +
                       "; wanted an attribute that is one.",
                   word->dimension.none() ? "" : "Write work: real s = " + wanted.name + ".");
    else if (std::find(out.begin(), out.end(), place) != out.end())
      model.refuse(source, "QN021", wanted.property, "\"" + wanted.name + "\" of jobs is taken twice.");
    else out.push_back(place);
  }
}

}  // namespace

HandedJobs declare_handed_jobs(Lowering& model, const Element& stream, std::span<const TakenWord> words,
                               const char* code) {
  HandedJobs out;
  const std::string name(trim(stream.text("sink")));
  const bool takes = !trim(stream.text("taken")).empty();
  if (name.empty()) {
    if (takes)
      model.refuse(stream, code, "taken", "Jobs take something of customers, and no sink is named.",
                   "Name the sink that these come to.");
    return out;
  }
  const Element* sink = sink_named(model, stream, name, code);
  if (sink == nullptr) return out;
  for (const char* other : {"rate", "interarrival", "trace"})
    if (!trim(stream.text(other)).empty())
      model.refuse(stream, code, other,
                   "Jobs of \"" + stream.name() + "\" are customers from \"" + name +
                       "\"; wanted nothing else that says when they come.",
                   "Take it away, or the sink.");
  if (!trim(stream.text("most_jobs")).empty())
    model.refuse(stream, code, "most_jobs",
                 "Jobs of \"" + stream.name() + "\" are as many as customers come; wanted no number of them.");
  for (const Handover& known : model.slots.handovers)
    if (known.from == sink->id)
      model.refuse(stream, code, "sink",
                   "Customers at \"" + name + "\" are jobs of \"" + model.document.find(known.to)->name() +
                       "\" already; wanted one stream.",
                   "Let a router lead them to a sink for each.");
  Handover made{.from = sink->id, .to = stream.id, .wanted = {}};
  const auto parsed = parse_arguments(stream.text("taken"));
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    model.problems.push_back(
        to_diagnostic({.code = error->code, .message = error->message, .column = error->column}, stream.id, "taken"));
    return out;
  }
  for (const ArgumentSyntax& one : std::get<std::vector<ArgumentSyntax>>(parsed)) {
    const auto word = std::find_if(words.begin(), words.end(), [&](const TakenWord& w) { return w.word == one.name; });
    if (word == words.end() || !one.value.is_word()) {
      model.refuse(stream, code, "taken",
                   word == words.end() ? "\"" + quotable(one.name) + "\" is not what jobs take here; wanted some of " +
                                             words_in_text(words) + "."
                                       : "\"" + one.name + "\" is an expression; wanted the name of an attribute.",
                   "Write " + std::string(words.front().word) + " = work, where customers have an attribute \"work\".");
      continue;
    }
    std::int32_t& place = out.place[static_cast<std::size_t>(word - words.begin())];
    if (place >= 0) {
      model.refuse(stream, code, "taken", "\"" + one.name + "\" is taken twice.");
      continue;
    }
    place = static_cast<std::int32_t>(made.wanted.size());
    made.wanted.push_back({one.value.segments.front().word, ValueType::real(word->dimension), "taken"});
  }
  out.values = made.wanted.size();
  out.handover = static_cast<std::uint32_t>(model.slots.handovers.size());
  model.slots.handovers.push_back(std::move(made));
  out.time_in_system = model.slots.add(
      StreamSpec{stream.name() + ".time_in_system", "s", stream.id, {}, {0.0, NamedSlot::everything.upper}});
  return out;
}

HandedOn handed_on(Lowering& model, const Element& from, std::span<const TakenWord> done,
                   std::span<const TakenWord> rejected) {
  HandedOn out;
  for (std::uint32_t h = 0; h < model.slots.handovers.size(); ++h) {
    const Handover& one = model.slots.handovers[h];
    if (one.from != from.id) continue;
    const bool refused = one.whom == Handover::Whom::refused;
    const Element& source = *model.document.find(one.to);
    if (refused && rejected.empty()) {
      model.refuse(source, "QN021", "outcome",
                   "No job of \"" + from.name() +
                       "\" is ever rejected; wanted one that flows to a pool of hosts, a GPU cluster, a fleet or a "
                       "round scheduler.");
      continue;
    }
    HandedOn::Way& way = refused ? out.rejected : out.done;
    way.handover = h;
    take_words(model, from, source, one, refused ? rejected : done, way.words);
  }
  return out;
}

void refuse_handed_jobs(Lowering& model, const Element& stream, const char* code, const std::string& whereto) {
  if (trim(stream.text("sink")).empty()) return;
  model.refuse(stream, code, "sink",
               "Jobs of \"" + stream.name() + "\" are customers of a queueing network before, and flow to " + whereto +
                   "; wanted a pool of hosts, a GPU cluster, a fleet or a round scheduler.",
               "Take the sink away, or lead them elsewhere.");
}

}  // namespace ergode
