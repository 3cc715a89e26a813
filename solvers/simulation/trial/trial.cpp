#include "solvers/simulation/trial/trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <new>

#include "core/base/special_values.h"
#include "core/des/backlog.h"
#include "solvers/simulation/model_history.h"

namespace ergode {
namespace {

/// What is looked at in a history, at moments of equal distance: when there are too many, every other one is forgotten.
class Course {
 public:
  explicit Course(std::size_t columns) : columns_(columns) {
    constexpr std::size_t most_values = 4'000'000, least_rows = 64, most_rows = 1024;
    rows_ = std::clamp(most_values / std::max<std::size_t>(1, columns), least_rows, most_rows) / 2 * 2;
  }
  void begin(double now_s, double distance_s) { first_s_ = next_s_ = now_s, distance_s_ = distance_s; }
  bool begun() const { return distance_s_ > 0.0; }
  double next_s() const { return next_s_; }
  template <class Write>
  void add(const Write& write) {
    values_.resize(values_.size() + columns_);
    write(values_.end() - static_cast<std::ptrdiff_t>(columns_));
    if (rows() == rows_) {
      for (std::size_t row = 1; row < rows_ / 2; ++row)
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(2 * row * columns_), columns_,
                    values_.begin() + static_cast<std::ptrdiff_t>(row * columns_));
      values_.resize(rows_ / 2 * columns_);
      distance_s_ *= 2.0;
    }
    next_s_ = first_s_ + distance_s_ * static_cast<double>(rows());
  }
  std::size_t rows() const { return values_.size() / columns_; }
  double at(std::size_t row, std::size_t column) const { return values_[row * columns_ + column]; }
  double time_s(std::size_t row) const { return first_s_ + distance_s_ * static_cast<double>(row); }

 private:
  std::size_t columns_, rows_;
  double first_s_ = 0.0, distance_s_ = 0.0, next_s_ = 0.0;
  std::vector<double> values_;
};

/// Of one part, in columns of a course: the numbers at places and their work, who went on from them so far and their
/// work, who came from sources so far, and what is followed.
struct Watched {
  const LoweredPart* part = nullptr;
  UnsettledPlaces what;
  std::size_t number = 0, there = 0, passed = 0, done = 0, come = 0, followed = 0;  ///< first columns
  std::vector<double> passed_so_far, done_so_far;
};

/// Who goes on from a place.
class Departures : public ObservationSink {
 public:
  void count(std::uint32_t stream, Watched& of, std::size_t place) {
    if (of_.size() <= stream) of_.resize(stream + std::size_t{1});
    of_[stream] = {&of, place};
  }
  void observed(std::uint32_t stream, double, std::uint32_t of_class) override {
    const auto& [watched, place] = of_[stream];
    const std::vector<double>& work_s = watched->what.places[place].work_s;
    watched->passed_so_far[place] += 1.0;
    watched->done_so_far[place] += work_s.empty() ? 1.0 : work_s[of_class];
  }

 private:
  std::vector<std::pair<Watched*, std::size_t>> of_;  ///< by stream
};

/// What is said where a trial tells nothing.
Diagnostics otherwise(const std::vector<Watched>& watched) {
  Diagnostics out;
  for (const Watched& one : watched) out.insert(out.end(), one.what.otherwise.begin(), one.what.otherwise.end());
  return out;
}

class Trial {
 public:
  Trial(const AnalysisModel& model, TrialBudget& budget, std::vector<Watched> watched, std::size_t columns)
      : model_(model),
        budget_(budget),
        watched_(std::move(watched)),
        groups_(model),
        history_(model, groups_, own_seed),
        course_(columns) {
    World& world = history_.world();
    std::vector<std::uint8_t> wanted(world.table().streams.size(), 0);
    // A slot that nobody reads is kept only where it is asked for.
    for (Watched& one : watched_) {
      for (std::size_t i = 0; i < one.what.places.size(); ++i) {
        const UnsettledPlaces::Place& place = one.what.places[i];
        departures_.count(place.passed, one, i);
        world.add_up(place.number), wanted[place.passed] = 1;
        for (std::uint32_t c = 0; c < place.work_s.size(); ++c) world.add_up(place.of_class + c);
      }
      for (const auto& source : one.what.sources) world.add_up(source.come);
      for (const std::uint32_t number : one.what.numbers) world.add_up(number);
    }
    world.patience = patience;
    world.observations.listen(&departures_, wanted, world.slots() + World::now_slot);
  }

