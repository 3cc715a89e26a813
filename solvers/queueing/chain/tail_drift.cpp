#include "solvers/queueing/chain/tail_drift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ergode {

using Kind = NetworkModel::Kind;
using M = NetworkModel;

namespace {

constexpr std::uint32_t very_many = 1U << 20U;  // customers at one station: no exponent is looked for that needs more

}  // namespace

bool TailDrift::unlimited(std::size_t station) const {
  return chain_->model_.nodes[chain_->stations_[station].node].capacity == M::unlimited;
}

std::string TailDrift::why_not() const {
  const M& model = chain_->model_;
  if (!model.regions.empty()) return "there are regions";
  if (!chain_->places_.empty() || !chain_->timed_.empty() || !chain_->immediate_.empty())
    return "there are transitions";
  for (const M::JobClass& one : model.classes)
    if (one.population > 0) return "there are closed classes beside the open ones";
  for (const M::Node& node : model.nodes) {
    if (!node.reneged.empty()) return "customers who give up at \"" + node.name + "\" go on";
    if (node.kind == Kind::source && node.has_rate && std::isinf(node.rate.range(ranges(0, 0, no_bound)).upper))
      return "nothing bounds the rate of \"" + node.name + "\"";
  }
  for (std::size_t s = 0; s < chain_->stations_.size(); ++s) {
    const M::Node& node = model.nodes[chain_->stations_[s].node];
    for (std::size_t c = 0; c < model.classes.size(); ++c)
      if (node.has(M::preempts) && node.interruption == M::Interruption::resample && phases(s, c).rate.size() > 1)
        return "services at \"" + node.name + "\" begin again";
  }
  return {};
}

// Interrupted customers do not begin with phase 0, but what they weigh is known of every phase.
double TailDrift::operator()(const NetworkState& state) const {
  const std::size_t classes = chain_->model_.classes.size();
  double sum = 0.0;
  for (const Part& part : parts_) {
    double log = 0.0;
    for (std::size_t s = 0; s < state.phases.size(); ++s)
      if (!part.phase[s].empty()) log += std::log(part.phase[s][state.phases[s]]);
    for (std::size_t s = 0; s < state.stations.size(); ++s) {
      const auto add = [&](const std::vector<AlikeCustomers>& crowds) {
        for (const AlikeCustomers& one : crowds)
          log += one.count * std::log(part.at[s * classes + one.of_class][one.phase]);
      };
      add(state.stations[s].served);
      for (const auto& line : state.stations[s].lines) add(line);
    }
    sum += std::exp(log);
  }
  return sum;
}

double TailDrift::mean_of(const M::Ways& ways, bool fixed, bool alike, const std::vector<double>& enters) const {
  if (ways.target.empty()) return 1.0;  // out of the network
  const std::size_t classes = chain_->model_.classes.size();
  double sum = 0.0, most = 0.0, before = 0.0;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    const double there = enters[ways.target[w] * classes + ways.becomes[w]];
    most = std::max(most, there);
    if (alike) sum += there / static_cast<double>(ways.target.size());
    else if (!ways.upto.empty()) sum += (ways.upto[w] - before) * there, before = ways.upto[w];
  }
  // Where states decide, whatever they decide.
  return alike || (fixed && !ways.upto.empty()) ? sum : most;
}

