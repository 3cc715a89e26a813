#include "solvers/simulators/simulators_part.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/des/world.h"
#include "core/plugin/plugin_properties.h"
#include "solvers/simulators/kept_news.h"

namespace ergode {
namespace {

using Box = SimulatorsPart::Box;
using OutputKind = PluginOutput::Kind;

/// The seed of what draws nothing: whoever asks first, it is the same.
constexpr std::uint64_t no_chance_seed = 1;

bool draws_nothing(const Box& box) { return box.what->manifest.simulator->deterministic; }

/// Everything that what it finds depends on.
std::string key_of_news(const Box& box) {
  std::string out = box.what->manifest.name + "\n" + box.what->manifest.version + "\n";
  if (box.what->identity) out += box.what->identity();
  for (const double number : box.values.numbers) out += "\n" + std::to_string(std::bit_cast<std::uint64_t>(number));
  for (const std::string& word : box.values.words) out += "\n" + std::to_string(word.size()) + ":" + word;
  return out + "\n" + box.files;
}

class RunningSimulators : public RunningPart {
 public:
  RunningSimulators(const SimulatorsPart& model, World& world, std::uint64_t seed)
      : model_(model),
        world_(world),
        seed_(seed),
        first_(world.add_timers(0)),
        simulators_(model.boxes().size()),
        kept_(model.boxes().size()),
        news_(model.boxes().size()) {}

  std::uint32_t first_timer() const override { return first_; }
  void heed(const std::function<bool()>& give_up) override { give_up_ = give_up; }

  void prepare(std::uint64_t replication) override {
    for (std::size_t b = 0; b < model_.boxes().size(); ++b) {
      const Box& box = model_.boxes()[b];
      play(b, replication);
      const SimulatorNews& news = news_of(b);
      for (std::size_t o = 0; o < box.place.size(); ++o) {
        if (box.what->manifest.simulator->outputs[o].kind == OutputKind::observations) continue;
        const double value = news.once[o] * box.scale[o];
        world_.slots()[box.place[o]] = value;
        world_.stamp(std::bit_cast<std::uint64_t>(value));
      }
    }
    if (replication != 0) return;
    std::vector<SimulatorNews> first;
    for (std::size_t b = 0; b < news_.size(); ++b) {
      first.push_back(news_of(b));
      first.back().observations.clear();
    }
    model_.keep_first(seed_, std::move(first));
  }
  void start(std::uint64_t) override {
    for (std::size_t b = 0; b < model_.boxes().size(); ++b) {
      const Box& box = model_.boxes()[b];
      const SimulatorNews& news = news_of(b);
      ++world_.events;
      for (std::size_t o = 0; o < box.place.size(); ++o)
        for (const double value : news.observations[o]) {
          world_.observations.observe(box.place[o], value * box.scale[o]);
          world_.stamp(std::bit_cast<std::uint64_t>(value));
        }
      world_.tell(box.name, box.element, "was played");
    }
  }
  void fire(std::uint32_t) override {}
  void save(ByteWriter&) const override {}  // all that it leaves are slots of the world
  void restore(ByteReader&, std::uint64_t) override {}
  void waiting(std::vector<Waiting>&) const override {}

 private:
  const SimulatorNews& news_of(std::size_t b) const { return kept_[b] != nullptr ? *kept_[b] : news_[b]; }

  void play(std::size_t b, std::uint64_t replication) {
    const Box& box = model_.boxes()[b];
    if (kept_[b] != nullptr) return;
    const auto asked = [this] { return give_up_ && give_up_(); };
    try {
      if (!draws_nothing(box)) {
        if (simulators_[b] == nullptr) simulators_[b] = box.what->make(box.values, seed_, box.element.text(), asked);
        return simulators_[b]->run(replication, news_[b]);
      }
      kept_[b] = kept_news(key_of_news(box), asked, [&] {
        SimulatorNews out;
        box.what->make(box.values, no_chance_seed, box.what->manifest.name, asked)->run(0, out);
        return out;
      });
    } catch (const PluginGaveUp&) {
      throw GivenUp{};
    } catch (PluginFailure& failure) {
      Diagnostic what = std::move(failure.what_happened);
      what.element = box.element;
      what.message = "Simulator " + box.name + ": " + what.message;
      throw ModelFailure(std::move(what));
    }
  }