  Diagnostics run() {
    history_.others().heed([this] { return late() || crowded(); });
    try {
      history_.start(0);
      for (const std::uint64_t until : looks) {
        if (!go_on(until)) break;
        const Seen seen = look();
        if (seen.grows && seen.long_enough && (precise() || until == looks.back())) return told();
        if (!seen.doubtful && seen.long_enough) return {};
      }
    } catch (const ModelFailure&) {  // the run will say it
    } catch (const GivenUp&) {
    } catch (const std::bad_alloc&) {  // and what is not tried needs none
    }
    return otherwise(watched_);
  }
  ~Trial() { budget_.cpu_s -= cpu_s() - began_s_; }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // As a watch of the loop.
  void until(double time_s) {
    while (course_.begun() && course_.next_s() < time_s) course_.add([this](auto into) { write(into); });
  }
  template <class Path>
  void follow(double, double, Path&&) {}

 private:
  static constexpr std::uint64_t own_seed = 0x7472'6961'6cULL;
  static constexpr std::array<std::uint64_t, 3> looks = {50'000, 200'000, 800'000};
  static constexpr std::size_t stretches = 16;
  static constexpr double far_too_far = 7.0;  // standard errors
  static constexpr double nearly = 0.03, errors = 4.0;
  static constexpr int often = 16;

  struct Seen {
    bool grows = false;        ///< some place surely does
    bool doubtful = false;     ///< some place may
    bool long_enough = false;  ///< for what is like in the long run
  };

  /// Of this thread: what others do, or a machine that was stopped, decides nothing.
  static double cpu_s() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    constexpr double nano = 1e-9;
    return static_cast<double>(now.tv_sec) + nano * static_cast<double>(now.tv_nsec);
  }
  bool late() const { return cpu_s() - began_s_ > budget_.cpu_s; }
  /// There are more than fit into a check's memory.
  bool crowded() const {
    constexpr double most = 2e6;
    const double* const slots = history_.world().slots();
    double all = 0.0;
    for (const Watched& one : watched_)
      for (const std::uint32_t number : one.what.numbers) all += slots[number];
    return all > most;
  }

  /// @returns false: nothing happens any more, or it takes too long
  bool go_on(std::uint64_t until) {
    constexpr std::uint64_t first_steps = 2'000, between_polls = 64, between_counts = 4'096;
    constexpr double first_rows = 16.0;
    for (; steps_ < until; ++steps_) {
      if (budget_.steps == 0 || !history_.step(infinity, *this)) return false;
      --budget_.steps;
      const double now_s = history_.world().now();
      if (!course_.begun() && steps_ >= first_steps && now_s > 0.0) course_.begin(now_s, now_s / first_rows);
      if ((steps_ % between_polls == 0 && late()) || (steps_ % between_counts == 0 && crowded())) return false;
    }
    return true;
  }

  template <class Into>
  void write(Into into) {
    const double* const slots = history_.world().slots();
    for (const Watched& one : watched_) {
      for (const auto& place : one.what.places) *into++ = slots[place.number];
      for (const auto& place : one.what.places) {
        double work_s = place.work_s.empty() ? slots[place.number] : 0.0;
        for (std::uint32_t c = 0; c < place.work_s.size(); ++c) work_s += place.work_s[c] * slots[place.of_class + c];
        *into++ = work_s;
      }
      into = std::copy(one.passed_so_far.begin(), one.passed_so_far.end(), into);
      into = std::copy(one.done_so_far.begin(), one.done_so_far.end(), into);
      for (const auto& source : one.what.sources) *into++ = slots[source.come];
      for (const auto& followed : one.what.followed) *into++ = followed.program.evaluate(slots);
    }
  }

