// What a notation needs to run: names and events, checks, a part.
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/des/lowering.h"
#include "core/random/random_stream.h"
#include "tests/support/token_bucket.h"

namespace ergode::test {
namespace {
struct Bucket {
  ElementId element;
  std::string name;
  std::uint32_t level = 0, spilt = 0, event = 0, found = 0;  ///< slots; numbers of event and stream
  double capacity = 0.0;
  bool raises = false;
  std::int64_t emptied_by = -1;  ///< reader
  Program empty_when;
};
struct Source {
  ElementId element;
  std::string name;
  Program rate;  ///< [1/s]
  std::uint32_t reader = 0;
  std::vector<std::pair<std::size_t, ElementId>> into;  ///< buckets, and the pipes to them
};

class Tokens : public LoweredPart {
 public:
  std::vector<Bucket> buckets;
  std::vector<Source> sources;
  std::unique_ptr<RunningPart> run(World& world, std::uint64_t seed) const override;
  std::vector<Thing> things() const override {
    std::vector<Thing> out;
    for (const Bucket& b : buckets) out.push_back({b.element, "the token bucket \"" + b.name + "\""});
    for (const Source& s : sources) out.push_back({s.element, "a token source"});
    return out;
  }
  std::vector<Program*> programs() override {
    std::vector<Program*> out;
    for (Bucket& b : buckets) out.push_back(&b.empty_when);
    for (Source& s : sources) out.push_back(&s.rate);
    return out;
  }
};

class RunningTokens : public RunningPart {
 public:
  RunningTokens(const Tokens& model, World& world, std::uint64_t seed)
      : model_(model), world_(world), first_(world.add_timers(static_cast<std::uint32_t>(model.sources.size()))) {
    for (const Source& source : model.sources) keys_.push_back(stream_key(seed, source.element.text()));
    streams_.resize(keys_.size());
  }
  std::uint32_t first_timer() const override { return first_; }
  void start(std::uint64_t replication) override {
    for (std::uint32_t s = 0; s < streams_.size(); ++s) streams_[s].restart(keys_[s], replication), arm(s);
  }
  void fire(std::uint32_t source) override {
    ++world_.events;
    for (const auto& [b, pipe] : model_.sources[source].into) {
      const Bucket& bucket = model_.buckets[b];
      const double level = world_.slots()[bucket.level];
      const bool room = level < bucket.capacity;
      world_.observations.observe(bucket.found, level, room ? 0 : 1);
      world_.tell({.edge = pipe, .from = model_.sources[source].element, .to = bucket.element});
      if (!room) world_.tell({.from = bucket.element});
      world_.tell(bucket.name, bucket.element, room ? "token" : "overflow");
      world_.set(room ? bucket.level : bucket.spilt, (room ? level : world_.slots()[bucket.spilt]) + 1.0);
      if (!room && bucket.raises) world_.raise(bucket.event);
    }
    arm(source);
  }
  void woken(std::uint32_t reader) override {
    // No memory: a changed rate is a fresh wait.
    for (std::uint32_t s = 0; s < model_.sources.size(); ++s)
      if (model_.sources[s].reader == reader) arm(s);
    for (const Bucket& bucket : model_.buckets)
      if (bucket.emptied_by == reader && bucket.empty_when.holds(world_.slots()))
        for (double n = world_.slots()[bucket.level]; n > 0.0; world_.set(bucket.level, --n))
          world_.tell({.from = bucket.element});
  }
  void save(ByteWriter&) const override {}  // levels are slots of the world, times timers of the world
  void restore(ByteReader&, std::uint64_t path) override {
    for (std::uint32_t s = 0; s < streams_.size(); ++s) streams_[s].restart(keys_[s], path);
  }
  void waiting(std::vector<Waiting>& out) const override {
    for (std::uint32_t s = 0; s < model_.sources.size(); ++s)
      if (world_.timers.armed(first_ + s))
        out.push_back({world_.timers.time_of(first_ + s), model_.sources[s].name, "token", model_.sources[s].element});
  }
  void active(std::set<ElementId>& out) const override {
    for (const Bucket& bucket : model_.buckets)
      if (world_.slots()[bucket.level] > 0.0) out.insert(bucket.element);
  }
  void present(std::vector<Present>& out) const override {
    for (const Bucket& b : model_.buckets)
      out.push_back({.node = b.element, .count = static_cast<std::uint32_t>(world_.slots()[b.level])});
  }

