#pragma once
#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/model/batch_model.h"

namespace ergode {

inline constexpr RentalWord<BatchModel::Policy> scheduling_words[] = {
    {"easy", "first come first served, short ones pass (EASY backfill)", BatchModel::Policy::easy},
    {"fifo", "first come first served", BatchModel::Policy::fifo},
    {"sjf", "shortest limit first", BatchModel::Policy::sjf},
    {"conservative", "everybody gets a time (conservative backfill)", BatchModel::Policy::conservative},
    {"slurm", "priorities by age and size, a clock of minutes (as Slurm)", BatchModel::Policy::slurm}};

inline constexpr RentalWord<BatchModel::Decider> provisioner_words[] = {
    {"reactive", "when the job before ends", BatchModel::Decider::reactive},
    {"average", "the mean wait of the last 100 jobs ahead", BatchModel::Decider::average},
    {"quantile", "a quantile of all waits ahead", BatchModel::Decider::quantile},
    {"random_forest", "what a random forest has learned", BatchModel::Decider::random_forest},
    {"gradient_boosting", "what boosted trees have learned", BatchModel::Decider::gradient_boosting},
    {"policy_gradient", "what a policy gradient has learned", BatchModel::Decider::policy_gradient}};

/// Whether a job that has lost a host comes before all others.
inline constexpr RentalWord<bool> requeue_words[] = {{"front", "before all others", true},
                                                     {"end", "behind all others", false}};

/// What is meant where nothing is written.
inline constexpr const char *default_hosts = "88", *default_accelerators = "1", *default_job_hosts = "1",
                            *default_host_repair = "exponential(mean = 4 h)";

}  // namespace ergode
