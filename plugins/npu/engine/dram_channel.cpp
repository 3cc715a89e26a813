#include "plugins/npu/engine/dram_channel.h"

namespace npu {

DramTiming hbm2_timing() {
  DramTiming t{};
  t.bl = 2, t.cl = 9, t.rcd = 9, t.rp = 9, t.ras = 21, t.rc = 23, t.wr = 10, t.rtp_s = 3, t.rtp_l = 4, t.cwl = 3;
  t.ccd_s = 1, t.ccd_l = 2, t.rrd_s = 3, t.rrd_l = 4, t.wtr_s = 4, t.wtr_l = 5, t.faw = 19, t.rfc = 0, t.refi = 0;
  t.offset_bits = 5, t.column_bits = 4, t.pseudo_channel_bits = 1, t.row_bits = 15, t.channel_wide = true;
  return t;
}
DramTiming ddr4_timing() {
  DramTiming t{};
  t.bl = 4, t.cl = 10, t.rcd = 10, t.rp = 10, t.ras = 28, t.rc = 38, t.wr = 12, t.rtp_s = 6, t.rtp_l = 6, t.cwl = 9;
  t.ccd_s = 4, t.ccd_l = 5, t.rrd_s = 4, t.rrd_l = 5, t.wtr_s = 2, t.wtr_l = 6, t.faw = 16, t.rfc = 440;
  t.refi = 6240, t.offset_bits = 6, t.column_bits = 7, t.pseudo_channel_bits = 0, t.row_bits = 18;
  return t;
}

DramChannel::DramChannel(const DramTiming& timing, std::uint32_t shift, std::uint32_t request_shift)
    : timing_(timing), shift_(shift), request_shift_(request_shift), written_(1024) {
  const std::uint32_t pseudo = 1U << timing.pseudo_channel_bits, banks = 16 * pseudo;
  banks_.resize(banks), group_ready_.resize(banks / 4), pseudo_ready_.resize(pseudo);
  last_acts_.resize(pseudo), acts_.resize(pseudo);
  for (Queue* queue : {&reads_, &writes_, &active_}) {
    queue->banks.resize(banks), queue->hit.resize(banks), queue->other.resize(banks), queue->known.resize(banks);
  }
}

std::uint64_t DramChannel::may_skip() const {
  // What was left open is closed by a refresh, which goes step by step.
  if (refreshes_due_ > 0) return 0;
  return timing_.refi == 0 ? UINT64_MAX : timing_.refi - 1 - now_ % timing_.refi;
}

void DramChannel::enqueue() {
  const MemoryRequest& request = input_.front();
  Queued q;
  q.request = request, q.arrive = now_;
  q.local = (request.address >> shift_) << request_shift_;
  const auto slot = static_cast<std::size_t>((q.local * 0x9E3779B97F4A7C15ULL) >> 54);
  const auto low = static_cast<std::uint32_t>(timing_.offset_bits + timing_.column_bits);
  const auto pseudo = static_cast<std::uint32_t>((q.local >> low) & ((1U << timing_.pseudo_channel_bits) - 1));
  const auto rest = q.local >> (low + timing_.pseudo_channel_bits);
  const auto group_in = static_cast<std::uint32_t>(rest & 3), bank_in = static_cast<std::uint32_t>((rest >> 2) & 3);
  q.bank = static_cast<std::uint8_t>(pseudo * 16 + group_in * 4 + bank_in);
  q.row = static_cast<std::uint32_t>((rest >> 4) & ((1U << timing_.row_bits) - 1));
  if (request.write == 0 && written_[slot] > 0) {
    const std::vector<Queued>& there = writes_.banks[q.bank];
    if (std::any_of(there.begin(), there.end(), [&q](const Queued& w) { return w.local == q.local; })) {
      reading_.push({request, now_ + 1});
      input_.pop();
      return;
    }
  }
  Queue& queue = request.write != 0 ? writes_ : reads_;
  if (queue.size > capacity) return;
  if (request.write != 0) ++written_[slot];
  queue.banks[q.bank].push_back(q), ++queue.size, queue.with |= std::uint64_t{1} << q.bank;
  queue.known[q.bank] = false, wake_ = 0;
  input_.pop();
}

void DramChannel::look(Queue& queue, std::uint32_t bank) const {
  std::int32_t hit = -1, other = -1;
  const std::vector<Queued>& list = queue.banks[bank];
  // Lists are in the order of arrival, but for the active one, which is short.
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::int32_t& best = banks_[bank].open && list[i].row == banks_[bank].row ? hit : other;
    if (best < 0 || list[i].arrive < list[static_cast<std::size_t>(best)].arrive) best = static_cast<std::int32_t>(i);
    if (&queue != &active_ && ((hit >= 0 && other >= 0) || (!banks_[bank].open && other >= 0))) break;
  }
  queue.hit[bank] = hit, queue.other[bank] = other, queue.known[bank] = true;
}