// The least solution, from below: of who is where, the mean of exp(s work) that he will bring.
bool TailDrift::weigh(Part& part) const {
  const M& model = chain_->model_;
  const std::size_t classes = model.classes.size();
  part.at.assign(chain_->stations_.size() * classes, {});
  part.leaves.assign(model.nodes.size() * classes, 1.0);
  std::vector<double> enters(part.leaves);
  for (std::size_t s = 0; s < chain_->stations_.size(); ++s)
    for (std::size_t c = 0; c < classes; ++c)
      if (comes(s, c)) part.at[s * classes + c].assign(phases(s, c).rate.size() + 1, 1.0);
  constexpr int most_sweeps = 5000;
  double changed = 1.0;
  for (int sweep = 0; changed > 1e-14; ++sweep) {
    if (sweep == most_sweeps) return false;
    changed = 0.0;
    const auto set = [&](double& value, double now) {
      changed = std::max(changed, std::fabs(now - value) / now);
      value = now;
    };
    for (std::size_t n = model.nodes.size(); n-- > 0;) {
      const M::Node& node = model.nodes[n];
      const bool fixed = node.routing == M::Routing::probabilities, alike = node.routing == M::Routing::random;
      for (std::size_t c = 0; c < classes; ++c) {
        const std::size_t place = n * classes + c;
        if (c < node.ways.size())
          set(part.leaves[place], mean_of(node.ways[c], fixed || node.ways[c].target.size() == 1, alike, enters));
        if (node.passes()) set(enters[place], part.leaves[place]);
        const std::uint32_t s = chain_->station_of_[n];
        if (s == M::none || !comes(s, c)) continue;
        const Phases& law = phases(s, c);
        std::vector<double>& at = part.at[s * classes + c];
        for (std::size_t p = law.rate.size(); p-- > 0;) {
          double ends = 1.0, sum = 0.0;
          for (const Phases::Jump& jump : law.jumps[p])
            ends -= jump.probability, sum += jump.probability * at[jump.phase + 1];
          sum += std::max(0.0, ends) * part.leaves[place];
          if (s == part.station) {
            if (!(part.s < law.rate[p])) return false;
            sum *= law.rate[p] / (law.rate[p] - part.s);
          }
          set(at[p + 1], sum);
        }
        double begins = 0.0;
        for (std::size_t p = 0; p < law.initial.size(); ++p) begins += law.initial[p] * at[p + 1];
        set(at[0], begins);
        if (node.has(M::balks) || node.capacity != M::unlimited)
          begins = std::max(begins, node.refused.empty() ? 1.0 : mean_of(node.refused[c], true, false, enters));
        set(enters[place], begins);
        if (!(begins < 1e30)) return false;
      }
    }
  }
  part.phase.assign(chain_->sources_.size(), {}), part.grows.assign(chain_->sources_.size(), 0.0);
  for (std::size_t s = 0; s < chain_->sources_.size(); ++s) {
    const M::Node& source = model.nodes[chain_->sources_[s]];
    const double factor = std::pow(part.leaves[chain_->sources_[s] * classes + source.emits],
                                   source.batched ? std::round(source.batch.mean_s) : 1.0);
    if (!weigh_phases(part, s, factor)) return false;
  }
  return true;
}

// Of D0 + factor D1 the greatest eigenvalue, which is real, and its vector, which is positive (Perron).
bool TailDrift::weigh_phases(Part& part, std::size_t s, double factor) const {
  std::size_t n = 0;
  std::vector<double> matrix;
  if (const MarkovianArrivalProcess* const process = chain_->processes_[s]) {
    n = process->phases(), matrix = process->without();
    for (std::size_t i = 0; i < n * n; ++i) matrix[i] += factor * process->with()[i];
  } else if (const Phases& gap = chain_->gaps_[s]; !gap.rate.empty()) {
    n = gap.rate.size(), matrix.assign(n * n, 0.0);
    for (std::size_t p = 0; p < n; ++p) {
      double ends = 1.0;
      matrix[p * n + p] -= gap.rate[p];
      for (const Phases::Jump& jump : gap.jumps[p])
        ends -= jump.probability, matrix[p * n + jump.phase] += gap.rate[p] * jump.probability;
      for (std::size_t q = 0; q < n; ++q)
        matrix[p * n + q] += factor * gap.rate[p] * std::max(0.0, ends) * gap.initial[q];
    }
  } else {
    part.grows[s] = factor - 1.0;  // times the rate
    return true;
  }
  double fastest = 0.0;
  for (std::size_t p = 0; p < n; ++p) fastest = std::max(fastest, -matrix[p * n + p]);
  std::vector<double> u(n, 1.0), next(n);
  double greatest = no_bound;
  for (int step = 0; step < 5000; ++step) {
    double high = -no_bound, low = no_bound, least = no_bound;
    for (std::size_t p = 0; p < n; ++p) {
      double sum = 0.0;
      for (std::size_t q = 0; q < n; ++q) sum += matrix[p * n + q] * u[q];
      high = std::max(high, sum / u[p]), low = std::min(low, sum / u[p]);
      next[p] = u[p] + sum / (1.1 * fastest);
      least = std::min(least, next[p]);
    }
    // The greatest quotient bounds the rate for this very vector, settled or not.
    greatest = high;
    if (high - low <= 1e-12 * fastest || !(least > 0.0)) break;
    for (std::size_t p = 0; p < n; ++p) u[p] = next[p] / least;
  }
  const double least = *std::min_element(u.begin(), u.end());
  for (double& one : u) one /= least;
  part.phase[s] = u, part.grows[s] = greatest;
  return std::isfinite(greatest);
}

