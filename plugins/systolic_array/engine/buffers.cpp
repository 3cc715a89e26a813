#include "plugins/systolic_array/engine/buffers.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systolic {
namespace {

/// A memory is managed in about as many sets.
constexpr std::uint64_t sets_of_memory = 100;

std::uint64_t rounded_up(std::uint64_t what, std::uint64_t by) { return (what + by - 1) / by; }

}  // namespace

StreamBuffer::StreamBuffer(std::uint64_t bytes, std::uint64_t words, std::uint32_t bandwidth)
    : set_size_(static_cast<std::int64_t>(bytes / sets_of_memory)),
      half_sets_(sets_of_memory / 2),
      bandwidth_(bandwidth),
      set_of_(words, -1),
      newest_(half_sets_ - 1) {}

double StreamBuffer::read(std::span<const std::int32_t> words, double cycle) {
  double at = cycle + hit_latency;
  for (const std::int32_t word : words) {
    if (word == no_word) continue;
    if (!requested_) requested_ = true, first_request_ = half_begins_ = cycle;
    std::int64_t& in = set_of_[static_cast<std::size_t>(word)];
    // The newest set with the word: in no other it could still be readable.
    if (in >= oldest_ && in <= std::min(set_, newest_)) continue;
    in = set_;
    ++in_half_;
    at = std::max(at, there(cycle));
    if (++in_set_ == set_size_) close_set(at - hit_latency);
  }
  return at;
}

/// When the next word of the half is there. Its fetch begins when the one before is done and there is room.
double StreamBuffer::there(double cycle) {
  if (first_half_ || bandwidth_ == 0.0) return cycle;
  if (in_half_ == 1.0) fetch_begins_ = std::max(fetched_until_ + 1.0, room_since_);
  return fetch_begins_ + std::ceil(in_half_ / bandwidth_) - 1.0 + dram_latency + hit_latency;
}

void StreamBuffer::close_set(double cycle) {
  in_set_ = 0;
  if (++set_ != newest_ + 1) return;
  close_half(cycle);
  oldest_ += half_sets_, newest_ += half_sets_;
}

void StreamBuffer::close_half(double cycle) {
  // What the first half is filled with where no bandwidth is given.
  constexpr double usual = 10.0;
  if (first_half_) {
    fetched_until_ = (set_ == newest_ + 1 ? first_request_ - 1.0 : -1.0) - dram_latency;
    const double room = static_cast<double>((set_ + (in_set_ > 0 ? 1 : 0)) * set_size_);
    dram_.first = fetched_until_ - std::ceil(room / (bandwidth_ > 0.0 ? bandwidth_ : usual)) + 1.0 + dram_latency;
  } else {
    fetched_until_ = bandwidth_ > 0.0 ? fetch_begins_ + std::ceil(in_half_ / bandwidth_) - 1.0 : half_begins_;
  }
  dram_.words += in_half_;
  dram_.last = fetched_until_ + dram_latency;
  // The place of the half before this one was free when this one began to be read.
  in_half_ = 0.0, room_since_ = half_begins_, half_begins_ = cycle, first_half_ = false;
}

void StreamBuffer::finish() {
  if (in_half_ > 0.0) close_half(half_begins_);
}

FetchingBuffer::FetchingBuffer(std::uint64_t bytes, std::uint64_t words, std::uint32_t bandwidth,
                               std::vector<std::int32_t> list)
    : list_(std::move(list)),
      there_(words, 0),
      half_(rounded_up(bytes, 2)),
      other_half_(bytes - half_),
      bandwidth_(bandwidth) {
  const std::uint64_t set_size = rounded_up(bytes, sets_of_memory);
  line_begins_.push_back(0);
  std::uint64_t in_line = 0;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (list_[i] == no_word || ++in_line < set_size) continue;
    line_begins_.push_back(i + 1), in_line = 0;
  }
  line_begins_.push_back(list_.size());
  lines_ = line_begins_.size() - 1;
  active_ = std::min<std::size_t>(lines_, rounded_up(half_, set_size));
  ahead_ = std::min<std::size_t>(lines_ - active_, rounded_up(other_half_, set_size));
}

