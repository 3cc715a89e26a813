#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/random/random_stream.h"
#include "solvers/cluster/devices/device_scores.h"

namespace ergode {

/// Which free GPUs a job gets.
///
///     random    any of them, equally likely
///     packed    of as few nodes as can be, scores ignored; of nodes that hold it the fullest
///     pm_first  those with the least scores, nodes ignored
///     pal       pairs of a score and a locality (one node, or any with the class's penalty) in the order of their
///               product; the first pair that the free GPUs satisfy
///
/// Jain, Tran, Chen, Sinclair and Venkataraman, PAL: A variability-aware policy for scheduling ML workloads in GPU
/// clusters, SC 2024. Ties, which they leave open: one node before several, lower scores, nodes that give more.
enum class PlacementPolicy : std::uint8_t { random, packed, pm_first, pal };

/// GPUs of nodes that are alike, who of them is free, and what placement believes of their speed.
class GpuPlacer {
 public:
  static constexpr std::uint32_t most_gpus = 100'000;

  /// @param nodes, gpus_per_node  >= 1; GPU g is of node g / gpus_per_node
  /// @param scores  by class and GPU: times slower than a median one (of the class), as the policy sees it; > 0
  GpuPlacer(PlacementPolicy policy, std::uint32_t nodes, std::uint32_t gpus_per_node,
            ByClass<std::vector<double>> scores);

  std::uint32_t gpus() const { return static_cast<std::uint32_t>(free_.size()); }
  std::uint32_t free_gpus() const { return free_total_; }
  bool is_free(std::uint32_t gpu) const { return free_[gpu] != 0; }
  std::uint32_t node_of(std::uint32_t gpu) const { return gpu / gpus_per_node_; }
  std::uint32_t nodes_of(std::span<const std::uint32_t> gpus) const;  ///< different ones; of ascending GPUs

  /// Takes GPUs for a job.
  /// @param gpus     so many, >= 1
  /// @param of_class   of application, 0 ... 3
  /// @param penalty  >= 1: times slower on several nodes
  /// @param stream   of PlacementPolicy::random; as many draws as GPUs
  /// @param out      cleared; ascending
  /// @returns false where too few are free; nothing is taken then. O(GPUs), of pal O(different scores + GPUs).
  bool place(std::uint32_t gpus, std::uint32_t of_class, double penalty, RandomStream& stream,
             std::vector<std::uint32_t>& out);
  void release(std::span<const std::uint32_t> gpus);
  void release_all();
  /// A node goes with all its GPUs, and comes back with all of them free. Precondition: all are free; it is away.
  void take_away(std::uint32_t node);
  void bring_back(std::uint32_t node);

  /// Which entry of pal it was: the score that bounds the GPUs and the locality.
  struct Entry {
    double score = 0.0, locality = 1.0;
  };
  Entry last_entry() const { return entry_; }

  template <typename Archive>
  void archive(Archive& a) {
    a(free_, free_of_node_, free_total_);
  }

 private:
  void take(std::uint32_t gpu, std::vector<std::uint32_t>& out);
  void place_random(std::uint32_t gpus, RandomStream& stream, std::vector<std::uint32_t>& out);
  void place_packed(std::uint32_t gpus, std::vector<std::uint32_t>& out);
  void place_lowest(std::uint32_t gpus, std::uint32_t of_class, std::vector<std::uint32_t>& out);
  bool place_in_node(std::uint32_t gpus, std::uint32_t of_class, double most, std::vector<std::uint32_t>& out);
  void place_pal(std::uint32_t gpus, std::uint32_t of_class, double penalty, std::vector<std::uint32_t>& out);

  PlacementPolicy policy_;
  std::uint32_t gpus_per_node_;
  ByClass<std::vector<double>> scores_;
  ByClass<std::vector<std::uint32_t>> by_score_;  ///< GPUs, the least score first
  ByClass<std::vector<double>> levels_;           ///< different scores, ascending
  std::vector<std::uint8_t> free_;                ///< by GPU
  std::vector<std::uint32_t> free_of_node_;
  std::uint32_t free_total_ = 0;
  Entry entry_;
  std::vector<std::uint32_t> room_, count_;  ///< by node, and others
};

/// What a job takes longer than with median GPUs of one node: the greatest slowdown of its GPUs, times the penalty on
/// several nodes. Bulk-synchronous: all wait for the slowest.
double job_slowdown(std::span<const std::uint32_t> gpus, std::span<const double> slowdown, std::uint32_t nodes,
                    double penalty);

}  // namespace ergode
