#include "solvers/queueing/exact/normalising_constant.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <type_traits>

#include "core/base/text.h"
#include "solvers/queueing/exact/effort.h"
#include "solvers/queueing/exact/station_function.h"

namespace ergode {
namespace {

constexpr double most_lattice_points = 2e7;
// Up to here no weight that counts leaves the range of a double: demands are scaled so that the constant is at least
// 1 / population!.
constexpr int most_customers_in_doubles = 100;

/// Populations 0..limit of the closed classes that have customers; the last class runs fastest.
struct Lattice {
  std::vector<std::size_t> classes;  ///< In the network.
  std::vector<int> limit;
  std::vector<std::size_t> stride;
  std::size_t size = 1;

  explicit Lattice(const QueueingNetwork& network) {
    for (std::size_t r = 0; r < network.classes.size(); ++r)
      if (!network.classes[r].open && network.classes[r].population > 0)
        classes.push_back(r), limit.push_back(network.classes[r].population);
    stride.resize(classes.size());
    for (std::size_t r = classes.size(); r-- > 0;) {
      stride[r] = size;
      size *= static_cast<std::size_t>(limit[r]) + 1;
    }
  }
};

double lattice_states(const QueueingNetwork& network) {
  double states = 1;
  for (const NetworkClass& c : network.classes)
    if (!c.open) states *= c.population + 1.0;
  return states;
}

int closed_population(const QueueingNetwork& network) {
  int all = 0;
  for (const NetworkClass& c : network.classes)
    if (!c.open) all += c.population;
  return all;
}

/// What one pass over the lattice costs; numbers with an exponent of their own cost four times as much as doubles.
template <class Number>
double operations_per_pass(const Lattice& lattice) {
  return static_cast<double>(lattice.size * (lattice.classes.size() + 1)) * (std::is_same_v<Number, double> ? 1 : 4);
}

/// Power series over the lattice, coefficients of type Number.
template <class Number>
class Series {
 public:
  Series(const Lattice& lattice, Effort& effort) : lattice_(&lattice), effort_(&effort), values_(lattice.size) {}

  /// exp(sum of delay times variable): delays and thinking.
  void set_delays(const std::vector<double>& delay) {
    std::fill(values_.begin(), values_.end(), Number());
    values_[0] = Number(1.0);
    for (std::size_t r = 0; r < delay.size(); ++r) {
      const std::size_t stride = lattice_->stride[r];
      for_each([&](std::size_t i, const std::vector<int>& n) {
        bool later_empty = true;
        for (std::size_t s = r + 1; s < n.size(); ++s) later_empty = later_empty && n[s] == 0;
        if (n[r] > 0 && later_empty) values_[i] = values_[i - stride] * Number(delay[r] / n[r]);
      });
    }
  }
  /// Divides by 1 - x, x = sum of demand times variable.
  void divide(const std::vector<double>& demand) {
    const std::vector<Number> factor(numbers(demand));
    for_each([&](std::size_t i, const std::vector<int>& n) {
      for (std::size_t r = 0; r < factor.size(); ++r)
        if (n[r] > 0) values_[i] += factor[r] * values_[i - lattice_->stride[r]];
    });
  }
  /// Multiplies by a polynomial in x by Horner's scheme; `spare` has room for the work.
  void multiply(const std::vector<WideDouble>& polynomial, const std::vector<double>& demand, int degree,
                Series& spare) {
    const std::size_t top = std::min(polynomial.size() - 1, static_cast<std::size_t>(degree));
    if (top == 0 && polynomial[0].value() == 1.0) return;
    const std::vector<Number> factor(numbers(demand));
    spare.values_ = values_;
    scale(Number(polynomial[top]));
    for (std::size_t j = top; j-- > 0;) {
      const Number constant(polynomial[j]);
      times_x(factor);
      for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += constant * spare.values_[i];
    }
  }
  void add_scaled(const Series& other, double by) {
    const Number factor(by);
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += factor * other.values_[i];
  }
  const Number& operator[](std::size_t i) const { return values_[i]; }
  const Number& last() const { return values_.back(); }

