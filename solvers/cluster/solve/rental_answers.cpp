#include "solvers/cluster/solve/rental_answers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "core/expression/linear_form.h"

namespace ergode {
namespace {

using Rental = RentalModel::Rental;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double seconds_per_hour = 3600.0;
/// Of widths by bisection, and of the sums made of them; relative.
constexpr double numerical_error = 1e-11;

/// Means of all rentals, asked for by slot and by stream of observations. NaN where that is not known.
class RentalMeans {
 public:
  RentalMeans(const RentalModel& model, const std::vector<SolvedRental>& solved) : model_(model), solved_(solved) {}

  double of_slot(std::uint32_t slot) const {
    for (const SolvedRental& one : solved_) {
      if (slot == one.rental->jobs) return one.means.jobs;
      if (slot == one.rental->gpus) return one.means.gpus;
      if (slot == one.rental->spend) return one.means.gpus * one.rental->price_per_s();
      if (slot == one.rental->failures) return 0.0;
      for (std::size_t i = 0; i < one.types.size(); ++i) {
        const RentalModel::Stream& stream = model_.streams[one.rental->streams[i]];
        if (slot == stream.jobs) return one.means.types[i].jobs;
        if (slot == stream.gpus) return one.means.types[i].gpus;
      }
    }
    return unknown;
  }
  /// @param of_class  -1: all
  double of_stream(std::uint32_t stream, std::int32_t of_class) const {
    for (const SolvedRental& one : solved_) {
      const Rental& rental = *one.rental;
      if (stream != rental.response_time && stream != rental.gpu_time && stream != rental.cost) continue;
      double sum = 0.0, rate = 0.0;
      for_class(one, of_class, [&](std::size_t i) {
        sum += stream == rental.response_time ? one.means.types[i].jobs : one.means.types[i].gpus;
        rate += one.types[i].rate;
      });
      return sum / rate * (stream == rental.cost ? rental.price_per_s() : 1.0);
    }
    return unknown;
  }
  double rate_of_stream(std::uint32_t stream, std::int32_t of_class) const {
    for (const SolvedRental& one : solved_) {
      const Rental& rental = *one.rental;
      if (stream != rental.response_time && stream != rental.gpu_time && stream != rental.cost) continue;
      double rate = 0.0;
      for_class(one, of_class, [&](std::size_t i) { rate += one.types[i].rate; });
      return rate;
    }
    return unknown;
  }

 private:
  template <class Do>
  static void for_class(const SolvedRental& one, std::int32_t of_class, const Do& with) {
    for (std::size_t i = 0; i < one.types.size(); ++i)
      if (of_class < 0 || i == static_cast<std::size_t>(of_class)) with(i);
  }

  const RentalModel& model_;
  const std::vector<SolvedRental>& solved_;
};

/// "cloud.failures": what an expression calls a slot.
std::string slot_name(const SlotTable& table, std::uint32_t slot) {
  for (const NamedSlot& one : table.named())
    if (one.slot == slot) return "\"" + one.name + "\"";
  return "something that it reads";
}

/// A measure's answer [SI], or why there is none, half a sentence.
std::variant<LinearMean, std::string> answer_of(const Measure& measure, const RentalMeans& means,
                                                const SlotTable& table) {
  using Meaning = MeasureKind::Meaning;
  const Meaning asked = measure.spec.kind->meaning;
  const bool long_run = asked == Meaning::long_run || asked == Meaning::regenerative;
  if (measure.stream >= 0) {
    const auto stream = static_cast<std::uint32_t>(measure.stream);
    double value = unknown;
    if (long_run || asked == Meaning::observed_mean) value = means.of_stream(stream, measure.of_class);
    else if (asked == Meaning::observed_rate) value = means.rate_of_stream(stream, measure.of_class);
    else return "it asks for more than the mean of what is observed";
    if (std::isnan(value)) return "the mean of what is observed there is not known";
    return LinearMean{value, std::fabs(value)};
  }
  if (!long_run && asked != Meaning::average) return "it is no average of the long run";
  return linear_mean(measure.program, [&](std::uint32_t slot) -> std::variant<double, std::string> {
    const double value = means.of_slot(slot);
    if (std::isnan(value)) return "the mean of " + slot_name(table, slot) + " is not known";
    return value;
  });
}

/// Measures and tables that nobody asked for.
class RentalReport {
 public:
  RentalReport(const AnalysisModel& model, const RentalModel& rentals, const std::vector<SolvedRental>& solved,
               ExactAnswers& answers, ResultSet& out)
      : model_(model), rentals_(rentals), solved_(solved), answers_(answers), out_(out) {}