std::uint64_t DramChannel::ready(std::uint32_t bank, Command command) const {
  return std::max(std::max(banks_[bank].ready[command], group_ready_[group(bank)][command]),
                  std::max(pseudo_ready_[pseudo_channel(bank)][command], channel_ready_[command]));
}

DramChannel::Choice DramChannel::choose(Queue& queue, std::uint64_t& next) {
  Choice best;
  for (std::uint64_t with = queue.with; with != 0; with &= with - 1) {
    const auto bank = static_cast<std::uint32_t>(std::countr_zero(with));
    if (!queue.known[bank]) look(queue, bank);
    for (const bool hit : {true, false}) {
      const std::int32_t at = hit ? queue.hit[bank] : queue.other[bank];
      if (at < 0) continue;
      const auto position = static_cast<std::uint32_t>(at);
      const Queued& q = queue.banks[bank][position];
      const Command command = hit ? (q.request.write != 0 ? wr : rd) : banks_[bank].open ? pre : act;
      const std::uint64_t at_time = ready(bank, command);
      if (at_time > now_) next = std::min(next, at_time);
      else if (q.arrive < best.arrive) best = {&queue, bank, position, command, q.arrive};
    }
    // Reads and writes of one row differ in when they may go: the active list holds both.
    if (&queue == &active_ && queue.banks[bank].size() > 1)
      for (std::uint32_t i = 0; i < queue.banks[bank].size(); ++i) {
        const Queued& q = queue.banks[bank][i];
        const bool hit = banks_[bank].open && q.row == banks_[bank].row;
        const Command command = hit ? (q.request.write != 0 ? wr : rd) : banks_[bank].open ? pre : act;
        const std::uint64_t at_time = ready(bank, command);
        if (at_time > now_) next = std::min(next, at_time);
        else if (q.arrive < best.arrive) best = {&queue, bank, i, command, q.arrive};
      }
  }
  return best;
}

void DramChannel::note(std::uint32_t bank, Command command) {
  const DramTiming& t = timing_;
  Bank& b = banks_[bank];
  auto& in_group = group_ready_[group(bank)];
  auto& in_pseudo = pseudo_ready_[pseudo_channel(bank)];
  const auto raise = [this](std::uint64_t& to, std::uint64_t distance) { to = std::max(to, now_ + distance); };
  constexpr std::uint64_t bus = 2;
  switch (command) {
    case act: {
      const std::uint32_t p = pseudo_channel(bank);
      raise(in_pseudo[act], t.rrd_s), raise(in_group[act], t.rrd_l);
      last_acts_[p][acts_[p] % 4] = now_, ++acts_[p];
      if (acts_[p] >= 4) in_pseudo[act] = std::max(in_pseudo[act], last_acts_[p][acts_[p] % 4] + t.faw);
      raise(b.ready[act], t.rc), raise(b.ready[rd], t.rcd), raise(b.ready[wr], t.rcd), raise(b.ready[pre], t.ras);
      raise(all_pre_ready_, t.ras), raise(refresh_ready_, t.rc);
      break;
    }
    case pre:
      raise(b.ready[act], t.rp), raise(refresh_ready_, t.rp);
      break;
    case rd:
      raise(in_pseudo[rd], std::max(t.bl, t.ccd_s)), raise(in_pseudo[wr], t.cl + t.bl + 2 - t.cwl);
      raise(in_group[rd], t.ccd_l), raise(b.ready[pre], std::max(t.rtp_s, t.rtp_l));
      raise(all_pre_ready_, t.rtp_s);
      break;
    case wr:
      raise(in_pseudo[wr], std::max(t.bl, t.ccd_s)), raise(in_pseudo[rd], t.cwl + t.bl + t.wtr_s);
      raise(in_group[wr], t.ccd_l), raise(in_group[rd], t.cwl + t.bl + t.wtr_l);
      raise(b.ready[pre], t.cwl + t.bl + t.wr), raise(all_pre_ready_, t.cwl + t.bl + t.wr);
      break;
  }
  if (t.channel_wide && command == act) raise(channel_ready_[act], bus), raise(channel_ready_[pre], bus);
}