 private:
  static std::vector<Number> numbers(const std::vector<double>& from) {
    std::vector<Number> to;
    for (const double each : from) to.push_back(Number(each));
    return to;
  }
  void scale(const Number& by) {
    for (Number& each : values_) each = each * by;
  }
  /// From above, where nobody reads any more.
  void times_x(const std::vector<Number>& factor) {
    spend();
    std::vector<int> n = lattice_->limit;
    for (std::size_t i = values_.size(); i-- > 0;) {
      Number sum{};
      for (std::size_t r = 0; r < factor.size(); ++r)
        if (n[r] > 0) sum += factor[r] * values_[i - lattice_->stride[r]];
      values_[i] = sum;
      for (std::size_t r = n.size(); r-- > 0;) {
        if (n[r]-- > 0) break;
        n[r] = lattice_->limit[r];
      }
    }
  }
  template <class Do>
  void for_each(Do&& act) {
    spend();
    std::vector<int> n(lattice_->limit.size(), 0);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      act(i, n);
      for (std::size_t r = n.size(); r-- > 0;) {
        if (++n[r] <= lattice_->limit[r]) break;
        n[r] = 0;
      }
    }
  }

  void spend() { effort_->spend(operations_per_pass<Number>(*lattice_)); }

  const Lattice* lattice_;
  Effort* effort_;
  std::vector<Number> values_;
};

template <class Number>
class Convolution {
 public:
  Convolution(const QueueingNetwork& network, const Budget& budget)
      : network_(network),
        effort_(budget),
        lattice_(network),
        population_(closed_population(network)),
        spare_(foreseen(), effort_) {
    for (std::size_t k = 0; k < network.stations.size(); ++k)
      functions_.push_back(is_delay(k)
                               ? StationFunction{}
                               : station_function(network.stations[k], network.open_load(k), population_, effort_));
    scale_demands();
  }

  Series<Number> constants(std::size_t without) {
    Series<Number> g(lattice_, effort_);
    g.set_delays(delay_);
    for (std::size_t k = 0; k < functions_.size(); ++k) {
      if (k == without || is_delay(k)) continue;
      g.multiply(functions_[k].polynomial, demand_[k], population_, spare_);
      if (functions_[k].tail_speed > 0) g.divide(tail_demand(k));
    }
    return g;
  }

  NetworkResult solve() {
    const std::size_t stations = functions_.size(), classes = network_.classes.size();
    const Series<Number> g = constants(none);
    std::vector<double> throughput(classes, 0.0), number(stations * classes, 0.0), busy(stations, 0.0);
    waiting_ = number;
    for (std::size_t r = 0; r < classes; ++r)
      if (network_.classes[r].open) throughput[r] = network_.classes[r].arrival_rate;
    for (std::size_t s = 0; s < lattice_.classes.size(); ++s)
      throughput[lattice_.classes[s]] = ratio(before(g, s), g.last()) / scale_[s];
    for (std::size_t k = 0; k < stations; ++k) {
      if (is_delay(k)) {
        for (std::size_t r = 0; r < classes; ++r) number[network_.at(k, r)] = throughput[r] * network_.demand_s(k, r);
        continue;
      }
      fill_numbers(k, g, number, busy);
    }
    NetworkResult result = complete_result(network_, std::move(throughput), std::move(number), busy);
    result.waiting = std::move(waiting_);
    return result;
  }