/// Of all slots, where at least so many are at one station and at most so many anywhere.
std::vector<Range> TailDrift::ranges(std::size_t station, std::uint32_t at_least, double most) const {
  const M& model = chain_->model_;
  std::vector<Range> out(chain_->known_slot_.size(), Range{-no_bound, no_bound});
  const auto set = [&](std::uint32_t slot, double lower, double upper) { out[slot] = {std::min(lower, upper), upper}; };
  for (std::size_t s = 0; s < chain_->stations_.size(); ++s) {
    const M::Node& node = model.nodes[chain_->stations_[s].node];
    const double upper = node.capacity == M::unlimited ? most : std::min(most, static_cast<double>(node.capacity));
    const double lower = s == station ? at_least : 0.0;
    set(node.number, lower, upper);
    for (std::uint32_t c = 0; node.of_class != M::none && c < model.classes.size(); ++c)
      set(node.of_class + c, 0.0, upper);
    if (node.kind != Kind::station) continue;
    set(node.waiting, 0.0, upper), set(node.busy, 0.0, upper);
    for (std::uint32_t c = 0; node.waiting_of_class != M::none && c < model.classes.size(); ++c)
      set(node.waiting_of_class + c, 0.0, upper);
    if (!node.servers.is_constant()) continue;
    const double servers = chain_->stations_[s].servers;
    set(node.busy, std::min(lower, servers), std::min(upper, servers));
    if (!chain_->stations_[s].shares) set(node.waiting, std::max(0.0, lower - servers), upper);
  }
  return out;
}

double TailDrift::rises(const Part& part, const std::vector<Range>& ranges) const {
  double sum = 0.0;
  for (std::size_t s = 0; s < chain_->sources_.size(); ++s) {
    const M::Node& source = chain_->model_.nodes[chain_->sources_[s]];
    const bool phased = !part.phase[s].empty();
    sum += part.grows[s] * (phased ? 1.0 : std::max(0.0, source.rate.range(ranges).upper));
  }
  return sum;
}

double TailDrift::falls_from(const Part& part, std::uint32_t at_least) const {
  const NetworkChain::Station& station = chain_->stations_[part.station];
  const M& model = chain_->model_;
  const M::Node& node = model.nodes[station.node];
  const std::vector<Range> at = ranges(part.station, at_least, no_bound);
  double work = at_least, gone = 0.0;
  if (node.kind == Kind::station) {
    const double servers = node.servers.is_constant() ? station.servers : node.servers.range(at).lower;
    work = std::min<double>(at_least, std::max(0.0, servers));
    if (node.has(M::varies_speed)) work *= std::max(0.0, model.rules[node.rules].speed.range(at).lower);
    // Who was interrupted does not give up.
    if (node.has(M::patient) && !node.has(M::preempts) && !station.shares && at_least > station.servers) {
      double impatience = no_bound, weight = no_bound;
      for (std::size_t c = 0; c < model.classes.size(); ++c)
        if (comes(part.station, c))
          impatience = std::min(impatience, station.patience[c]),
          weight = std::min(weight, part.at[part.station * model.classes.size() + c][0]);
      gone = (at_least - station.servers) * impatience * (1.0 - 1.0 / weight);
    }
  }
  return part.s * work + gone - rises(part, at);
}

/// The greatest exponent with which it falls where very many are there.
bool TailDrift::steepest(Part& part) const {
  double fastest = no_bound;
  for (std::size_t c = 0; c < chain_->model_.classes.size(); ++c)
    for (const double rate : phases(part.station, c).rate) fastest = std::min(fastest, rate);
  const auto falls = [&](double s) {
    part.s = s;
    return weigh(part) && falls_from(part, very_many) > 0.0;
  };
  double low = 0.9 * fastest, high = low;
  for (int halved = 0; !falls(low); ++halved) {
    if (halved == 40) return false;
    high = low, low /= 2.0;
  }
  for (int step = 0; step < 12 && high > low; ++step) {
    const double middle = (low + high) / 2.0;
    (falls(middle) ? low : high) = middle;
  }
  part.s = low;
  return true;
}