  Seen look() {
    Seen out;
    growing_.clear();
    // The second half, in stretches of equal length.
    rows_of_stretch_ = course_.rows() / 2 / stretches;
    if (rows_of_stretch_ == 0) return {.doubtful = true};
    last_ = course_.rows() - 1, first_ = last_ - stretches * rows_of_stretch_;
    out.long_enough = true;
    for (const Watched& one : watched_) {
      for (std::size_t i = 0; i < one.what.places.size(); ++i) {
        const double high = rises_by(one.number + i);
        // At the first look a chance rise is likely, and going on is cheap.
        out.doubtful = out.doubtful || high > (steps_ == looks[0] ? 1.0 : 2.5);
        if (high < far_too_far || rise(one.number + i) < few ||
            course_.at(first_, one.number + i) < one.what.places[i].harmless || !goes_on(one.passed + i))
          continue;
        out.grows = true;
        growing_.push_back({&one, i});
      }
      out.long_enough = out.long_enough && like_the_long_run(one);
    }
    return out;
  }

  double rise(std::size_t column) const { return course_.at(last_, column) - course_.at(first_, column); }
  /// Of the mean rise of a stretch, by how unlike they are.
  double standard_error(std::size_t column) const {
    const double mean = rise(column) / stretches;
    double squares = 0.0;
    for (std::size_t from = first_; from < last_; from += rows_of_stretch_) {
      const double off = course_.at(from + rows_of_stretch_, column) - course_.at(from, column) - mean;
      squares += off * off;
    }
    return std::sqrt(squares / (stretches - 1.0) / stretches);
  }
  /// The mean rise of a stretch, in standard errors.
  double rises_by(std::size_t column) const {
    const double mean = rise(column) / stretches, error = standard_error(column);
    return !(mean > 0.0) ? 0.0 : error > 0.0 ? mean / error : infinity;
  }

  /// In each stretch somebody does: else it waits for something that is seldom.
  bool goes_on(std::size_t column) const {
    for (std::size_t row = first_; row < last_; row += rows_of_stretch_)
      if (!(course_.at(row + rows_of_stretch_, column) > course_.at(row, column))) return false;
    return true;
  }
  /// What came over what went on.
  double times(const Watched& one, std::size_t place) const {
    return 1.0 + rise(one.there + place) / rise(one.done + place);
  }
  /// Whether that is known, of all that grow, to a hundredth.
  bool precise() const {
    constexpr double hundredth = 0.01;
    return std::all_of(growing_.begin(), growing_.end(), [&](const auto& grows) {
      const auto& [one, place] = grows;
      const double found = times(*one, place);
      return (found - 1.0) / rises_by(one->number + place) <= hundredth * found;
    });
  }
  bool like_the_long_run(const Watched& one) const {
    const double length_s = course_.time_s(last_) - course_.time_s(first_);
    if (length_s < often * one.what.longest_s) return false;
    for (std::size_t i = 0; i < one.what.sources.size(); ++i) {
      const double expected = one.what.sources[i].per_s * length_s;
      // Of few customers chance makes more of a difference, and they matter less.
      const double by_chance = errors * std::max(std::sqrt(expected) + 1.0, stretches * standard_error(one.come + i));
      if (std::fabs(rise(one.come + i) - expected) > std::max(nearly * expected, by_chance)) return false;
    }
    for (std::size_t i = 0; i < one.what.followed.size(); ++i)
      if (!like_the_long_run(one.what.followed[i], one.followed + i)) return false;
    return true;
  }
  bool like_the_long_run(const UnsettledPlaces::Followed& what, std::size_t column) const {
    std::array<double, stretches> of_stretch{};
    double mean = 0.0;
    for (std::size_t row = first_; row < last_; ++row)
      of_stretch[(row - first_) / rows_of_stretch_] += course_.at(row, column) / static_cast<double>(rows_of_stretch_);
    for (const double one : of_stretch) mean += one / stretches;
    int passed = 0;
    for (std::size_t row = first_; row + 1 < last_; ++row)
      passed += (course_.at(row, column) > mean) != (course_.at(row + 1, column) > mean) ? 1 : 0;
    double squares = 0.0;
    for (const double one : of_stretch) squares += (one - mean) * (one - mean);
    // Moments far apart see less of it than the history did.
    const double error = passed >= often ? errors * std::sqrt(squares / (stretches - 1.0) / stretches) : 0.0;
    if (!std::isnan(what.mean)) return std::fabs(mean - what.mean) <= std::max(nearly * std::fabs(what.mean), error);
    if (passed >= often) return true;
    return settled(column);
  }
  /// From half of the mission on to beyond its end it is the same.
  bool settled(std::size_t column) const {
    if (course_.time_s(last_) < model_.horizon_s || course_.time_s(0) > 0.5 * model_.horizon_s) return false;
    std::size_t row = 0;
    while (course_.time_s(row + 1) <= 0.5 * model_.horizon_s) ++row;
    const double value = course_.at(row, column);
    while (row < last_ && course_.at(row, column) == value) ++row;
    return course_.at(row, column) == value;
  }

