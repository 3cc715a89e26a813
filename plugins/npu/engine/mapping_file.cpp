#include "plugins/npu/engine/mapping_file.h"

#include <array>
#include <sstream>
#include <stdexcept>

namespace npu {
namespace {

using LoopMember = std::uint64_t ConvLoops::*;
constexpr std::array<std::pair<char, LoopMember>, 7> loop_letters = {{{'N', &ConvLoops::n},
                                                                      {'C', &ConvLoops::c},
                                                                      {'M', &ConvLoops::m},
                                                                      {'P', &ConvLoops::p},
                                                                      {'Q', &ConvLoops::q},
                                                                      {'S', &ConvLoops::s},
                                                                      {'R', &ConvLoops::r}}};

LoopMember loop_of(char letter) {
  for (const auto& one : loop_letters)
    if (one.first == letter) return one.second;
  return nullptr;
}

}  // namespace

MappingFile::MappingFile(const std::string& text) {
  std::istringstream in(text);
  std::string words;
  for (std::size_t number = 1; std::getline(in, words); ++number) {
    const auto refuse = [number](const std::string& why) {
      throw std::invalid_argument("line " + std::to_string(number) + ": " + why +
                                  "; wanted [T] N1 C1 M1 P1 Q1 S1 R1 - [O] ... - [I] ...");
    };
    std::istringstream line(words);
    Line out;
    ConvLoops* part = nullptr;
    int parts_seen = 0;
    for (std::string word; line >> word;) {
      if (word == "-") continue;
      if (word == "[T]" || word == "[O]" || word == "[I]") {
        part = word == "[T]" ? &out.all : word == "[O]" ? &out.map.outer : &out.map.inner;
        ++parts_seen;
        continue;
      }
      const LoopMember member = loop_of(word[0]);
      constexpr std::size_t most_digits = 9;
      if (part == nullptr || member == nullptr || word.size() < 2 || word.size() > most_digits ||
          word.find_first_not_of("0123456789", 1) != std::string::npos || std::stoull(word.substr(1)) == 0)
        refuse("\"" + word + "\" is no loop count");
      part->*member = std::stoull(word.substr(1));
    }
    if (parts_seen == 0) continue;
    if (parts_seen != 3) refuse("there are " + std::to_string(parts_seen) + " of three parts");
    for (const auto& one : loop_letters) {
      const std::uint64_t all = out.all.*one.second, covered = out.map.inner.*one.second * out.map.outer.*one.second;
      if (covered < all)
        refuse(std::string(1, one.first) + " is " + std::to_string(all) + ", and its tiles are " +
               std::to_string(covered));
      // Where tiles began beyond the end there would be nothing for them to do.
      if (all + out.map.inner.*one.second <= covered)
        refuse(std::string(1, one.first) + " is " + std::to_string(all) + " and has " +
               std::to_string(out.map.outer.*one.second) + " tiles of " + std::to_string(out.map.inner.*one.second) +
               ", the last beyond its end");
    }
    lines_.push_back(out);
  }
}

const ConvMapping* MappingFile::find(const ConvLoops& all) const {
  for (const Line& line : lines_)
    if (line.all == all) return &line.map;
  return nullptr;
}

std::optional<GemmMapping> MappingFile::of(const Hardware& h, const std::string& layer, const GemmShape& shape) const {
  const ConvMapping* given = find(all_loops(shape));
  if (given == nullptr) return std::nullopt;
  const ConvLoops &in = given->inner, &out = given->outer;
  const GemmMapping map{{in.n, in.c, in.m}, {out.n, out.c, out.m}};
  check_mapping(h, layer, map);
  return map;
}
std::optional<ConvMapping> MappingFile::of(const Hardware& h, const std::string& layer, const ConvShape& shape) const {
  const ConvMapping* given = find(all_loops(shape));
  // Groups are products whose mapping is computed.
  if (given == nullptr || shape.groups > 1) return std::nullopt;
  check_mapping(h, layer, shape, *given);
  return *given;
}

ConvLoops all_loops(const ConvShape& s) {
  return {s.batch, s.wide.out(), s.high.out(), s.out_channels, s.high.kernel, s.wide.kernel, s.in_channels};
}
ConvLoops all_loops(const GemmShape& s) {
  ConvLoops out;
  out.n = s.rows, out.c = s.depth, out.m = s.columns;
  return out;
}
std::string loops_text(const ConvLoops& loops) {
  std::string out;
  for (const auto& one : loop_letters) out += std::string(" ") + one.first + std::to_string(loops.*one.second);
  return out;
}

}  // namespace npu