 private:
  void arm(std::uint32_t source) {
    const double rate = model_.sources[source].rate.evaluate(world_.slots());
    if (!(rate >= 0.0))
      throw ModelFailure({.code = "RUN002", .element = model_.sources[source].element, .message = "The rate is none."});
    if (rate > 0.0) world_.timers.schedule(first_ + source, world_.now() + streams_[source].exponential() / rate);
    else world_.timers.cancel(first_ + source);
  }

  const Tokens& model_;
  World& world_;
  std::uint32_t first_;
  std::vector<std::uint64_t> keys_;
  std::vector<RandomStream> streams_;
};

std::unique_ptr<RunningPart> Tokens::run(World& world, std::uint64_t seed) const {
  return std::make_unique<RunningTokens>(*this, world, seed);
}

class TokenLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override {
    for (const Element* node : model.nodes("tokens", "token_bucket")) {
      Bucket b{.element = node->id, .name = node->name()};
      if (!is_identifier(b.name)) model.refuse(*node, "TOK001", "name", "The name is \"" + b.name + "\".");
      else if (const auto* other = model.slots.declare(b.name, {node->id, "token bucket"}))
        model.refuse(*node, "TOK001", "name", "\"" + b.name + "\" is also a " + other->what + ".");
      const auto slot = [&](const char* what) {
        return model.slots.add({.name = b.name + "." + what,
                                .type = ValueType::integer(),
                                .element = node->id,
                                .writer = "tokens",
                                .range = {0.0, NamedSlot::everything.upper}},
                               0.0);
      };
      b.level = slot("level"), b.spilt = slot("spilt");
      b.found = model.slots.add(StreamSpec{b.name + ".found", "", node->id, {"taken", "spilt"}});
      b.raises = !trim(node->text("overflow_event")).empty();
      if (b.raises) b.event = model.slots.events.raised_by(node->id, "overflow_event", node->text("overflow_event"));
      number_[node->id] = out_->buckets.size();
      out_->buckets.push_back(std::move(b));
    }
  }

  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override {
    PropertyReader constants(scope, model.problems);
    for (Bucket& b : out_->buckets) {
      const Element& node = *model.document.find(b.element);
      b.capacity = static_cast<double>(constants.integer(node, "capacity", 1));
      if (!(b.capacity >= 1.0)) model.refuse(node, "TOK002", "capacity", "The capacity is below 1.");
      if (trim(node.text("empty_when")).empty()) continue;
      b.empty_when = model.program(node, "empty_when", ValueType::boolean(), scope);
      b.emptied_by = model.slots.wake(b.empty_when);
    }
    for (const Element* node : model.nodes("tokens", "token_source")) {
      Source s{.element = node->id, .name = node->name()};
      s.rate = model.program(*node, "rate", ValueType::real(Dimension::per_time()), scope);
      s.reader = model.slots.wake(s.rate);
      for (const Element* p : model.document.edges(node->diagram))
        if (p->source == node->id && number_.contains(p->target)) s.into.emplace_back(number_.at(p->target), p->id);
      if (s.into.empty()) model.refuse(*node, "TOK003", "", "No pipe leads from the source to a bucket.");
      out_->sources.push_back(std::move(s));
    }
    return out_->things().empty() ? nullptr : out_;
  }

 private:
  std::shared_ptr<Tokens> out_ = std::make_shared<Tokens>();
  std::map<ElementId, std::size_t> number_;
};

}  // namespace
std::unique_ptr<NotationLowering> token_lowering() { return std::make_unique<TokenLowering>(); }

}  // namespace ergode::test