/// All banks are closed first; with what the active list holds they stay open.
bool DramChannel::refresh() {
  if (open_ > 0) {
    if (active_.size > 0 || now_ < all_pre_ready_) return false;
    for (std::uint32_t i = 0; i < banks_.size(); ++i) {
      banks_[i].open = false;
      for (Queue* queue : {&reads_, &writes_, &active_}) queue->known[i] = false;
    }
    open_ = 0;
    for (auto& p : pseudo_ready_) p[act] = std::max(p[act], now_ + timing_.rp);
    refresh_ready_ = std::max(refresh_ready_, now_ + timing_.rp);
    return true;
  }
  if (now_ < refresh_ready_) return false;
  for (auto& p : pseudo_ready_) p[act] = std::max(p[act], now_ + timing_.rfc);
  refresh_ready_ = now_ + timing_.rfc;
  --refreshes_due_, ++rows_.misses, ++rows_.refreshes;
  return true;
}

bool DramChannel::issue(MemoryRequest& written) {
  std::uint64_t next = UINT64_MAX;
  Choice choice = choose(active_, next);
  if (choice.queue == nullptr) {
    if (refreshes_due_ > 0) {
      refresh();
      return false;
    }
    constexpr std::size_t high = capacity * 8 / 10, low = capacity * 2 / 10 + 1;  // 204.8 and 51.2
    if (!writing_ && (writes_.size > high || reads_.size == 0)) writing_ = true;
    if (writing_ && writes_.size < low && reads_.size > 0 && writes_.size * 10 < capacity * 2) writing_ = false;
    choice = choose(writing_ ? writes_ : reads_, next);
  }
  if (choice.queue == nullptr) {
    wake_ = next;
    return false;
  }
  Queue& queue = *choice.queue;
  Bank& bank = banks_[choice.bank];
  if (choice.command == pre && bank.active > 0) return false;
  std::vector<Queued>& list = queue.banks[choice.bank];
  Queued& q = list[choice.position];
  if (!q.counted) {
    q.counted = true;
    ++(choice.command == act ? rows_.misses : choice.command == pre ? rows_.conflicts : rows_.hits);
  }
  note(choice.bank, choice.command);
  if (choice.command == pre) {
    bank.open = false, --open_;
    for (Queue* any : {&reads_, &writes_, &active_}) any->known[choice.bank] = false;
    return false;
  }
  const Queued taken = q;
  list.erase(list.begin() + choice.position), --queue.size;
  if (list.empty()) queue.with &= ~(std::uint64_t{1} << choice.bank);
  queue.known[choice.bank] = false;
  if (&queue == &active_) --bank.active;
  if (&queue == &writes_) --written_[static_cast<std::size_t>((taken.local * 0x9E3779B97F4A7C15ULL) >> 54)];
  if (choice.command == act) {
    bank.open = true, bank.row = taken.row, ++open_, ++bank.active;
    active_.banks[choice.bank].push_back(taken), ++active_.size, active_.with |= std::uint64_t{1} << choice.bank;
    for (Queue* any : {&reads_, &writes_, &active_}) any->known[choice.bank] = false;
    return false;
  }
  if (choice.command == rd) {
    reading_.push({taken.request, now_ + timing_.cl + timing_.bl});
    return false;
  }
  written = taken.request;
  return true;
}

}  // namespace npu
