// What rentals and pools are asked about that goes wrong: contracts, interruptions, hosts that fail, checkpoints.
#include "solvers/cluster/notation_failures.h"

#include "solvers/cluster/lowering/batch_words.h"
#include "solvers/cluster/lowering/gang_words.h"
#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/notation_properties.h"

namespace ergode {
namespace {

using namespace cluster_properties;
using FailureType = PropertyType;

PropertySpec with_contracts(PropertySpec property, std::vector<std::string> values) {
  return only_when(std::move(property), "contract", std::move(values));
}

PropertySpec time_to_host_failure() {
  PropertySpec out =
      behaviour_property("failure", "Time to failure", FailureType::expression,
                         "Of each host, by itself: a distribution or a time. A job on it goes back to its "
                         "last checkpoint and waits again.",
                         "", "h");
  out.empty_hint = "hosts do not fail by themselves";
  return out;
}

PropertySpec host_condition() {
  PropertySpec out = behaviour_property("up_while", "A host is up while", FailureType::predicate,
                                        "A condition over charts, with host for its number, from 1: in(node[host].Up). "
                                        "So common-cause groups over an array of components fail hosts together.");
  out.empty_hint = "always";
  return out;
}

}  // namespace

PropertySpec money_of_rental() {
  PropertySpec out = amount("money", "Budget in money",
                            "Instead: as many GPUs as so much money buys on average, interruptions and "
                            "what is reserved included, > 0 USD/h.",
                            "", "USD/h");
  out.empty_hint = "in GPUs";
  return out;
}

std::vector<PropertySpec> contract_properties() {
  const auto of = [](const char* name, const char* label, FailureType type, const char* help, const char* otherwise,
                     const char* unit, std::vector<std::string> contracts) {
    return with_contracts(behaviour_property(name, label, type, help, otherwise, unit), std::move(contracts));
  };
  const std::vector<std::string> reserved = {"reserved", "reserved_spot"}, spot = {"spot", "reserved_spot"};
  PropertySpec rate =
      of("interruption_rate", "Interruptions", FailureType::quantity,
         "Rate at which spot GPUs are called back while a job has them, >= 0 /h; it may change while the "
         "model runs.",
         "0 /h", "/h", spot);
  rate.instead = "interruption_after";
  PropertySpec law =
      of("interruption_after", "Time to an interruption", FailureType::expression,
         "Instead: from getting spot GPUs until they are called back, a distribution or a time.", "", "h", spot);
  law.empty_hint = "at random with the rate";
  return {
      of("reserved", "Reserved GPUs", FailureType::quantity, "Paid whether used or not, and used first, >= 0.", "0", "",
         reserved),
      of("reserved_price", "Price reserved", FailureType::quantity, "Of a reserved GPU, >= 0 USD/h.", "0 USD/h",
         "USD/h", reserved),
      of("reserved_start_up", "Start-up reserved", FailureType::quantity,
         "Of reserved GPUs before a job may use them, >= 0 h.", "0 h", "h", reserved),
      of("spot_price", "Price of spot", FailureType::quantity, "Of a spot GPU, >= 0 USD/h.", "0 USD/h", "USD/h", spot),
      of("spot_start_up", "Start-up of spot", FailureType::quantity,
         "Of spot GPUs, paid, before a job may use them, >= 0 h; they may be called back in it.", "0 h", "h", spot),
      rate,
      law,
      with_contracts(choice_of("interruption_per", "Interruptions are",
                               "The rate or the time; of several GPUs of a job "
                               "the first that is called back stops it.",
                               spot_call_words),
                     spot),
      of("notice", "Notice", FailureType::quantity,
         "Between the call and the taking, >= 0 h. A job that can write a checkpoint in it loses nothing.", "0 h", "h",
         spot),
      of("spot_wait", "Wait for spot", FailureType::expression,
         "Of a job whose GPUs were taken, until it asks anew: a distribution or a time.", default_spot_wait, "h",
         spot)};
}

std::vector<PropertySpec> round_failure_properties() {
  return {
      amount("gpus_per_host", "GPUs of a host",
             "A whole number from 1; the last host has what is left. Only for hosts that fail.", default_gpus_per_host),
      time_to_host_failure(),
      behaviour_property("repair", "Time to repair", FailureType::expression,
                         "Of a host that has failed by that: a distribution or a time.", default_host_repair, "h"),
      host_condition(),
      checkpoint_period("a job that loses a host begins the round again. Ends of rounds are checkpoints."),
      checkpoint_cost()};
}

std::vector<PropertySpec> host_failure_properties(bool restart) {
  std::vector<PropertySpec> out = {
      time_to_host_failure(),
      behaviour_property("repair", "Time to repair", FailureType::expression,
                         "Of a host that has failed by that: a distribution or a time.", default_host_repair, "h"),
      host_condition(),
      checkpoint_period("a job that loses a host begins again."),
      checkpoint_cost(),
      choice_of("requeue", "Waits again", "Where a job that has lost a host waits.", requeue_words)};
  if (restart)
    out.insert(out.end() - 1, amount("restart", "Time to restart",
                                     "Of a job that starts again, on all its hosts, >= 0 h.", "0 h", "h"));
  return out;
}

}  // namespace ergode