double FetchingBuffer::read(std::span<const std::int32_t> words, double cycle) {
  if (!filled_) fill_first(cycle);
  double at = cycle + hit_latency;
  for (const std::int32_t word : words) {
    if (word == no_word) continue;
    while (there_[static_cast<std::size_t>(word)] == 0) {
      if (ahead_ == 0) throw std::logic_error("a word is read that is never fetched");
      fetch_more();
      const double wait = last_fetch_ - at;
      at += wait + std::max(wait, 0.0);
    }
  }
  return at;
}

void FetchingBuffer::fill_first(double cycle) {
  filled_ = true;
  // The whole list is fetched when it fits.
  const std::uint64_t list_lines = rounded_up(list_.size(), bandwidth_);
  const std::uint64_t fetched = std::min(rounded_up(half_, bandwidth_), list_lines);
  dram_.words += static_cast<double>(fetched * bandwidth_);
  dram_.first = cycle - static_cast<double>(fetched);
  dram_.last = last_fetch_ = cycle - 1.0;
  for (std::size_t line = 0; line < active_; ++line) count(line, 1);
}

void FetchingBuffer::fetch_more() {
  for (std::size_t i = 0; i < ahead_; ++i) count((start_ + i) % lines_, -1);
  for (std::size_t i = 0; i < ahead_; ++i) count((start_ + active_ + i) % lines_, 1);
  start_ = (start_ + ahead_) % lines_;
  const std::uint64_t fetched = rounded_up(other_half_, bandwidth_);
  dram_.words += static_cast<double>(fetched * bandwidth_);
  last_fetch_ += static_cast<double>(fetched) + dram_latency;
  dram_.last = last_fetch_;
}

void FetchingBuffer::count(std::size_t line, std::int32_t by) {
  for (std::size_t i = line_begins_[line]; i < line_begins_[line + 1]; ++i)
    if (list_[i] != no_word) there_[static_cast<std::size_t>(list_[i])] += by;
}

WriteBuffer::WriteBuffer(std::uint64_t bytes, std::uint32_t bandwidth, bool as_reference)
    : as_reference_(as_reference),
      size_(static_cast<std::int64_t>(bytes)),
      half_(size_ - static_cast<std::int64_t>(rounded_up(bytes, 2))),
      free_(size_),
      bandwidth_(bandwidth) {}

double WriteBuffer::write(std::uint32_t words, double cycle) {
  double at = cycle;
  for (std::uint32_t i = 0; i < words; ++i) {
    --free_;
    if (++in_line_ == bandwidth_) close_line();
    if (at < drain_ends_) {
      if (free_ <= 0) at = drain_ends_;
    } else if (free_ < size_ - half_) {
      close_line();
      drain_ends_ = drain(at);
    }
  }
  return at;
}

void WriteBuffer::close_line() {
  if (in_line_ > 0) lines_.push_back(in_line_);
  in_line_ = 0;
}

double WriteBuffer::drain(double cycle) {
  const std::size_t end = std::min(lines_.size(), drained_ + rounded_up(static_cast<std::uint64_t>(half_), bandwidth_));
  const std::size_t lines = end - drained_;
  std::int64_t words = 0;
  for (std::size_t line = drained_; line < end; ++line) words += lines_[line];
  // There a line that was closed early counts as a whole one, unless it is the last.
  if (as_reference_) words = static_cast<std::int64_t>((lines - 1) * bandwidth_ + lines_[end - 1]);
  dram_.words += static_cast<double>(words);
  free_ += words;
  drained_ = end;
  if (!begun_) dram_.first = dram_.last = cycle;
  begun_ = true;
  const double last = cycle + static_cast<double>(lines - 1);
  dram_.last = std::max(dram_.last, last);
  // There the next words may be written in the cycle of the last ones.
  return as_reference_ ? last : last + 1.0;
}

void WriteBuffer::finish(double cycle) {
  close_line();
  // There it is forgotten that the other half may still be on its way.
  double at = as_reference_ ? cycle : std::max(cycle, drain_ends_);
  while (drained_ < lines_.size()) at = drain(at) + (as_reference_ ? 1.0 : 0.0);
}

}  // namespace systolic