  void measures() {
    for (const SolvedRental& one : solved_) {
      const Rental& rental = *one.rental;
      const std::string of = solved_.size() > 1 ? "/" + rental.name : "";
      const std::string at = solved_.size() > 1 ? " at " + rental.name : "";
      time("mean_response_time" + of, "Mean response time" + at, rental.element, one.means.time);
      for (std::size_t i = 0; i < one.types.size(); ++i) type(one, i);
      number("jobs/" + rental.name, "Jobs at " + rental.name, rental.element, one.means.jobs);
      number("gpus/" + rental.name, "GPUs rented at " + rental.name, rental.element, one.means.gpus);
      tell({.id = "spend" + of,
            .label = "Spend" + at,
            .element = rental.element,
            .unit = "USD/h",
            .unit_scale = 1.0 / seconds_per_hour},
           one.means.gpus * rental.price_per_s());
      if (one.poisson) {
        number("gpus_variance" + of, "Variance of the GPUs rented" + at, rental.element, one.means.variance);
        number("idle_probability" + of, "Probability that no GPU is rented" + at, rental.element, one.means.idle);
      }
      if (rental.policy == RentalModel::Policy::optimal)
        number("multiplier" + of, "Value of one more GPU, in jobs" + at, rental.element, rental.plan.multiplier);
    }
  }

  void tables() {
    ResultTable types{.name = "types", .title = "What each type of job gets"};
    types.columns = {{"Type"},
                     {"GPUs"},
                     {"or"},
                     {"share of these"},
                     {"Response time", unit()},
                     {"Jobs"},
                     {"GPUs rented"},
                     {"Share of the GPUs"},
                     {"Spend", "USD/h"}};
    ResultTable all{.name = "rentals", .title = "What is rented"};
    all.columns = {{"Rental"},        {"Budget"},
                   {"GPUs rented"},   {"Standard deviation"},
                   {"None rented"},   {"Response time", unit()},
                   {"Multiplier"},    {"Less time per GPU more", unit()},
                   {"Spend", "USD/h"}};
    for (const SolvedRental& one : solved_) {
      for (std::size_t i = 0; i < one.types.size(); ++i) types.rows.push_back(type_row(one, i));
      all.rows.push_back(rental_row(one));
    }
    answers_.table(std::move(types));
    answers_.table(std::move(all));
  }

  /// Mean response time over the budget, of the first rental whose plan is made for one.
  void curve() {
    for (const SolvedRental& one : solved_) {
      if (one.rental->policy == RentalModel::Policy::one_gpu) continue;
      return curve_of(one);
    }
  }

  /// How many jobs are present and GPUs rented, of the first rental whose numbers of jobs are Poisson, up to where all
  /// but a hundred-thousandth lies.
  void occupancy() {
    for (const SolvedRental& one : solved_) {
      if (one.poisson) return occupancy_of(one);
    }
  }

  /// @param magnitude  of what the value is a sum of: errors are relative to it
  void measure(const MeasureSpec& spec, double value, double magnitude) {
    answers_.answer(spec, value, numerical_error * magnitude, "fixed widths");
  }

 private:
  const std::string& unit() const { return model_.time_unit.symbol; }
  double in_unit(double seconds) const { return seconds / model_.time_unit.scale; }

  void type(const SolvedRental& one, std::size_t i) {
    const RentalModel::Stream& stream = rentals_.streams[one.rental->streams[i]];
    const WidthMeans& means = one.means.types[i];
    time("mean_response_time/" + stream.name, "Mean response time of " + stream.name, stream.element, means.time);
    number("width/" + stream.name, "GPUs of a job of " + stream.name, stream.element,
           one.rental->plan.widths[i].mean());
    number("jobs/" + stream.name, "Jobs of " + stream.name, stream.element, means.jobs);
    number("gpus/" + stream.name, "GPUs rented for " + stream.name, stream.element, means.gpus);
  }
  void time(std::string id, std::string label, ElementId element, double value) {
    tell({.id = std::move(id),
          .label = std::move(label),
          .element = element,
          .unit = unit(),
          .unit_scale = model_.time_unit.scale},
         value);
  }
  void number(std::string id, std::string label, ElementId element, double value) {
    tell({.id = std::move(id), .label = std::move(label), .element = element}, value);
  }
  void tell(MeasureSpec spec, double value) {
    static const MeasureKind& average = []() -> const MeasureKind& {
      const auto& kinds = measure_kinds();
      return *std::find_if(kinds.begin(), kinds.end(),
                           [](const MeasureKind& kind) { return kind.meaning == MeasureKind::Meaning::long_run; });
    }();
    if (!std::isfinite(value) || out_.measure(spec.id) != nullptr) return;  // the model asks for it
    spec.kind = &average;
    spec.support.least = 0.0;
    measure(spec, value, std::fabs(value));
  }

