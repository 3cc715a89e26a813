#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plugins/npu/engine/mapping.h"

namespace npu {

/// Mappings by hand, one a line: "[T] N1 C64 M128 P28 Q28 S3 R3 - [O] N1 C2 M8 P2 Q2 S1 R1 - [I] N1 C51 ...": all loop
/// counts, those outside a tile and those within. Of a product N are the rows, C the depth, M the columns.
class MappingFile {
 public:
  MappingFile() = default;
  /// O(bytes). @throws std::invalid_argument  naming the line
  explicit MappingFile(const std::string& text);
  bool empty() const { return lines_.empty(); }
  /// Of the first line with these loops; null: none.
  const ConvMapping* find(const ConvLoops& all) const;
  /// Of a product, by its loops. @throws BadMapping  where a tile does not fit
  std::optional<GemmMapping> of(const Hardware& hardware, const std::string& layer, const GemmShape& shape) const;
  /// Of a convolution. @throws BadMapping  where a tile does not fit
  std::optional<ConvMapping> of(const Hardware& hardware, const std::string& layer, const ConvShape& shape) const;

 private:
  struct Line {
    ConvLoops all;
    ConvMapping map;
  };
  std::vector<Line> lines_;
};

/// All loops of a layer, by which its line is found.
ConvLoops all_loops(const ConvShape& shape);
ConvLoops all_loops(const GemmShape& shape);
/// As a line says them: " N1 C64 ...".
std::string loops_text(const ConvLoops& loops);

}  // namespace npu
