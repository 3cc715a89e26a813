#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ergode {

/// The number of a part of a split: its place in Split::parts.
using SplitPart = std::uint32_t;

/// Most parts that a split may have.
/// Bounds the memory of tallies and the columns of tables.
inline constexpr SplitPart most_split_parts = 8;

/// How a model divides what its measures see: by labels of whoever divides. Common-cause groups divide by the cause of
/// failures; another notation may divide by class of customer. A part is in force at every moment, and an observation
/// belongs to the part in force when it is made; an average is divided by how long each was.
/// Empty: nothing is divided.
/// The parts of one measure add up to it where MeasureKind::adds_up says so; a split of a mean of times would add up to
/// nothing.
struct Split {
  struct Part {
    std::string name;    ///< Key in files: letters, digits and _.
    std::string label;   ///< For people, in lower case: "non-lethal".
    bool occurs = true;  ///< false: cannot occur in this model, and gets no column.
  };
  std::string by;           ///< One word: "cause".
  std::string meaning;      ///< Which part is in force, for a caption; no full stop.
  std::vector<Part> parts;  ///< At most most_split_parts; the first is in force when none of the others is.

  /// Nothing is divided.
  bool empty() const { return parts.empty(); }
  /// The parts that are worth a column: those that can occur, without the first, which is what they leave; ascending.
  std::vector<SplitPart> shown() const {
    std::vector<SplitPart> out;
    for (SplitPart p = 1; p < parts.size(); ++p)
      if (parts[p].occurs) out.push_back(p);
    return out;
  }
};

}  // namespace ergode
