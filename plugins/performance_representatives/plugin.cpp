// The plugin: sweeps and samples a target or reads what was measured of one, learns, and tells all that is known.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/performance_representatives/engine/draws.h"
#include "plugins/performance_representatives/setup.h"

namespace performance_representatives {
namespace {

// Indices of the lists in plugin.json.
struct Out {
  enum : std::uint32_t {
    mape,
    rmspe,
    greatest,
    mape_forest,
    mape_random,
    known,
    representatives,
    reduction,
    samples,
    network
  };
};
struct Tables {
  enum : std::uint32_t { widths, sweeps, representatives, errors, layers };
};
constexpr std::size_t parameter_columns = 8;

struct Cancelled {};
/// The host knows why, and says it.
struct TargetFailed {};

class Run {
 public:
  Run(const ergode_input& input, const ergode_host& host)
      : input_(input), host_(host), setup_(read_setup(input)), draw_(input.seed) {}

  void run() {
    if (setup_.source == TimesFrom::plugin && (!ERGODE_HAS(ergode_host, &host_, measure) || host_.measure == nullptr))
      throw plugin_support::bad_parameter(
          "source", ERGODE_HAS(ergode_host, &host_, measure)
                        ? "Times come from a plugin, and none is measured for whoever is measured itself."
                        : "Times come from a plugin, and this program measures none for others: it speaks version 1." +
                              std::to_string(host_.abi_minor) + " of the interface; wanted 1.1 or later.");
    for (std::size_t t = 0; t < setup_.types.size(); ++t) {
      const LayerType& type = setup_.types[t];
      if (host_.cancelled(host_.context) != 0) throw Cancelled();
      TimeSource target;
      if (setup_.source == TimesFrom::array) target = [this](const Point& point) { return time_of_array(point); };
      if (setup_.source == TimesFrom::plugin)
        target = [this, t](const Point& point) { return time_of_plugin(setup_.asked[t], point); };
      studied_.push_back(study(type, setup_.ranges[t], setup_.study, target));
      host_.progress(host_.context, static_cast<double>(studied_.size()) / static_cast<double>(setup_.types.size()));
      tell(type, studied_.back());
    }
    observe_all();
    if (!setup_.network.empty()) estimate_network();
  }

 private:
  static constexpr std::uint64_t look_every = 4096;

  double time_of_array(const Point& point) {
    if (++asked_ % look_every == 0 && host_.cancelled(host_.context) != 0) throw Cancelled();
    return setup_.array.cycles(point) * (setup_.noise > 0.0 ? draw_.lognormal(setup_.noise) : 1.0);
  }
  double time_of_plugin(const AskedType& target, const Point& point) {
    const std::string parameters = target.parameters_at(point), files = target.files.dump();
    ergode_question question{};
    question.size = sizeof question;
    question.plugin = target.plugin.c_str(), question.output = target.output.c_str();
    question.parameters = parameters.c_str(), question.files = files.c_str();
    question.pointer = "/parameters/target_file";
    // Each measurement is another one where the target draws.
    question.seed = static_cast<std::uint64_t>(draw_.below(std::int64_t{1} << 53));
    double time = 0.0;
    const std::int32_t came_to = host_.measure(host_.context, &question, &time);
    if (came_to == ERGODE_CANCELLED) throw Cancelled();
    if (came_to != ERGODE_OK) throw TargetFailed();
    if (!(time > 0.0))
      throw plugin_support::bad_parameter("target_file", target.output + " of " + target.plugin + " is " +
                                                             std::to_string(time) + " with " + parameters +
                                                             "; wanted a time above 0.");
    return time;
  }

  void observe(std::uint32_t output, double value) const { host_.observe(host_.context, output, &value, 1); }
  void row(std::uint32_t table, const std::vector<ergode_cell>& cells) const {
    if (input_.replication == 0) host_.row(host_.context, table, cells.data(), cells.size());
  }
  void warn(const char* pointer, const std::string& text) const {
    host_.tell(host_.context, ERGODE_WARNING, pointer, text.c_str());
  }
  static ergode_cell cell(double x) { return {nullptr, x}; }
  static ergode_cell cell(std::int64_t x) { return {nullptr, static_cast<double>(x)}; }
  static ergode_cell cell(std::size_t x) { return {nullptr, static_cast<double>(x)}; }
  static ergode_cell cell(const std::string& text) { return {text.c_str(), 0.0}; }
  static ergode_cell cell_if(bool there, double x) { return cell(there ? x : std::nan("")); }
  void append(std::vector<ergode_cell>& cells, const Point& point) const {
    for (std::size_t i = 0; i < parameter_columns; ++i)
      cells.push_back(i < point.size() ? cell(point[i]) : cell(std::nan("")));
  }
  std::string words(const Point& point) const {
    std::string out;
    for (std::size_t i = 0; i < point.size(); ++i)
      out += (i == 0 ? "" : " ") + setup_.names[i] + "=" + std::to_string(point[i]);
    return out;
  }

