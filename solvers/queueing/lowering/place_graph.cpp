#include "solvers/queueing/lowering/place_graph.h"

#include <algorithm>

namespace ergode {

using Kind = NetworkModel::Kind;
using Leaving = NetworkModel::Leaving;
using M = NetworkModel;

// Behind the places one for each class stands between all that split it and all where parts meet.
PlaceGraph::PlaceGraph(const M& model)
    : model_(model), classes_(static_cast<std::uint32_t>(model.classes.size())), taken_by_(model.nodes.size()) {
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n) {
    const M::Node& node = model.nodes[n];
    if (node.kind == Kind::join || node.kind == Kind::scaler) meetings_.push_back(n);
    if (node.kind != Kind::transition) continue;
    for (const M::Arc& arc : model.transitions[node.transition].takes)
      taken_by_[arc.place].emplace_back(n, arc.of_class);
  }
  const std::size_t places = (model.nodes.size() + 1) * classes_;
  span_.resize(places), ends_.assign(places, 0), stamp_.assign(places, 0);
  number_.assign(places, none), component_ = lowest_ = number_;
}

bool PlaceGraph::holds(std::uint32_t place) const {
  const std::uint32_t node = place / classes_;
  return node < model_.nodes.size() && model_.nodes[node].kind != Kind::transition;
}

void PlaceGraph::add(const M::Ways& ways, std::uint32_t of_class) {
  for (std::size_t w = 0; w < ways.target.size(); ++w)
    if (ways.upto.empty() || ways.upto[w] > (w == 0 ? 0.0 : ways.upto[w - 1]))
      next_.push_back(place(ways.target[w], ways.becomes[w] == none ? of_class : ways.becomes[w]));
}

void PlaceGraph::look_ahead(std::uint32_t at) {
  const std::uint32_t n = at / classes_, c = at % classes_;
  if (n == model_.nodes.size()) {
    for (const std::uint32_t meeting : meetings_) next_.push_back(place(meeting, c));
    return;
  }
  const M::Node& node = model_.nodes[n];
  if (node.kind == Kind::place) {
    for (const auto& [transition, of_class] : taken_by_[n])
      if (of_class == none || of_class == c) next_.push_back(place(transition, c));
    return;
  }
  if (node.kind == Kind::transition) return add(node.ways[0], c);
  ends_[at] = node.kind == Kind::sink || node.ways.size() <= c || node.ways[c].target.empty() ? 1 : 0;
  for (const Leaving leaving : {Leaving::done, Leaving::refused, Leaving::reneged})
    if (const auto& all = node.ways_of(leaving); c < all.size()) add(all[c], c);
  if (node.kind == Kind::fork || node.kind == Kind::scaler) next_.push_back(place(model_.nodes.size(), c));
}

// A search with a stack of its own: networks are deeper than the machine's.
void PlaceGraph::explore(std::uint32_t start) {
  if (number_[start] != none) return;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> path;  // places, and which way is next
  const auto begin = [&](std::uint32_t place) {
    number_[place] = lowest_[place] = static_cast<std::uint32_t>(explored_.size());
    explored_.push_back(place), open_.push_back(place);
    const auto first = static_cast<std::uint32_t>(next_.size());
    look_ahead(place);
    span_[place] = {first, static_cast<std::uint32_t>(next_.size())};
    path.emplace_back(place, first);
  };
  begin(start);
  while (!path.empty()) {
    const std::uint32_t here = path.back().first;
    if (path.back().second < span_[here].second) {
      const std::uint32_t next = next_[path.back().second++];
      if (number_[next] == none) begin(next);
      else if (component_[next] == none) lowest_[here] = std::min(lowest_[here], number_[next]);
      continue;
    }
    path.pop_back();
    if (!path.empty()) lowest_[path.back().first] = std::min(lowest_[path.back().first], lowest_[here]);
    if (lowest_[here] == number_[here]) close(here);
  }
}

void PlaceGraph::close(std::uint32_t first) {
  const auto number = static_cast<std::uint32_t>(components_.size());
  const auto from = std::find(open_.rbegin(), open_.rend(), first).base() - 1;
  for (auto one = from; one != open_.end(); ++one) component_[*one] = number;
  Component made;
  for (auto one = from; one != open_.end(); ++one) {
    if (holds(*one)) ++made.places;
    for (std::uint32_t i = span_[*one].first; i < span_[*one].second; ++i) {
      if (component_[next_[i]] == number) made.circle = true;
      else made.next.push_back(component_[next_[i]]);
    }
  }
  made.last = made.next.empty();
  open_.erase(from, open_.end());
  components_.push_back(std::move(made));
}

std::vector<std::uint32_t> PlaceGraph::reached_from(std::uint32_t start) {
  std::vector<std::uint32_t> out;
  ++searches_;
  const auto go_on = [&](std::uint32_t from) {
    for (std::uint32_t i = span_[from].first; i < span_[from].second; ++i)
      if (std::exchange(stamp_[next_[i]], searches_) != searches_) out.push_back(next_[i]);
  };
  go_on(start);
  for (std::size_t i = 0; i < out.size(); ++i) go_on(out[i]);
  return out;
}

}  // namespace ergode
