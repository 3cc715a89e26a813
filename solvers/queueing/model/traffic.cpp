#include "solvers/queueing/model/traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/queueing/exact/routing.h"

namespace ergode {

using Kind = NetworkModel::Kind;

std::optional<double> rate_of(const NetworkModel::Node& source) {
  if (source.has_rate) return source.rate.is_constant() ? std::optional(source.rate.evaluate(nullptr)) : std::nullopt;
  // Of a process the mean gap is known, though no law of it.
  if (source.time.empty() || (!source.time[0].drawn && source.process == NetworkModel::none)) return std::nullopt;
  const double mean = source.time[0].mean_s;
  return mean > 0.0 ? std::optional(1.0 / mean) : std::nullopt;
}

namespace {

/// One chain of classes as places: node * members + member.
class Chain {
 public:
  Chain(const NetworkModel& model, std::vector<std::uint32_t> members, ClosedVisits visits)
      : model_(model), members_(std::move(members)), visits_(visits) {
    routing_.places = model.nodes.size() * members_.size();
    rates_.assign(routing_.places, 0.0);
    for (const std::uint32_t c : members_) closed_ = closed_ || model.classes[c].population > 0;
  }
  bool closed() const { return closed_; }

  /// @returns why not; empty: `visits` is by place.
  std::string solve(std::vector<double>& visits) {
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) look_at(n);
    if (!reasons_.empty()) return reasons_;
    if (closed_) return solve_closed(visits);
    double come = 0.0;
    for (const double rate : rates_) come += rate;
    visits.assign(routing_.places, 0.0);
    if (come == 0.0) return {};
    auto found = open_visits(routing_, rates_);
    if (std::holds_alternative<Diagnostic>(found)) return "customers may never leave";
    visits = std::get<std::vector<double>>(std::move(found));
    for (double& a : visits) a *= come;
    return {};
  }
  std::size_t place(std::size_t node, std::size_t member) const { return node * members_.size() + member; }

 private:
  // Whoever mends one reason wants to know of the others.
  void unknown(const std::string& why) {
    constexpr int most = 8;
    if (counted_ > most || reasons_.find(why) != std::string::npos) return;
    reasons_ += (reasons_.empty() ? "" : "; ") + (counted_++ == most ? "and others" : why);
  }
  void look_at(std::uint32_t n) {
    const NetworkModel::Node& node = model_.nodes[n];
    if (node.kind > Kind::sink && !node.passes()) unknown("\"" + node.name + "\" is no station, delay or router");
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (node.kind == Kind::source && node.emits == members_[m]) {
        const std::optional<double> rate = rate_of(node);
        const bool process = node.process != NetworkModel::none;
        if (!rate)
          unknown("the rate of \"" + node.name + (process ? "\" is not known" : "\" changes while the model runs"));
        if (closed_) unknown("customers who come from \"" + node.name + "\" become others who never leave");
        rates_[place(n, m)] = rate.value_or(0.0);
      }
      if (node.ways.size() > members_[m]) ways(n, m, node, node.ways[members_[m]]);
    }
  }
  void ways(std::uint32_t n, std::size_t m, const NetworkModel::Node& node, const NetworkModel::Ways& ways) {
    if (ways.target.empty()) return;
    if (node.routing != NetworkModel::Routing::probabilities && node.routing != NetworkModel::Routing::random &&
        ways.target.size() > 1)
      unknown("customers choose their way at \"" + node.name + "\"");
    if (node.batched) unknown("customers come several at once from \"" + node.name + "\"");
    if (ways.upto.empty()) unknown("ways from \"" + node.name + "\" change while the model runs");
    if (!reasons_.empty()) return;
    double before = 0.0;
    for (std::size_t w = 0; w < ways.target.size(); ++w) {
      const double p = ways.upto[w] - before;
      before = ways.upto[w];
      const auto to = std::find(members_.begin(), members_.end(), ways.becomes[w]) - members_.begin();
      if (p > 0.0)
        routing_.ways.push_back({static_cast<std::uint32_t>(place(n, m)),
                                 static_cast<std::uint32_t>(place(ways.target[w], static_cast<std::size_t>(to))), p});
    }
  }
  // Relative to the first end of a passage to which customers come again and again; the beginnings first.
  std::string solve_closed(std::vector<double>& visits) {
    std::vector<std::size_t> starts, followers;
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (const NetworkModel::JobClass& one = model_.classes[members_[m]]; one.reference != NetworkModel::none)
        (one.population > 0 ? starts : followers).push_back(place(one.reference, m));
    const std::string& name = model_.nodes[starts.front() / members_.size()].name;
    std::vector<std::size_t> references = starts;
    references.insert(references.end(), followers.begin(), followers.end());
    for (std::size_t i = 0; i < references.size(); ++i) {
      const std::size_t reference = references[i];
      auto found =
          visits_ == ClosedVisits::counted ? closed_visits(routing_, reference) : closed_places(routing_, reference);
      if (std::holds_alternative<Diagnostic>(found)) continue;
      if (!always_reaches(routing_, starts, reference)) {
        if (i < starts.size()) return "where customers are in the end depends on the way they chose once";
        continue;
      }
      visits = std::get<std::vector<double>>(std::move(found));
      if (visits_ == ClosedVisits::counted) per_passage(visits);
      return {};
    }
    return "customers may never come back to \"" + name + "\"";
  }
  // One at least ends where they are counted from.
  void per_passage(std::vector<double>& visits) const {
    double ends = 0.0;
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (const std::uint32_t n = model_.classes[members_[m]].reference; n != NetworkModel::none)
        ends += visits[place(n, m)];
    for (double& one : visits) one /= ends;
  }

