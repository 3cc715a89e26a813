#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "plugins/systolic_array/engine/layer.h"

namespace systolic {

/// What stays in the array while the rest streams through it.
enum class Dataflow : std::uint8_t { weight_stationary, output_stationary, input_stationary };

/// What is done with zeros of filters.
enum class Sparsity : std::uint8_t {
  none,
  layer_wise,  ///< the first of each block of a layer's filters count (Layer::kept of Layer::block); the others leave
               ///< no trace
  row_wise,    ///< each filter keeps a random number of each block, at most half; weight-stationary only
};

/// How the zeros are written down.
enum class SparseFormat : std::uint8_t { csr, csc, ellpack_block };

/// An array with one double-buffered memory for each operand. Sizes at least 1; a word is a byte.
struct Array {
  std::uint32_t rows = 32, columns = 32;
  Dataflow dataflow = Dataflow::weight_stationary;
  std::uint64_t input_bytes = 65536, filter_bytes = 65536, output_bytes = 65536;
  /// Words a cycle from and to DRAM; 0: as many as keep the array from waiting, and how many these are is reported.
  std::uint32_t input_bandwidth = 0, filter_bandwidth = 0, output_bandwidth = 0;
  Sparsity sparsity = Sparsity::none;
  SparseFormat format = SparseFormat::ellpack_block;
  std::uint32_t sparse_block = 8;  ///< of row-wise sparsity: even, divides twice the rows
  std::uint32_t sparse_seed = 40;  ///< of row-wise sparsity, for a Mersenne Twister
  /// As SCALE-Sim 3 counts, for comparisons with its reports: with a bandwidth given, operands are fetched along a
  /// fixed list, round and round (FetchingBuffer), and waits for them count twice; the rows and columns of each fold
  /// are among the outputs that an output-stationary array writes, lines of outputs that were closed early are whole
  /// ones, and the last outputs are written beside those before them.
  bool as_reference = false;

  bool bandwidth_given() const { return input_bandwidth > 0; }
};
/// What cannot be simulated; empty when all can.
std::string array_fault(const Array& array);

/// When a memory is accessed, and how often.
struct Accesses {
  double first = 0.0, last = 0.0;  ///< cycles; what is fetched before cycle 0 is negative
  double words = 0.0;
  double a_cycle() const { return words / (last - first + 1.0); }
};

/// What a layer takes.
struct LayerRun {
  std::uint64_t cycles = 0;          ///< from the first operand that the array asks for to the last output
  std::uint64_t with_dram = 0;       ///< from the first word fetched to the last written
  std::uint64_t stalls = 0;          ///< cycles in which the array waited
  double utilisation = 0.0;          ///< operations of a cycle and element of the array, 0 to 1
  double mapping_efficiency = 0.0;   ///< share of elements that hold something, mean over folds, 0 to 1
  double compute_utilisation = 0.0;  ///< the same of a fold's time without stalls, 0 to 1
  std::uint64_t operations = 0;
  Accesses input_sram, filter_sram, output_sram;
  Accesses input_dram, filter_dram, output_dram;
  double metadata_words = 0.0, stored_filter_words = 0.0;  ///< of sparse filters, metadata included; words of 4 bytes
  bool cancelled = false;
};

/// Runs a layer through an array: operands asked for cycle by cycle, memories fetched ahead, stalls where they are
/// late. Samajdar et al., A systematic methodology for characterizing scalability of DNN accelerators using SCALE-Sim
/// (ISPASS, 2020); Raj et al., SCALE-Sim v3: a modular cycle-accurate systolic accelerator simulator (ISPASS, 2025).
///
/// O(elements of demands) time, O(elements of operands) memory; with given bandwidths O(elements fetched) memory.
/// @param stop  asked now and then
/// @pre no fault of array or layer
LayerRun run_layer(const Array& array, const Layer& layer, const std::function<bool()>& stop = {});

}  // namespace systolic
