// Common-cause parameters without a model: from one parametric model to others, and from counted events.
#include <charconv>
#include <cmath>
#include <iostream>

#include "app/cli/commands.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "solvers/reliability/atwood_fit.h"
#include "solvers/reliability/bfr_closed_form.h"
#include "solvers/reliability/ccf_conversion.h"

namespace ergode::cli {
namespace {

struct CcfFlags {
  std::string task, from, to, size, values, total, model, counts, prior, confidence, time;
  std::string independent, shocks, failures, lethal;
  std::vector<std::string> given;  ///< names of the options on the line
  bool json = false;
};

/// Why a command line cannot be; main() turns it into a message and the exit code for it.
struct Misuse {
  std::string message;
};

double number_of(const std::string& flag, const std::string& text) {
  const auto value = parse_number(trim(text));
  if (!value) throw Misuse{flag + " is \"" + text + "\"; wanted a number with a decimal point."};
  return *value;
}

std::vector<double> numbers_of(const std::string& flag, const std::string& text) {
  std::vector<double> out;
  for (const std::string& part : split(text, ',')) out.push_back(number_of(flag, part));
  return out;
}

int size_of(const std::string& text) {
  const double size = number_of("--size", text);
  if (!(size == std::floor(size) && std::abs(size) < 1e6))
    throw Misuse{"--size is \"" + text + "\"; wanted a whole number of members."};
  return static_cast<int>(size);
}

/// A word of ccf_models(), or "alpha" for the factors that fewest assumptions are needed for.
std::string model_word(const std::string& flag, const std::string& text) {
  if (text == "alpha") return "alpha_nonstaggered";
  std::string known;
  for (const Choice& model : ccf_models()) {
    if (model.name == text) return text;
    known += (known.empty() ? "" : ", ") + model.name;
  }
  throw Misuse{flag + " is \"" + text + "\"; wanted one of " + known + "."};
}

Value set_json(const CcfSet& set, int n) {
  Value out = {{"model", set.model}, {"parameters", Value::object()}};
  const auto names = ccf_parameter_names(set.model, n);
  for (std::size_t i = 0; i < names.size(); ++i) out["parameters"][names[i]] = set.values[i];
  return out;
}

std::string set_text(const CcfSet& set, int n) {
  std::string out;
  const auto names = ccf_parameter_names(set.model, n);
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : ", ") + names[i] + " = " + number_text(set.values[i], 9);
  return out;
}

/// The basic events of each order, and what else says the same.
struct CcfAnswer {
  OrderRates orders;
  std::vector<CcfConverted> sets;
  std::string unit = {};             ///< of rates; empty: that of what was given
  std::optional<BfrRates> bfr = {};  ///< for the time until all have failed; in 1/unit

  int n() const { return orders.n(); }

  Value json() const {
    Value out = {{"size", n()}, {"total", total_component_rate(orders)}};
    if (!unit.empty()) out["unit"] = unit;
    out["orders"] = Value::array();
    for (int k = 1; k <= n(); ++k) {
      const double each = orders.specific[static_cast<std::size_t>(k - 1)];
      out["orders"].push_back(
          {{"order", k}, {"sets", binomial(n(), k)}, {"each", each}, {"together", binomial(n(), k) * each}});
    }
    out["sets"] = Value::array();
    for (const CcfConverted& one : sets) {
      Value set = set_json(one.set, n());
      if (one.lossy) set["lossy"] = true;
      out["sets"].push_back(std::move(set));
    }
    if (const auto mean = mean_time()) out["mean_time_to_all_failed"] = *mean;
    return out;
  }