bool TailDrift::busy_from(Part& part) const {
  const double wanted =
      std::min(0.5 * falls_from(part, very_many), 0.25 * rises(part, ranges(part.station, 0, no_bound)));
  for (part.busy = 1; part.busy <= very_many; part.busy += std::max(1U, part.busy / 4))
    if (part.falls = falls_from(part, part.busy); part.falls > 0.0 && part.falls >= wanted) return true;
  return false;
}

double TailDrift::least(const Part& part, std::size_t station) const {
  double out = no_bound;
  const std::size_t classes = chain_->model_.classes.size();
  for (std::size_t c = 0; c < classes; ++c)
    for (const double one : part.at[station * classes + c]) out = std::min(out, one);
  return std::isinf(out) ? 1.0 : out;
}

double TailDrift::most(const Part& part, std::size_t station) const {
  double out = 1.0;
  const std::size_t classes = chain_->model_.classes.size();
  for (std::size_t c = 0; c < classes; ++c)
    for (const double one : part.at[station * classes + c]) out = std::max(out, one);
  return out;
}

std::variant<TailDrift, std::string> TailDrift::find(const NetworkChain& chain, double share) {
  TailDrift out(chain);
  if (std::string why = out.why_not(); !why.empty()) return why;
  const M& model = chain.model_;
  for (const std::uint32_t source : chain.sources_)
    if (model.nodes[source].batched)
      out.most_at_once_ =
          std::max(out.most_at_once_, static_cast<std::uint64_t>(std::lround(model.nodes[source].batch.mean_s)));
  for (std::size_t s = 0; s < chain.stations_.size(); ++s) {
    bool used = false;
    for (std::size_t c = 0; c < model.classes.size(); ++c) used = used || out.comes(s, c);
    if (!used) continue;
    const M::Node& node = model.nodes[chain.stations_[s].node];
    if (!out.unlimited(s)) {
      out.rooms_ += node.capacity;
      continue;
    }
    Part part{.station = s};
    if (!out.steepest(part)) return "nothing shows that \"" + node.name + "\" settles, whatever the others do";
    part.s *= share;
    out.parts_.push_back(std::move(part));
  }
  if (!out.join()) return "queues depend on each other too much for a bound";
  if (!out.bound_flows()) return "nothing bounds the speed of a station";
  return out;
}

// Where a station is idle its part grows with those who are elsewhere and come later, as a product; parts of those
// stations must outgrow it: the powers of them that it is sum up to less than 1.
bool TailDrift::join() {
  const auto power = [&](const Part& i, const Part& j) {
    const double up = most(i, j.station);
    return up <= 1.0 ? 0.0 : std::log(up) / std::log(least(j, j.station));
  };
  const auto powers = [&](const Part& i) {
    double sum = 0.0;
    for (const Part& j : parts_)
      if (&j != &i) sum += power(i, j);
    return sum;
  };
  for (Part& part : parts_)
    if (!weigh(part)) return false;
  bool settled = false;
  for (int round = 0; round < 80 && !settled; ++round) {
    settled = true;
    for (Part& part : parts_) {
      if (powers(part) <= 0.9) continue;
      part.s *= 0.85, settled = false;
      if (!weigh(part)) return false;
    }
  }
  if (!settled) return false;
  double slowest = no_bound;
  for (Part& part : parts_) {
    if (!busy_from(part)) return false;
    slowest = std::min(slowest, part.falls);
  }
  const double gamma = slowest / 4.0;
  // Everywhere the mean change is at most -gamma g + exp(log_rest): y^p <= d y + (1 - p) (p / d)^(p / (1 - p)).
  double log_rest = -no_bound;
  for (const Part& part : parts_) {
    const double rise = std::max(0.0, rises(part, ranges(0, 0, no_bound))) + gamma;
    double log_idle = 0.0;
    for (const std::vector<double>& u : part.phase)
      if (!u.empty()) log_idle += std::log(*std::max_element(u.begin(), u.end()));
    for (std::size_t s = 0; s < chain_->stations_.size(); ++s) {
      const M::Node& node = chain_->model_.nodes[chain_->stations_[s].node];
      double there = node.capacity;
      if (unlimited(s)) {
        const auto own = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.station == s; });
        there = own == parts_.end() ? 0.0 : own->busy - 1.0;
      }
      log_idle += there * std::log(most(part, s));
    }
    const double p = powers(part);
    double log_rest_here = 0.0;
    if (p > 0.0) {
      const double log_d = std::log(slowest / 4.0 / (static_cast<double>(parts_.size()) * rise)) - log_idle;
      log_rest_here = std::max(0.0, std::log1p(-p) + p / (1.0 - p) * (std::log(p) - log_d));
    }
    const double log_here = std::log(rise) + log_idle + log_rest_here;
    const double more = std::max(log_rest, log_here);
    log_rest = more + std::log(std::exp(log_rest - more) + std::exp(log_here - more));
  }
  rate_ = gamma / 2.0;
  // Somebody is somewhere: at the station of one part, or wherever its customers weigh least.
  for (const Part& part : parts_) {
    double everywhere = no_bound;
    for (const Part& other : parts_) everywhere = std::min(everywhere, std::log(least(part, other.station)));
    growth_ = std::max(growth_, everywhere);
  }
  double alone = no_bound;
  for (const Part& part : parts_)
    alone = std::min(alone, std::log(least(part, part.station)) / static_cast<double>(parts_.size()));
  growth_ = std::max(growth_, alone);
  const double beyond = rooms_ + std::max(0.0, log_rest - std::log(rate_)) / growth_ + 1.0;
  if (!(beyond < 1e9)) return false;
  beyond_ = static_cast<std::uint64_t>(std::ceil(beyond));
  return true;
}