  void tell(const LayerType& type, const Studied& one) const {
    const std::string of = type.name.empty() ? "" : " of " + type.name;
    for (std::size_t at = 0; at < one.axes.size(); ++at) {
      const AxisFound& axis = one.axes[at];
      const Steps& steps = axis.steps;
      std::size_t jumps = 0;
      double noise = 0.0;
      for (const SweepJumps& sweep : steps.sweeps) jumps += sweep.jumps.size(), noise = std::max(noise, sweep.noise);
      row(Tables::widths, {cell(type.name), cell(setup_.names[at]), cell(axis.axis.low), cell(axis.axis.high),
                           cell(axis.axis.width), cell(axis.axis.offset), cell(axis.axis.representatives()),
                           cell(axis.sweeps.size()), cell(jumps), cell(steps.most_frequent_gap),
                           cell(steps.common_divisor), cell(steps.correlation), cell(noise), cell(steps.because)});
      for (std::size_t s = 0; s < axis.sweeps.size() && s < most_sweeps; ++s) tell(type, at, s, axis);
    }
    tell_representatives(type, one);
    for (const Compared& n : one.curve) {
      const Errors random = n.random.value_or(Errors{});
      const bool there = n.random.has_value();
      row(Tables::errors,
          {cell(type.name), cell(n.samples), cell(n.representatives.points), cell(n.representatives.mape),
           cell(n.representatives.rmspe), cell(n.representatives.greatest), cell_if(there, random.mape),
           cell_if(there, random.rmspe), cell_if(there, random.greatest)});
    }
    if (one.off_grid > 0)
      warn("/parameters/measurements", std::to_string(one.off_grid) + " points" + of +
                                           " are marked as representatives and lie within a stair: they are left out.");
    if (!one.estimator)
      warn("/parameters/measurements", "No representative" + of +
                                           " was measured: there is nothing to learn from. The table representatives "
                                           "says which to measure.");
    else if (one.errors.points == 0)
      warn("/parameters/measurements", "There is no other point" + of + " to test the estimator with.");
  }
  void tell(const LayerType& type, std::size_t at, std::size_t number, const AxisFound& axis) const {
    const SizeSweep& sweep = axis.sweeps[number];
    const auto& jumps = axis.steps.sweeps[number].jumps;
    std::size_t stair = 1;
    for (std::size_t i = 0; i < sweep.values.size(); ++i) {
      const bool ends = std::binary_search(jumps.begin(), jumps.end(), sweep.values[i]);
      row(Tables::sweeps,
          {cell(type.name), cell(setup_.names[at]), cell(number + 1), cell(sweep.values[i]), cell(sweep.times[i]),
           cell(stair), ergode_cell{ends ? "yes" : "", 0.0}, cell(axis.axis.representative(sweep.values[i]))});
      stair += ends ? 1 : 0;
    }
  }
  /// Sizes by the names that the measurements have, so that the table is one of points for whoever measures them.
  void name_columns() const {
    const auto word = [](const char* text) { return ergode_cell{text, 0.0}; };
    std::vector<ergode_cell> names = {word("Type"), word("Point")};
    for (std::size_t i = 0; i < parameter_columns; ++i)
      names.push_back(i < setup_.names.size() ? cell(setup_.names[i]) : word(""));
    names.push_back(word("Measured")), names.push_back(word("Estimate"));
    row(Tables::representatives, names);
  }
  /// Those that were measured, then those that are still to be.
  void tell_representatives(const LayerType& type, const Studied& one) const {
    if (studied_.size() == 1) name_columns();
    const auto tell_one = [&](const Point& point, double measured, double estimate) {
      const std::string text = words(point);
      std::vector<ergode_cell> cells = {cell(type.name), cell(text)};
      append(cells, point);
      cells.push_back(cell(measured)), cells.push_back(cell(estimate));
      row(Tables::representatives, cells);
    };
    for (const Timed& point : one.training) tell_one(point.point, point.time, (*one.estimator)(point.point));
    std::size_t left = setup_.study.samples - std::min(setup_.study.samples, one.training.size());
    for (const Point& point : one.wanted) {
      if (left == 0) break;
      if (one.estimator && one.estimator->measured(point)) continue;
      tell_one(point, std::nan(""), one.estimator ? (*one.estimator)(point) : std::nan("")), --left;
    }
  }