  std::string text() const {
    const std::string in = unit.empty() ? "" : " [" + unit + "]";
    std::vector<std::vector<std::string>> rows = {{"members", "sets", "Q_k, each set" + in, "all sets" + in}};
    for (int k = 1; k <= n(); ++k) {
      const double each = orders.specific[static_cast<std::size_t>(k - 1)];
      rows.push_back({std::to_string(k), number_text(binomial(n(), k), 15), number_text(each, 9),
                      number_text(binomial(n(), k) * each, 9)});
    }
    std::string out = text_table(rows, {true, true, true, true});
    out += "\nTotal of one member: " + number_text(total_component_rate(orders), 9) + (unit.empty() ? "" : " " + unit) +
           "\n\n";
    std::vector<std::vector<std::string>> lines;
    for (const CcfConverted& one : sets) lines.push_back({one.set.model, set_text(one.set, n())});
    out += text_table(lines, {false, false});
    for (const CcfConverted& one : sets)
      if (one.lossy)
        out += "\nA beta factor takes every shared failure for one of the whole group: its Q_k are others.\n";
    if (const auto mean = mean_time())
      out += "\nMean time until all " + std::to_string(n()) + " have failed, without repair: " + number_text(*mean, 9) +
             (unit.empty() ? " (in the unit of 1/rate)" : " " + unit.substr(1)) + "\n";
    return out;
  }