  std::vector<double> logarithms() requires std::is_same_v<Number, WideDouble> {
    const Series<Number> g = constants(none);
    std::vector<double> logs;
    for (std::size_t n = 0; n < lattice_.size; ++n)
      logs.push_back(g[n].log() + (n == 0 ? 0.0 : static_cast<double>(n) * std::log(scale_[0])));
    return logs;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  bool is_delay(std::size_t k) const { return nobody_waits(network_, k); }
  /// The lattice, if what is to be done there may be done. A polynomial costs a pass for each of its coefficients, for
  /// every other station that is left out in its turn, and twice more for its own means.
  const Lattice& foreseen() const {
    double all = 0, own = 0, left_out = 1, coefficients = 0;
    for (std::size_t k = 0; k < network_.stations.size(); ++k) {
      if (is_delay(k)) continue;
      const NetworkStation& station = network_.stations[k];
      const double length =
          std::min(station.kind == StationKind::queue ? static_cast<double>(station.servers)
                                                      : static_cast<double>(station.rate_multipliers.size()),
                   population_ + 2.0);
      all += length + 1, own += 2 * length + 3, coefficients += 3 * length;
      if (length > 1) ++left_out;
    }
    const std::string what = "The constants of " + number_text(static_cast<double>(lattice_.size)) + " populations";
    effort_.foresee((all * left_out + own) * operations_per_pass<Number>(lattice_), what);
    effort_.foresee_bytes(5.0 * sizeof(Number) * static_cast<double>(lattice_.size) + sizeof(WideDouble) * coefficients,
                          what);
    return lattice_;
  }
  std::vector<double> tail_demand(std::size_t k) const {
    std::vector<double> y = demand_[k];
    for (double& each : y) each /= functions_[k].tail_speed;
    return y;
  }
  Number before(const Series<Number>& g, std::size_t s) const { return g[lattice_.size - 1 - lattice_.stride[s]]; }

  /// Each class in units of its greatest demand, so that the constant is neither huge nor tiny.
  void scale_demands() {
    demand_.assign(functions_.size(), std::vector<double>(lattice_.classes.size()));
    for (std::size_t s = 0; s < lattice_.classes.size(); ++s) {
      const std::size_t r = lattice_.classes[s];
      double delay = network_.classes[r].think_s, greatest = 0;
      for (std::size_t k = 0; k < functions_.size(); ++k) {
        const double demand = network_.demand_s(k, r);
        if (is_delay(k)) delay += demand;
        else greatest = std::max(greatest, functions_[k].tail_speed > 0 ? demand / functions_[k].tail_speed : demand);
      }
      greatest = std::max(greatest, delay);
      scale_.push_back(greatest);
      delay_.push_back(delay / greatest);
      for (std::size_t k = 0; k < functions_.size(); ++k) demand_[k][s] = network_.demand_s(k, r) / greatest;
    }
  }

  /// With G(-k) the constant without station k, the mean of class r there is its demand times the coefficient of
  /// G(-k) F' one customer earlier (open classes: of all), over G.
  void fill_numbers(std::size_t k, const Series<Number>& g, std::vector<double>& number, std::vector<double>& busy) {
    const StationFunction& f = functions_[k];
    Series<Number> h = g, line = g;
    double over = 1;
    if (f.single_server()) {
      h.divide(tail_demand(k));
      over = f.tail_speed;
      busy[k] = 0;
      for (std::size_t s = 0; s < lattice_.classes.size(); ++s)
        busy[k] += demand_[k][s] * ratio(before(g, s), g.last());
      busy[k] += network_.open_load(k);
      line = h;
      // Only rates that are constant make a load-dependent station a single server.
      busy[k] /= rate_multiplier(network_.stations[k], 1);
    } else {
      h = line = constants(k);
      const double empty = ratio(h.last(), g.last()) * std::exp(-f.log_scale);
      busy[k] = std::max(0.0, 1 - empty);
      if (f.derivative.empty()) return;
      h.multiply(f.derivative, demand_[k], population_, spare_);
      if (f.tail_speed > 0) {
        h.add_scaled(g, 1 / f.tail_speed);
        h.divide(tail_demand(k));
      }
    }
    for (std::size_t s = 0; s < lattice_.classes.size(); ++s)
      number[network_.at(k, lattice_.classes[s])] = demand_[k][s] * ratio(before(h, s), g.last()) / over;
    fill_waiting(k, g, line);
    for (std::size_t r = 0; r < network_.classes.size(); ++r)
      if (const NetworkClass& c = network_.classes[r]; c.open)
        number[network_.at(k, r)] = c.arrival_rate * network_.demand_s(k, r) * ratio(h.last(), g.last()) / over;
  }

  /// Given how many are there, each of them is as likely to wait as any other: of r the share of r.
  /// @param line  the constant without the station, or of all over (1 - x/speed) where it is a single server.
  void fill_waiting(std::size_t k, const Series<Number>& g, Series<Number>& line) {
    const StationFunction& f = functions_[k];
    // Doubles lose what is far below the range of their exponent.
    constexpr double least = std::is_same_v<Number, double> ? 1e-100 : 0.0;
    const auto certain = [&](double x) {
      return f.waiting.empty() || (x != 0 && x < least) ? std::numeric_limits<double>::quiet_NaN() : x;
    };
    if (!f.waiting.empty()) {
      line.multiply(f.waiting, demand_[k], population_, spare_);
      if (!f.single_server()) line.divide(tail_demand(k)), line.divide(tail_demand(k));
    }
    for (std::size_t s = 0; s < lattice_.classes.size(); ++s)
      waiting_[network_.at(k, lattice_.classes[s])] = certain(demand_[k][s] * ratio(before(line, s), g.last()));
    for (std::size_t r = 0; r < network_.classes.size(); ++r)
      if (const NetworkClass& c = network_.classes[r]; c.open)
        waiting_[network_.at(k, r)] = certain(c.arrival_rate * network_.demand_s(k, r) * ratio(line.last(), g.last()));
  }

  const QueueingNetwork& network_;
  Effort effort_;
  Lattice lattice_;
  int population_;
  Series<Number> spare_;
  std::vector<StationFunction> functions_;
  std::vector<std::vector<double>> demand_;  ///< [station][closed class], scaled.
  std::vector<double> delay_, scale_;        ///< [closed class]
  std::vector<double> waiting_;
};

bool fits_doubles(const QueueingNetwork& network) {
  for (const NetworkStation& station : network.stations)
    if (station.kind == StationKind::load_dependent || station.servers > 1000) return false;
  return closed_population(network) <= most_customers_in_doubles;
}

Diagnostics refuse_size(const QueueingNetwork& network) {
  const double states = lattice_states(network);
  if (states <= most_lattice_points) return {};
  return {queueing_error("QUE104",
                         "The populations span " + number_text(states) + " states; wanted at most " +
                             number_text(most_lattice_points) + ".",
                         "Approximate mean value analysis takes any population.")};
}

}  // namespace

Solved<NetworkResult> convolution(const QueueingNetwork& network, const Budget& budget) {
  if (Diagnostics bad = check_network(network); !bad.empty()) return bad.front();
  if (Diagnostics bad = refuse_size(network); !bad.empty()) return bad.front();
  try {
    if (fits_doubles(network)) return Convolution<double>(network, budget).solve();
    return Convolution<WideDouble>(network, budget).solve();
  } catch (const std::bad_alloc&) {
    return queueing_error("QUE104", "No memory for " + number_text(lattice_states(network)) + " states.");
  }
}

Solved<std::vector<double>> log_normalising_constants(const QueueingNetwork& network) {
  if (Diagnostics bad = check_network(network); !bad.empty()) return bad.front();
  if (network.classes.size() != 1 || network.classes[0].open)
    return queueing_error("QUE105", "The constants of one closed class are listed; the network has other classes.");
  if (Diagnostics bad = refuse_size(network); !bad.empty()) return bad.front();
  return Convolution<WideDouble>(network, Budget()).logarithms();
}

Solved<std::vector<double>> marginal_probabilities(const QueueingNetwork& network, std::size_t station) {
  if (Diagnostics bad = check_network(network); !bad.empty()) return bad.front();
  if (network.classes.size() != 1 || network.classes[0].open)
    return queueing_error("QUE105", "Marginal probabilities are of one closed class; the network has other classes.");
  if (station >= network.stations.size())
    return queueing_error("QUE101", "There is no station " + std::to_string(station + 1) + ".");
  const auto population = static_cast<std::size_t>(network.classes[0].population);
  constexpr double never = -std::numeric_limits<double>::infinity();
  QueueingNetwork rest = network;
  const auto at = static_cast<std::ptrdiff_t>(station);
  rest.stations.erase(rest.stations.begin() + at);
  rest.service_s.erase(rest.service_s.begin() + at), rest.visits.erase(rest.visits.begin() + at);
  double elsewhere = rest.classes[0].think_s;
  for (std::size_t k = 0; k < rest.stations.size(); ++k) elsewhere += rest.demand_s(k, 0);
  std::vector<double> others(population + 1, never);
  others[0] = 0;
  if (elsewhere > 0) {
    // Thinking alone is a delay, and a network has a station.
    if (rest.stations.empty()) rest.stations.push_back({}), rest.service_s = {0}, rest.visits = {0};
    auto logs = log_normalising_constants(rest);
    if (const auto* bad = std::get_if<Diagnostic>(&logs)) return *bad;
    others = std::get<std::vector<double>>(std::move(logs));
  }
  std::vector<double> p;
  double own = 0, greatest = never, sum = 0;
  for (std::size_t n = 0; n <= population; ++n) {
    if (n > 0)
      own += std::log(network.demand_s(station, 0) / rate_multiplier(network.stations[station], static_cast<int>(n)));
    p.push_back(own + others[population - n]);
    greatest = std::max(greatest, p.back());
  }
  for (double& each : p) each = std::exp(each - greatest), sum += each;
  for (double& each : p) each /= sum;
  return p;
}

}  // namespace ergode
