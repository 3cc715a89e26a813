#include "solvers/cluster/rounds/training_models.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace ergode {
namespace {

const std::string language_model = "LM", resnet_18 = "ResNet-18", resnet_50 = "ResNet-50",
                  recommendation = "Recommendation";

// Epochs at which the batch size doubles on one, two and four GPUs; 0: no more.
struct Doublings {
  const std::string& model;
  int first_batch;
  std::array<std::array<int, 4>, 3> epochs;
};

std::span<const Doublings> all_doublings() {
  static const Doublings table[] = {{resnet_18, 16, {{{31, 41, 51, 71}, {21, 31, 91, 111}, {11, 21, 81, 91}}}},
                                    {resnet_18, 32, {{{21, 31, 51}, {11, 21, 41}, {21, 31, 61}}}},
                                    {resnet_18, 64, {{{11, 31}, {21, 41}, {11, 61}}}},
                                    {resnet_18, 128, {{{11}, {41}, {11}}}},
                                    {resnet_50, 32, {{{}, {101, 111}, {131, 221}}}},
                                    {resnet_50, 64, {{{101}, {81}, {191}}}},
                                    {language_model, 5, {{{31, 41, 61, 71}, {31, 51, 61, 71}, {11, 31, 71, 91}}}},
                                    {language_model, 10, {{{11, 21, 41}, {11, 31, 41}, {11, 31, 61}}}},
                                    {language_model, 20, {{{11, 41}, {31, 41}, {11, 61}}}},
                                    {language_model, 40, {{{11}, {11}, {61}}}},
                                    {recommendation, 512, {{{21, 41, 71, 91}, {}, {}}}},
                                    {recommendation, 1024, {{{21, 51, 91}, {}, {}}}},
                                    {recommendation, 2048, {{{21, 41}, {}, {}}}},
                                    {recommendation, 4096, {{{41}, {}, {}}}}};
  return table;
}

std::span<const int> doublings_of(const TrainingModel& model, int first_batch, int gpus) {
  const std::size_t column = gpus == 1 ? 0 : gpus == 2 ? 1 : gpus == 4 ? 2 : 3;
  for (const Doublings& row : all_doublings())
    if (column < 3 && row.first_batch == first_batch && row.model == model.name) {
      const auto& epochs = row.epochs[column];
      return {epochs.data(), static_cast<std::size_t>(std::find(epochs.begin(), epochs.end(), 0) - epochs.begin())};
    }
  return {};
}

int batch_of_epoch(const RoundJob& job, const TrainingModel& model, std::int64_t epoch, std::int64_t epochs) {
  if (job.mode == BatchMode::gns) {
    const int batch = gns_batch(model, job.batch_size, job.gpus, epoch);
    // The last epoch of a profile that has doubled twice falls back to the first batch size: so the published profiles
    // were made, and all that was computed from them.
    const bool falls_back = epoch == epochs - 1 && batch >= 4 * job.batch_size;
    return falls_back ? job.batch_size : batch;
  }
  if (job.mode == BatchMode::fixed || critical_epoch(model, job.batch_size, epoch)) return job.batch_size;
  const bool late = model.name == recommendation && ((epoch >= 60 && epoch < 70) || (epoch >= 80 && epoch < 90));
  constexpr double first_part = 0.3;  // of all epochs, in which profiles never scale up
  if (late || static_cast<double>(epoch) <= first_part * static_cast<double>(epochs)) return job.batch_size;
  return model.most_batch;
}

}  // namespace

const TrainingModel& training_model(const std::string& name) {
  static const TrainingModel models[] = {{resnet_18, 50000, 16, 256},
                                         {resnet_50, 100000, 16, 128},
                                         {"Transformer", 10000, 16, 128},
                                         {language_model, 59675, 5, 80},
                                         {recommendation, 117907, 512, 8192}};
  static const TrainingModel unknown;
  for (const TrainingModel& one : models)
    if (one.name == name) return one;
  return unknown;
}

bool critical_epoch(const TrainingModel& model, int first_batch, std::int64_t epoch) {
  if (model.name == resnet_50) return epoch % 30 < 10;
  if (model.name == language_model) return epoch < 10;
  if (model.name == resnet_18)
    return epoch < (first_batch == 256 ? 20 : 10) || (epoch >= 150 && epoch < 160) || (epoch >= 250 && epoch < 260);
  if (model.name == recommendation) return epoch < (first_batch <= 1024 ? 30 : first_batch == 2048 ? 40 : 10);
  return true;
}

int gns_batch(const TrainingModel& model, int first_batch, int gpus, std::int64_t epoch) {
  int batch = first_batch;
  for (const int at : doublings_of(model, first_batch, gpus))
    if (epoch >= at) batch = std::min(2 * batch, std::max(model.most_batch, first_batch));
  return batch;
}

std::string JobProfile::schedule() const {
  std::string out;
  for (std::size_t i = 0; i < batch.size();) {
    std::size_t end = i;
    while (end < batch.size() && batch[end] == batch[i]) ++end;
    out += (out.empty() ? "" : "|") + std::to_string(batch[i]) + "x" + std::to_string(end - i);
    i = end;
  }
  return out;
}

JobProfile profile_of(const RoundJob& job, const Throughputs& speeds) {
  const TrainingModel& model = training_model(job.model);
  const double speed = first_speed(job, speeds).value_or(0.0);
  JobProfile out;
  if (!model.known()) {
    const auto count = static_cast<std::size_t>(job.epochs);
    out.batch.assign(count, job.batch_size);
    out.exclusive_s = static_cast<double>(job.total_steps) / speed;
    out.epoch_s.assign(count, out.exclusive_s / static_cast<double>(count));
    return out;
  }
  const std::int64_t steps = steps_of_epoch(model, job.batch_size), epochs = (job.total_steps + steps - 1) / steps;
  for (std::int64_t e = 0; e < epochs; ++e) {
    int batch = batch_of_epoch(job, model, e, epochs);
    const auto measured = speeds.of(job.model, batch, job.gpus);
    if (!measured) batch = job.batch_size;
    out.batch.push_back(batch);
    out.epoch_s.push_back(static_cast<double>(model.samples) / batch / measured.value_or(speed));
    out.exclusive_s += out.epoch_s.back();
  }
  return out;
}

}  // namespace ergode