 private:
  std::optional<double> mean_time() const {
    return bfr ? mean_time_to_all_failed(*bfr, DelayLaw{}, n()) : std::nullopt;
  }
};

int refuse(const Diagnostics& problems) { return print_diagnostics(problems, nullptr), model_invalid; }

/// The sets asked for: one, or all that there are.
std::optional<Diagnostics> convert_to(const std::string& to, CcfAnswer& answer) {
  for (const Choice& model : ccf_models()) {
    if (!to.empty() && model.name != to) continue;
    auto made = ccf_convert(answer.orders, model.name);
    if (auto* set = std::get_if<CcfConverted>(&made)) answer.sets.push_back(std::move(*set));
    else if (!to.empty()) return std::get<Diagnostics>(std::move(made));
  }
  if (answer.sets.empty()) return std::get<Diagnostics>(ccf_convert(answer.orders, "mgl"));
  return std::nullopt;
}

int convert(const CcfFlags& flags) {
  for (const auto& [flag, text] :
       {std::pair{"--from", &flags.from}, {"--size", &flags.size}, {"--values", &flags.values}})
    if (text->empty()) throw Misuse{std::string(flag) + " is missing."};
  const CcfSet given{model_word("--from", flags.from), numbers_of("--values", flags.values)};
  const std::string to = flags.to.empty() ? "" : model_word("--to", flags.to);
  std::optional<double> total;
  if (!flags.total.empty()) total = number_of("--total", flags.total);
  auto orders = ccf_orders(given, size_of(flags.size), total);
  if (const auto* problems = std::get_if<Diagnostics>(&orders)) return refuse(*problems);
  CcfAnswer answer{.orders = std::get<OrderRates>(std::move(orders)), .sets = {}};
  if (given.model == "bfr") answer.bfr = {given.values[0], given.values[1], given.values[2], given.values[3]};
  if (const auto problems = convert_to(to, answer)) return refuse(*problems);
  if (!flags.json) return std::cout << answer.text(), ok;
  Value out = {{"from", set_json(given, answer.n())}};
  out.update(answer.json());
  std::cout << json_text(out) << "\n";
  return ok;
}

/// "87600 h" or "87600h": seconds of one unit, and how many of them.
std::pair<Unit, double> time_of(const std::string& text) {
  const std::string_view whole = trim(text);
  double number = 0.0;
  const auto end =
      static_cast<std::size_t>(std::from_chars(whole.data(), whole.data() + whole.size(), number).ptr - whole.data());
  const std::string_view word = trim(whole.substr(end));
  const auto unit = end == 0 || word.empty() ? std::nullopt : parse_unit(word);
  if (!unit || !(unit->dimension == Dimension::of_time()))
    throw Misuse{"--time is \"" + quotable(text) + "\"; wanted a number and a unit of time, as in \"87600 h\"."};
  return {*unit, number_of("--time", std::string(whole.substr(0, end)))};
}

int fit_shocks(const CcfFlags& flags) {
  for (const auto& [flag, text] : {std::pair{"--size", &flags.size},
                                   {"--time", &flags.time},
                                   {"--shocks", &flags.shocks},
                                   {"--failures", &flags.failures}})
    if (text->empty()) throw Misuse{std::string(flag) + " is missing."};
  const auto [unit, time] = time_of(flags.time);
  const auto count = [](const char* flag, const std::string& text) {
    return text.empty() ? 0.0 : number_of(flag, text);
  };
  const ShockCounts counts{.n = size_of(flags.size),
                           .observation_s = unit.to_si(time),
                           .independent = count("--independent", flags.independent),
                           .visible_shocks = count("--shocks", flags.shocks),
                           .shock_failures = count("--failures", flags.failures),
                           .lethal_shocks = count("--lethal", flags.lethal)};
  const auto fitted = fit_bfr(counts);
  if (const auto* problems = std::get_if<Diagnostics>(&fitted)) return refuse(*problems);
  BfrRates rates = std::get<BfrRates>(fitted);
  for (double* rate : {&rates.lambda_ind, &rates.mu, &rates.omega}) *rate *= unit.scale;
  CcfAnswer answer{.orders = order_rates(rates, counts.n), .sets = {}, .unit = "/" + unit.symbol, .bfr = rates};
  const CcfSet set{"bfr", {rates.lambda_ind, rates.mu, rates.rho, rates.omega}};
  if (const auto problems = convert_to("", answer)) return refuse(*problems);
  // As fitted, not as worked out of the Q_k again.
  std::erase_if(answer.sets, [](const CcfConverted& one) { return one.set.model == "bfr"; });
  answer.sets.insert(answer.sets.begin(), {.set = set});
  if (flags.json) {
    Value out = {{"fitted", set_json(set, counts.n)}};
    out.update(answer.json());
    std::cout << json_text(out) << "\n";
  } else {
    std::cout << answer.text() << "\nThe rates are point estimates (Atwood); the method gives no intervals.\n";
  }
  return ok;
}

int fit_factors(const CcfFlags& flags) {
  if (flags.counts.empty()) throw Misuse{"--counts is missing."};
  const auto counts = numbers_of("--counts", flags.counts);
  if (!flags.size.empty() && static_cast<std::size_t>(size_of(flags.size)) != counts.size())
    throw Misuse{"--size is " + flags.size + ", but there are " + std::to_string(counts.size()) + " counts."};
  const double confidence = flags.confidence.empty() ? 0.9 : number_of("--confidence", flags.confidence);
  const auto prior = flags.prior.empty() ? std::vector<double>() : numbers_of("--prior", flags.prior);
  const auto fitted = fit_alpha(counts, prior, confidence);
  if (const auto* problems = std::get_if<Diagnostics>(&fitted)) return refuse(*problems);
  Value json = {{"model", "alpha"}, {"size", counts.size()}, {"confidence", confidence}, {"factors", Value::array()}};
  std::vector<std::vector<std::string>> rows = {{"factor", "events", "n_k / N", "mean", "lower", "upper", "posterior"}};
  const auto& factors = std::get<std::vector<AlphaEstimate>>(fitted);
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const AlphaEstimate& f = factors[k];
    const std::string name = "alpha_" + std::to_string(k + 1);
    json["factors"].push_back({{"name", name},
                               {"events", counts[k]},
                               {"likely", std::isfinite(f.likely) ? Value(f.likely) : Value(nullptr)},
                               {"mean", f.mean},
                               {"lower", f.lower},
                               {"upper", f.upper},
                               {"beta", {f.a, f.b}}});
    rows.push_back({name, number_text(counts[k], 9), std::isfinite(f.likely) ? number_text(f.likely, 6) : "-",
                    number_text(f.mean, 6), number_text(f.lower, 6), number_text(f.upper, 6),
                    "Beta(" + number_text(f.a, 6) + ", " + number_text(f.b, 6) + ")"});
  }
  if (flags.json) std::cout << json_text(json) << "\n";
  else
    std::cout << text_table(rows, {false, true, true, true, true, true, false}) << "\nCredible intervals of "
              << number_text(100.0 * confidence, 6) << " %, "
              << (prior.empty() ? "prior: Jeffreys (1/2 each).\n" : "prior as given.\n");
  return ok;
}

/// What the task at hand does not look at is refused: whoever gives it believes that it does something.
void refuse_unused(const CcfFlags& flags, const std::vector<std::string>& used, const std::string& task) {
  for (const std::string& name : flags.given)
    if (std::find(used.begin(), used.end(), name) == used.end())
      throw Misuse{name + " means nothing for " + task + "."};
}