  /// Over all types, each test point alike.
  void observe_all() const {
    double tested = 0.0, mape = 0.0, squares = 0.0, greatest = 0.0, known = 0.0, forest = 0.0, random = 0.0,
           compared = 0.0;
    double grid = 0.0, range = 0.0, samples = 0.0;
    for (const Studied& one : studied_) {
      grid += one.grid->size(), range += one.grid->range_size(), samples += static_cast<double>(one.training.size());
      const auto n = static_cast<double>(one.errors.points);
      if (n == 0.0) continue;
      tested += n, mape += n * one.errors.mape, squares += n * one.errors.rmspe * one.errors.rmspe,
          known += n * one.known;
      greatest = std::max(greatest, one.errors.greatest), forest += n * one.curve.back().representatives.mape;
      if (const auto& last = one.curve.back().random) random += n * last->mape, compared += n;
    }
    observe(Out::representatives, grid), observe(Out::reduction, range / grid), observe(Out::samples, samples);
    if (tested > 0.0) {
      observe(Out::mape, mape / tested), observe(Out::rmspe, std::sqrt(squares / tested));
      observe(Out::greatest, greatest), observe(Out::mape_forest, forest / tested);
      observe(Out::known, std::min(1.0, known / tested));
    }
    if (compared > 0.0) observe(Out::mape_random, random / compared);
  }

  void estimate_network() {
    if (!setup_.left_out.empty())
      warn("/parameters/network", std::to_string(setup_.left_out.size()) +
                                      " layers are of a type that was not measured and count as 0: " +
                                      setup_.left_out.front() + (setup_.left_out.size() > 1 ? ", ..." : "") + ".");
    std::vector<EstimatedLayer> layers;
    std::vector<const Studied*> of;
    for (NetworkLayer& one : setup_.network) {
      std::size_t type = 0;
      while (setup_.types[type].name != one.type) ++type;
      of.push_back(&studied_[type]);
      if (!of.back()->estimator)
        throw plugin_support::bad_parameter(
            "network", "Nothing was measured that layer " + one.layer.name + " could be estimated by.");
      one.layer.estimate = one.count * (*of.back()->estimator)(one.point);
      layers.push_back(one.layer);
    }
    const NetworkEstimate sum = network_time(layers, setup_.start_time);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const NetworkLayer& one = setup_.network[i];
      const Point at = of[i]->estimator->representative(one.point);
      bool within = true;
      for (std::size_t p = 0; p < one.point.size(); ++p) {
        const Axis& axis = of[i]->axes[p].axis;
        within = within && one.point[p] >= axis.low && one.point[p] <= axis.high;
      }
      const std::string here = words(one.point), there = words(at);
      const bool known = of[i]->estimator->measured(at).has_value() && setup_.study.estimator.measured;
      row(Tables::layers, {cell(one.layer.name), cell(one.type), cell(one.layer.block), cell(here), cell(there),
                           cell(one.count), cell(layers[i].estimate), cell(sum.counted[i]),
                           cell(sum.time > 0.0 ? 100.0 * sum.counted[i] / sum.time : std::nan("")),
                           ergode_cell{!within ? "beyond the range"
                                       : known ? "measured"
                                               : "learnt",
                                       0.0}});
      if (!within)
        warn("/parameters/network",
             "Layer " + one.layer.name + " (" + here + ") lies beyond the range that was learnt.");
    }
    observe(Out::network, sum.time);
  }

  static constexpr std::size_t most_sweeps = 20;  ///< of a parameter that the table shows
  const ergode_input& input_;
  const ergode_host& host_;
  StudySetup setup_;
  Draws draw_;
  std::uint64_t asked_ = 0;
  std::vector<Studied> studied_;
};

int32_t run(const ergode_input* input, const ergode_host* host) {
  try {
    Run(*input, *host).run();
    return ERGODE_OK;
  } catch (const Cancelled&) {
    return ERGODE_CANCELLED;
  } catch (const TargetFailed&) {
    return ERGODE_FAILED;
  } catch (const std::exception& bad) {
    return plugin_support::told(*host, bad);
  }
}

constexpr ergode_simulator the_simulator = {sizeof(ergode_simulator), 0, run};
constexpr ergode_plugin the_plugin = {
    sizeof(ergode_plugin), ERGODE_PLUGIN_ABI_MAJOR, ERGODE_PLUGIN_ABI_MINOR, 0, &the_simulator, nullptr};

}  // namespace
}  // namespace performance_representatives

const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major) {
  return host_abi_major == ERGODE_PLUGIN_ABI_MAJOR ? &performance_representatives::the_plugin : nullptr;
}