  const NetworkModel& model_;
  std::vector<std::uint32_t> members_;
  ClosedVisits visits_;
  Routing routing_;
  std::vector<double> rates_;  ///< by place: from outside
  bool closed_ = false;
  std::string reasons_;
  int counted_ = 0;
};

}  // namespace

Traffic traffic(const NetworkModel& model, ClosedVisits closed) {
  const std::size_t classes = model.classes.size();
  Traffic out{std::vector<std::vector<double>>(classes, std::vector<double>(model.nodes.size(), 0.0)),
              std::vector<std::string>(classes), std::vector<std::size_t>(classes), 0,
              std::vector<std::uint8_t>(classes, 0)};
  std::vector<std::size_t> first(classes);
  for (std::size_t c = 0; c < classes; ++c) first[c] = c;
  for (const NetworkModel::Node& node : model.nodes)
    for (std::size_t c = 0; c < node.ways.size(); ++c)
      for (const std::uint32_t becomes : node.ways[c].becomes) {
        if (becomes >= classes || first[c] == first[becomes]) continue;
        const std::size_t keep = std::min(first[c], first[becomes]), drop = std::max(first[c], first[becomes]);
        for (std::size_t& each : first)
          if (each == drop) each = keep;
      }
  for (std::size_t c = 0; c < classes; ++c) {
    if (first[c] != c) continue;
    std::vector<std::uint32_t> members;
    for (std::uint32_t d = 0; d < classes; ++d)
      if (first[d] == c) members.push_back(d), out.chain[d] = out.chains;
    ++out.chains;
    Chain chain(model, members, closed);
    std::vector<double> visits;
    const std::string why = chain.solve(visits);
    for (std::size_t m = 0; m < members.size(); ++m) {
      out.why_not[members[m]] = why, out.closed[members[m]] = chain.closed() ? 1 : 0;
      for (std::size_t n = 0; why.empty() && n < model.nodes.size(); ++n)
        out.arrivals[members[m]][n] = visits[chain.place(n, m)];
    }
  }
  return out;
}

}  // namespace ergode