int ccf(const CcfFlags& flags) {
  try {
    if (flags.task == "convert") {
      refuse_unused(flags, {"--from", "--to", "--size", "--values", "--total"}, "convert");
      return convert(flags);
    }
    if (flags.model == "bfr") {
      refuse_unused(flags, {"--model", "--size", "--time", "--independent", "--shocks", "--failures", "--lethal"},
                    "fit --model bfr");
      return fit_shocks(flags);
    }
    if (flags.model == "alpha") {
      refuse_unused(flags, {"--model", "--size", "--counts", "--prior", "--confidence"}, "fit --model alpha");
      return fit_factors(flags);
    }
    throw Misuse{flags.model.empty() ? "--model is missing; wanted bfr or alpha."
                                     : "--model is \"" + flags.model + "\"; wanted bfr or alpha."};
  } catch (const Misuse& misuse) {
    complain("RUN010", misuse.message, "`ergode help ccf` has examples.");
    return usage;
  }
}

}  // namespace

void add_ccf(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<CcfFlags>();
  CLI::App* sub = app.add_subcommand("ccf", R"(Examples:
  ergode ccf convert --from mgl --to alpha --size 4 --values "0.05, 0.4, 0.3" --total 1e-3
  ergode ccf convert --from bfr --size 4 --values "1.1e-3, 1e-4, 0.4, 1e-5"     all equivalent sets
  ergode ccf fit --model bfr --size 4 --time "87600 h" --independent 385 --shocks 8 --failures 15 --lethal 1
  ergode ccf fit --model alpha --counts "36, 1.2, 0.3, 0"

Converts parameters of common-cause groups between models, and fits them to counted events. Printed are the basic events too: Q_k of each set of k members. Models: bfr (values lambda, mu, rho, omega), beta, mgl (beta, gamma, delta ...), alpha_staggered and alpha_nonstaggered (alpha_1 ... alpha_n); alpha is short for alpha_nonstaggered.)");
  sub->add_option("TASK", flags->task, "convert or fit.")->required()->check(CLI::IsMember({"convert", "fit"}));
  const auto add = [&](const char* name, std::string& to, const char* type, const char* help) {
    sub->add_option(name, to, help)->type_name(type);
  };
  add("--from", flags->from, "MODEL", "convert: model of the values.");
  add("--to", flags->to, "MODEL", "convert: model that is wanted; default: all that there are.");
  add("--size", flags->size, "N", "Members of the group, 2 to 64.");
  add("--values", flags->values, "LIST", "convert: values, with commas between.");
  add("--total", flags->total, "Q",
      "convert: failure rate or probability of one member, in any unit; default: 1. Not for bfr.");
  add("--model", flags->model, "MODEL", "fit: bfr or alpha.");
  add("--counts", flags->counts, "LIST", "fit alpha: events in which 1, 2, 3 ... members failed, with commas between.");
  add("--prior", flags->prior, "LIST", "fit alpha: parameters of the Dirichlet prior; default: 0.5 each.");
  add("--confidence", flags->confidence, "P", "fit alpha: of the credible intervals; default: 0.9.");
  add("--time", flags->time, "TIME", "fit bfr: observation time of the group, with its unit.");
  add("--independent", flags->independent, "N", "fit bfr: independent failures of all members; default: 0.");
  add("--shocks", flags->shocks, "N", "fit bfr: non-lethal shocks that failed somebody.");
  add("--failures", flags->failures, "N", "fit bfr: failures that these shocks caused together.");
  add("--lethal", flags->lethal, "N", "fit bfr: lethal shocks; default: 0.");
  sub->add_flag("--json", flags->json, "Print one JSON document.");
  sub->callback([sub, flags, &chosen] {
    for (const CLI::Option* option : sub->get_options())
      if (option->count() > 0 && option->get_items_expected_max() > 0 && option->get_name() != "TASK")
        flags->given.push_back(option->get_name());
    chosen = [flags] { return ccf(*flags); };
  });
}

}  // namespace ergode::cli