  std::vector<ResultTable::Cell> type_row(const SolvedRental& one, std::size_t i) const {
    const Width& width = one.rental->plan.widths[i];
    const WidthMeans& means = one.means.types[i];
    return {rentals_.streams[one.rental->streams[i]].name,
            width.gpus,
            width.mixed() ? width.other : unknown,
            width.mixed() ? width.share : unknown,
            in_unit(means.time),
            means.jobs,
            means.gpus,
            means.gpus / one.means.gpus,
            means.gpus * one.rental->price_per_s() * seconds_per_hour};
  }
  std::vector<ResultTable::Cell> rental_row(const SolvedRental& one) const {
    const bool optimal = one.rental->policy == RentalModel::Policy::optimal;
    const double value = one.rental->plan.multiplier;
    return {one.rental->name,
            one.rental->budget,
            one.means.gpus,
            one.poisson ? std::sqrt(one.means.variance) : unknown,
            one.poisson ? one.means.idle : unknown,
            in_unit(one.means.time),
            optimal ? value : unknown,
            optimal ? in_unit(value / one.means.rate) : unknown,
            one.means.gpus * one.rental->price_per_s() * seconds_per_hour};
  }

  void occupancy_of(const SolvedRental& one) {
    constexpr double beyond = 1e-5, deviations = 12.0;
    constexpr std::size_t least = 32, most = 20000;
    const double far = std::max(one.means.gpus + deviations * std::sqrt(one.means.variance),
                                one.means.jobs + deviations * std::sqrt(one.means.jobs));
    if (!(far < static_cast<double>(most))) return;
    const std::size_t size = least + static_cast<std::size_t>(far);
    const std::vector<double> jobs = poisson_distribution(one.means.jobs, size),
                              gpus = rented_distribution(one.types, one.rental->plan, size);
    const bool whole = std::all_of(one.rental->plan.widths.begin(), one.rental->plan.widths.end(), [](const Width& w) {
      return w.gpus == std::floor(w.gpus) && (!w.mixed() || w.other == std::floor(w.other));
    });
    ResultTable table{.name = "occupancy",
                      .title = "How many jobs are present and GPUs rented, " + one.rental->name +
                               (whole ? "" : " (GPUs as if each width were the next whole one)")};
    table.columns = {
        {"Number"}, {"Jobs: share of the time"}, {"Jobs: at most"}, {"GPUs: share of the time"}, {"GPUs: at most"}};
    double jobs_up_to = 0.0, gpus_up_to = 0.0;
    for (std::size_t n = 0; n <= size && std::min(jobs_up_to, gpus_up_to) < 1.0 - beyond; ++n) {
      jobs_up_to += jobs[n], gpus_up_to += gpus[n];
      table.rows.push_back({static_cast<double>(n), jobs[n], jobs_up_to, gpus[n], gpus_up_to});
    }
    answers_.table(std::move(table));
  }

  void curve_of(const SolvedRental& one) {
    const Rental& rental = *one.rental;
    const bool optimal = rental.policy == RentalModel::Policy::optimal;
    ResultTable table{.name = "budget_curve", .title = "Mean response time over the budget of " + rental.name};
    table.columns = {{"Budget"}, {"Response time", unit()}, {"Multiplier"}};
    Series series{.measure = solved_.size() > 1 ? "mean_response_time/" + rental.name : "mean_response_time",
                  .kind = "budget_curve",
                  .label = table.title,
                  .x_label = "Budget [GPUs]",
                  .y_label = "Mean response time",
                  .y_unit = unit(),
                  .exact = true,
                  .solver = "rental-budget"};
    const double least = means_of(one.types, single_gpus(one.types)).gpus;
    const double most = std::max(4.0 * least, 2.0 * rental.budget);
    constexpr int steps = 40;
    for (int step = 0; step <= steps; ++step) {
      const double budget = least * std::pow(most / least, step / static_cast<double>(steps));
      const auto plan =
          optimal ? optimal_widths(one.types, budget, rental.whole) : equal_widths(one.types, budget, rental.whole);
      const auto* found = std::get_if<WidthPlan>(&plan);
      if (found == nullptr) continue;
      const double mean = in_unit(means_of(one.types, *found).time);
      table.rows.push_back({budget, mean, optimal ? found->multiplier : unknown});
      series.x.push_back(budget), series.y.push_back(mean);
    }
    answers_.table(std::move(table));
    out_.series.push_back(std::move(series));
  }

  const AnalysisModel& model_;
  const RentalModel& rentals_;
  const std::vector<SolvedRental>& solved_;
  ExactAnswers& answers_;
  ResultSet& out_;
};

}  // namespace

void answer_rentals(const AnalysisModel& model, const RentalModel& rentals, const std::vector<SolvedRental>& solved,
                    ExactAnswers& answers, ResultSet& out) {
  RentalReport report(model, rentals, solved, answers, out);
  const RentalMeans means(rentals, solved);
  for (const Measure& measure : model.measures) {
    const auto found = answer_of(measure, means, *model.charts.table);
    if (const auto* mean = std::get_if<LinearMean>(&found)) report.measure(measure.spec, mean->value, mean->magnitude);
    else answers.not_answered(measure.spec, std::get<std::string>(found));
  }
  report.measures();
  report.tables();
  report.curve();
  report.occupancy();
}

}  // namespace ergode