  const SimulatorsPart& model_;
  World& world_;
  std::uint64_t seed_;
  std::uint32_t first_;
  std::function<bool()> give_up_;
  // By box.
  std::vector<std::unique_ptr<PluginSimulator>> simulators_;
  std::vector<std::shared_ptr<const SimulatorNews>> kept_;  ///< of those without chance, once known
  std::vector<SimulatorNews> news_;                         ///< of this replication, of the others
};

}  // namespace

SimulatorsPart::SimulatorsPart(std::vector<Box> boxes) : boxes_(std::move(boxes)) {}

std::unique_ptr<RunningPart> SimulatorsPart::run(World& world, std::uint64_t seed) const {
  {
    const std::lock_guard lock(mutex_);
    if (seed_ != seed) first_.clear();
    seed_ = seed;
  }
  return std::make_unique<RunningSimulators>(*this, world, seed);
}

std::vector<LoweredPart::Thing> SimulatorsPart::things() const {
  std::vector<Thing> out;
  for (const Box& box : boxes_) out.push_back({box.element, "the simulator \"" + box.name + "\""});
  return out;
}

void SimulatorsPart::keep_first(std::uint64_t seed, std::vector<SimulatorNews> news) const {
  const std::lock_guard lock(mutex_);
  if (seed == seed_) first_ = std::move(news);
}

std::vector<ResultTable> SimulatorsPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  const std::lock_guard lock(mutex_);
  std::vector<ResultTable> out;
  for (std::size_t b = 0; b < first_.size(); ++b) {
    const Box& box = boxes_[b];
    const auto& tables = box.what->manifest.simulator->tables;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      out.push_back(table_of_plugin(box.what->manifest, tables, t, first_[b].rows, box.name + "_" + tables[t].name,
                                    (boxes_.size() > 1 ? ": " + box.name : std::string()) +
                                        (draws_nothing(box) ? "" : ", in the first replication")));
      out.back().solver = solver;
    }
  }
  return out;
}

std::vector<LoweredPart::OwnMeasure> SimulatorsPart::own_measures() const {
  std::vector<OwnMeasure> out;
  for (const Box& box : boxes_) {
    if (box.measures_none) continue;
    for (std::size_t o = 0; o < box.place.size(); ++o) {
      const PluginOutput& output = box.what->manifest.simulator->outputs[o];
      if (!output.headline && !box.measures_all) continue;
      OwnMeasure one{.id = box.name + "." + output.name,
                     .label = (boxes_.size() > 1 ? box.name + ": " : std::string()) + output.label,
                     .kind = output.kind == OutputKind::indicator      ? "probability_by"
                             : output.kind == OutputKind::observations ? "observed_mean"
                                                                       : "final_value",
                     .unit = output.unit,
                     .element = box.element,
                     .counts = output.kind == OutputKind::count,
                     .headline = output.headline};
      (output.kind == OutputKind::observations ? one.stream : one.slot) = box.place[o];
      out.push_back(std::move(one));
    }
  }
  return out;
}

Diagnostics SimulatorsPart::told() const {
  const std::lock_guard lock(mutex_);
  Diagnostics out;
  for (std::size_t b = 0; b < first_.size(); ++b)
    for (Diagnostic& one : told_at(boxes_[b].element, boxes_[b].what->manifest, first_[b].told))
      out.push_back(std::move(one));
  return out;
}

std::map<std::string, std::string> SimulatorsPart::sources() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::string> out;
  for (const SimulatorNews& news : first_) out.insert(news.sources.begin(), news.sources.end());
  return out;
}

}  // namespace ergode
