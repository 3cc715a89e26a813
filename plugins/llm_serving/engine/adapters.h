#pragma once
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace llm_serving {

/// Low-rank adapters (Hu et al., LoRA, ICLR 2022) that one model serves side by side (Chen et al., Punica, MLSys 2024;
/// Sheng et al., S-LoRA, MLSys 2024): the GPU has room for a few, others are loaded when somebody asks for them.
struct AdapterOptions {
  std::vector<double> load_ms;  ///< of each, from where all of them are kept; empty: nobody has one
  std::uint32_t slots = 8;      ///< that the GPU holds at once, at least 1
  double pass_share = 0.0;      ///< each that a pass uses makes it longer by this share, at least 0
  /// Who waits for one holds up those behind him, and it is asked for when he is first; else when he comes, and others
  /// pass him.
  bool in_order = false;
  bool any() const { return !load_ms.empty(); }
};

/// Which adapters are there. Who asks for one that is not waits until it is loaded; loads follow each other in the
/// order in which they were first asked for. One that somebody needs stays; of the others the least recently used makes
/// room. Times do not go back. O(1) a call, O(slots) a load.
class AdapterSlots {
 public:
  explicit AdapterSlots(const AdapterOptions& options) : options_(options), all_(options.load_ms.size()) {}

  /// All loads that end up to and at that time.
  void advance(double to_s);
  /// Somebody needs it from now until done(). Whether it is there.
  bool ask(double now_s, std::uint32_t adapter);
  void done(double now_s, std::uint32_t adapter);
  bool here(std::uint32_t adapter) const { return all_[adapter].state == State::here; }
  /// When it came, of one that is here [s].
  double since_s(std::uint32_t adapter) const { return all_[adapter].since_s; }
  /// When a load ends; infinite where none goes on.
  double next_s() const { return ends_s_; }

  std::uint64_t asked() const { return asked_; }
  std::uint64_t hits() const { return hits_; }  ///< of these, that were there at once
  std::uint64_t loads() const { return loads_; }

 private:
  enum class State : std::uint8_t { away, wanted, loading, here };
  struct One {
    State state = State::away;
    std::uint32_t users = 0;  ///< who need it, those who wait for it included
    std::uint64_t last_use = 0;
    double since_s = 0.0;
  };
  static constexpr double never = std::numeric_limits<double>::infinity();
  void start(double now_s);

  AdapterOptions options_;
  std::vector<One> all_;
  std::vector<std::uint32_t> held_;   ///< those here and the one that is loaded, at most as many as there are slots
  std::deque<std::uint32_t> wanted_;  ///< still to be loaded
  std::uint32_t loading_ = 0;
  double ends_s_ = never;
  std::uint64_t uses_ = 0, asked_ = 0, hits_ = 0, loads_ = 0;
};

}  // namespace llm_serving
