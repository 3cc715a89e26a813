#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/expression/program_lines.h"

namespace ergode {

/// The right-hand sides of a model's differential equations, of which some hold at a time: flows, which add to the rate
/// of a variable, and hazards, which fall at their rate. Between two events only time and variables that flow change;
/// what reads nothing of them is worked out once after each event, and what equations have in common once for all of
/// them (shared_functions.h). Movable; holds its own programs. One thread.
class FlowEquations {
 public:
  struct Equation {
    Program program;          ///< over slots: a contribution to a rate [SI unit / s], or a hazard's rate [1/s]
    std::uint32_t place = 0;  ///< whose rate it gives: index into the results
    bool stays = false;       ///< found here: it is the same at any time between two events
  };
  FlowEquations() = default;
  /// Takes the programs apart and makes machine code of them: O(n log n) in their instructions, once per history.
  /// @param flows, hazards  of the whole model; choose() says which hold
  /// @param moves   by slot: whether it changes between two events. Slots from moves.size() on are used by this object.
  /// @param places  length of the results of still_rates() and rates()
  FlowEquations(std::vector<Equation> flows, std::vector<Equation> hazards, const std::vector<std::uint8_t>& moves,
                std::size_t places);
  FlowEquations(const FlowEquations&) = delete;
  FlowEquations(FlowEquations&&) = default;
  FlowEquations& operator=(const FlowEquations&) = delete;
  FlowEquations& operator=(FlowEquations&&) = default;

  /// How many slots there must be, its own included.
  std::size_t slots() const { return slots_; }
  /// From now on these flows and hazards hold, by their numbers in what was given, ascending. Reads the model's slots,
  /// which must hold what they do at this moment, and writes its own. O(chosen instructions that stay), where the same
  /// were chosen among the last few times; else of all chosen. No allocation once it has grown.
  /// @param slots  an array of slots()
  void choose(std::span<const std::uint32_t> flows, std::span<const std::uint32_t> hazards, double* slots);
  /// The rates that stay as they are until choose() is called again, zero where nothing flows; of others, anything.
  void still_rates(double* out) const;
  /// All others, where what moves stands in its slots; they may be infinite or no number. A hazard's place gets minus
  /// its rate.
  /// @returns false: a hazard's rate is negative, or no number where it stays.
  bool rates(double* slots, double* out) const { return has_value_ && lines_.run(slots, out); }
  /// Those of flows alone, and whatever they share with hazards.
  bool flow_rates(double* slots, double* out) const { return has_value_ && flow_lines_.run(slots, out); }

 private:
  void read_by(const Program& program);
  /// What follows from which flows and hazards hold, whatever the slots are.
  struct Selection {
    std::vector<std::uint32_t> flows, hazards;                          ///< that hold
    std::vector<std::uint32_t> still_read, still_flows, still_hazards;  ///< of still_ and of those, what stays
    std::vector<std::uint32_t> lines, flow_lines;                       ///< of ProgramLines: what moves
    bool is_of(std::span<const std::uint32_t> some_flows, std::span<const std::uint32_t> some_hazards) const;
  };
  void select(std::span<const std::uint32_t> flows, std::span<const std::uint32_t> hazards, Selection& out);
  /// Shared functions that are read, then these lines.
  void with_shared(std::initializer_list<std::span<const std::uint32_t>> parts, std::vector<std::uint32_t>& out);
  void work_out_still(double* slots);

  std::vector<Equation> flows_, hazards_;
  std::vector<std::uint8_t> moves_;      ///< by slot, its own included
  std::vector<Program> still_, shared_;  ///< into the slots from first_own_ on, in this order
  std::vector<Program> beginnings_;      ///< by flow: its rate added to what stays of that of its place
  std::size_t first_own_ = 0, first_base_ = 0, slots_ = 0;  ///< slots from first_base_ on: base_
  ProgramLines lines_;                                      ///< shared_, then beginnings_, then flows_, then hazards_
  ProgramLines flow_lines_;                                 ///< the same, of which only what flows need is run
  bool has_value_ = true;
  std::vector<double> base_;                                  ///< rates, as far as they stay
  std::vector<std::uint8_t> begun_;                           ///< by place: something that moves is added; scratch
  std::vector<std::uint8_t> read_;                            ///< by own slot; scratch
  std::vector<std::uint32_t> moving_flows_, moving_hazards_;  ///< lines; scratch
  /// Those chosen so far, as a chart comes back to the same states; the oldest makes room.
  static constexpr std::size_t most_known = 16;
  std::vector<Selection> known_;
  std::size_t current_ = 0, oldest_ = 0;  ///< in known_
};

}  // namespace ergode