double TailDrift::numbers(std::uint32_t node) const {
  if (const std::uint32_t capacity = chain_->model_.nodes[node].capacity; capacity != M::unlimited) return capacity;
  for (const Part& part : parts_)
    if (chain_->stations_[part.station].node == node)
      return 1.0 / (std::exp(1.0) * std::log(least(part, part.station)));  // the greatest n / exp(a n)
  return 0.0;
}

bool TailDrift::bound_flows() {
  const std::vector<Range> all = ranges(0, 0, no_bound);
  const M& model = chain_->model_;
  for (const NetworkChain::Station& station : chain_->stations_) {
    const M::Node& node = model.nodes[station.node];
    double fastest = 0.0;
    for (const Phases& law : station.phases)
      for (const double rate : law.rate) fastest = std::max(fastest, rate);
    if (node.has(M::varies_speed)) fastest *= model.rules[node.rules].speed.range(all).upper;
    if (node.has(M::patient)) fastest += *std::max_element(station.patience.begin(), station.patience.end());
    flows_ += fastest * numbers(station.node);
  }
  for (std::size_t s = 0; s < chain_->sources_.size(); ++s) {
    const M::Node& source = model.nodes[chain_->sources_[s]];
    double fastest = 0.0;
    if (const MarkovianArrivalProcess* const process = chain_->processes_[s]) {
      for (std::size_t p = 0; p < process->phases(); ++p) {
        double sum = 0.0;
        for (std::size_t q = 0; q < process->phases(); ++q) sum += process->with()[p * process->phases() + q];
        fastest = std::max(fastest, sum);
      }
    } else if (!chain_->gaps_[s].rate.empty()) {
      fastest = *std::max_element(chain_->gaps_[s].rate.begin(), chain_->gaps_[s].rate.end());
    } else {
      fastest = source.rate.range(all).upper;
    }
    flows_ += fastest * (source.batched ? source.batch.mean_s : 1.0);
  }
  return std::isfinite(flows_);
}

// In shells: where there are at most 2^k customers, and more than half as many.
double TailDrift::values(const Program& program) const {
  double out = 0.0;
  for (int k = 0; k <= 52; ++k) {
    const double most = std::exp2(k);
    const Range range = program.range(ranges(0, 0, most));
    const double greatest = std::max(std::fabs(range.lower), std::fabs(range.upper));
    if (!std::isfinite(greatest)) return no_bound;
    const double least = growth_ * std::max(0.0, (k == 0 ? 0.0 : most / 2.0) - rooms_);
    out = std::max(out, greatest * std::exp(-least));
  }
  return out;
}

}  // namespace ergode