  Diagnostics told() const {
    Diagnostics out;
    for (const Watched& one : watched_) {
      std::vector<SeenToGrow> seen;
      for (const auto& [whose, place] : growing_) {
        if (whose == &one) seen.push_back({place, times(one, place), course_.time_s(last_)});
      }
      if (!seen.empty())
        for (Diagnostic& one_said : one.part->told_of_growth(seen)) out.push_back(std::move(one_said));
    }
    return out;
  }

  static constexpr double few = 30.0;
  static constexpr std::uint64_t patience = 20'000;  // steps at one moment
  const AnalysisModel& model_;
  TrialBudget& budget_;
  double began_s_ = cpu_s();
  std::vector<Watched> watched_;
  CcfProgram groups_;
  ModelHistory history_;
  Course course_;
  Departures departures_;
  std::uint64_t steps_ = 0;
  std::size_t first_ = 0, last_ = 0, rows_of_stretch_ = 0;
  std::vector<std::pair<const Watched*, std::size_t>> growing_;
};

/// By slot: whether the same notation writes it as this one.
std::vector<std::uint8_t> written_like(const SlotTable& table, std::uint32_t slot) {
  const std::vector<NamedSlot> named = table.named();
  const auto it = std::find_if(named.begin(), named.end(), [&](const NamedSlot& one) { return one.slot == slot; });
  std::vector<std::uint8_t> out(table.size(), 0);
  for (const NamedSlot& one : named)
    if (it != named.end() && one.writer == it->writer) out[one.slot] = 1;
  return out;
}

}  // namespace

Diagnostics tried_out(const AnalysisModel& model, TrialBudget& budget) {
  constexpr std::size_t most_components = 5'000, most_places = 2'000;
  std::vector<Watched> watched;
  std::size_t places = 0;
  for (const auto& part : model.others)
    if (UnsettledPlaces what = part->unsettled(); !what.places.empty() || !what.otherwise.empty()) {
      places += what.places.size();
      watched.push_back({.part = part.get(), .what = std::move(what)});
    }
  const bool from_outside =
      std::any_of(model.others.begin(), model.others.end(), [](const auto& part) { return !part->sources().empty(); });
  if (places == 0 || from_outside || model.charts.hybrid || model.charts.instances.size() > most_components ||
      places > most_places)
    return otherwise(watched);
  const auto nothing_to_try = std::stable_partition(watched.begin(), watched.end(),
                                                    [](const Watched& one) { return !one.what.places.empty(); });
  Diagnostics out = otherwise({nothing_to_try, watched.end()});
  watched.erase(nothing_to_try, watched.end());
  std::size_t columns = 0;
  for (Watched& one : watched) {
    // What hangs on the part alone grows and comes to rest with it.
    std::vector<std::uint8_t> own;
    if (!one.what.followed.empty()) own = written_like(*model.charts.table, one.what.places.front().number);
    std::erase_if(one.what.followed, [&](const UnsettledPlaces::Followed& followed) {
      const auto slots = followed.program.slots();
      return std::all_of(slots.begin(), slots.end(), [&](std::uint32_t slot) { return own[slot] != 0; });
    });
    const std::size_t its = one.what.places.size();
    one.passed_so_far.assign(its, 0.0), one.done_so_far.assign(its, 0.0);
    one.number = columns, one.there = one.number + its, one.passed = one.there + its, one.done = one.passed + its;
    one.come = one.done + its, one.followed = one.come + one.what.sources.size();
    columns = one.followed + one.what.followed.size();
  }
  for (Diagnostic& one : Trial(model, budget, std::move(watched), columns).run()) out.push_back(std::move(one));
  return out;
}

}  // namespace ergode
