// A library that does one thing wrong, and all else right.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "plugins/abi/ergode_plugin.h"

namespace {

/// The word of the parameter `how` in the JSON of the input.
std::string how_of(const ergode_input* input) {
  const char* const begin = std::strstr(input->json, "\"how\":\"");
  if (begin == nullptr) return "";
  const char* const word = begin + 7;
  return {word, std::strchr(word, '"')};
}

void misbehave(const std::string& how, const ergode_host* host) {
  // As a store to nowhere ends, also where a sanitizer would say so first.
  if (how == "crash") std::signal(SIGSEGV, SIG_DFL), std::raise(SIGSEGV);
  if (how == "abort") std::fprintf(stderr, "an assertion failed\n"), std::abort();
  if (how == "exit") std::exit(7);
  if (how == "leaves_a_child" && fork() == 0)
    for (;;) sleep(60);
  if (how == "leaves_a_daemon" && fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (;;) sleep(60);
  }
  if (how == "hang")
    for (volatile bool on = true; on;) {
    }
  if (how == "throw_text") throw std::runtime_error("no more bolts");
  if (how == "throw_number") throw 42;
  if (how == "endless_words")
    for (;;) std::fprintf(stderr, "word after word after word\n");
  if (how == "endless") {
    const std::string text(1000, 'x');
    for (;;) host->tell(host->context, ERGODE_INFO, "/parameters/how", text.c_str());
  }
  if (how == "prints") std::printf("{\"message\":\"done\"}\nhello\n"), std::fflush(stdout);
}

int remembered = 0;

std::int32_t run(const ergode_input* input, const ergode_host* host) {
  const std::string how = input->replication == static_cast<std::uint64_t>(input->numbers[1]) ? how_of(input) : "well";
  misbehave(how, host);
  double draw = static_cast<double>(input->seed % 1000003) / 1000003.0, coin = static_cast<double>(input->seed % 2);
  const ergode_cell cells[2] = {{nullptr, draw}, {"a \"quoted\" word", 0.0}};
  host->row(host->context, 0, cells, how == "short_row" ? 1 : 2);
  if (how == "wait")
    while (host->cancelled(host->context) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (how == "wait") return ERGODE_CANCELLED;
  if (how == "endless_rows")
    for (;;) host->row(host->context, 0, cells, 2);
  if (how == "fails") host->tell(host->context, ERGODE_ERROR, "/parameters/at", "the pump is dry");
  if (how == "fails" || how == "fails_mutely") return how == "fails" ? ERGODE_FAILED : 77;
  if (how == "no_number") draw = std::numeric_limits<double>::quiet_NaN();
  if (how == "infinite") draw = std::numeric_limits<double>::infinity();
  if (how == "beyond") draw = 1.5;
  if (how == "half") coin = 0.5;
  if (how_of(input) == "remembers") draw = 1.0 / (2.0 + remembered++);
  if (how == "nothing") return ERGODE_OK;
  host->observe(host->context, how == "unknown" ? 9 : 0, &draw, 1);
  if (how == "twice") host->observe(host->context, 0, &draw, 1);
  host->observe(host->context, 1, &coin, 1);
  return ERGODE_OK;
}

void talk(const std::string& how, const ergode_host* host, const char* when) {
  if (how != "talks") return;
  host->tell(host->context, ERGODE_INFO, "/parameters/how", when);
  host->tell(host->context, ERGODE_WARNING, nullptr, when);
}

/// Bytes of the file that the parameter `notes` names; negative: it names none.
double bytes_of_notes(const ergode_input* input) {
  const char* const begin = std::strstr(input->json, "\"notes\":\"");
  if (begin == nullptr || begin[9] == '"') return -1.0;
  const std::string path(begin + 9, std::strchr(begin + 9, '"'));
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return -1.0;
  std::fseek(file, 0, SEEK_END);
  const auto bytes = static_cast<double>(std::ftell(file));
  std::fclose(file);
  return bytes;
}

/// Serves everybody at once, each for as long as its work.
struct Present {
  const ergode_host* host = nullptr;
  std::string how;
  std::uint64_t at = 0, arrivals = 0, served = 0;
  std::uint64_t jobs[1000] = {};
  double ends[1000] = {};
  int count = 0;
  double stay_s = -1.0;  ///< of everybody; negative: as each one's work

  double next() const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < count; ++i) least = ends[i] < least ? ends[i] : least;
    return least;
  }
};

std::int32_t create(const ergode_input* input, const ergode_host* host, void** station) {
  auto* const made = new Present{host, how_of(input), static_cast<std::uint64_t>(input->numbers[1])};
  made->stay_s = bytes_of_notes(input);
  *station = made;
  talk(made->how, host, "begins");
  return ERGODE_OK;
}

std::int32_t arrive(void* station, double now, std::uint64_t job, const double* attributes, double* next) {
  auto* const self = static_cast<Present*>(station);
  const bool wrong = self->arrivals++ == self->at;
  if (wrong) misbehave(self->how, self->host), talk(self->how, self->host, "somebody comes");
  if (self->count == 1000) return ERGODE_FAILED;
  self->jobs[self->count] = job, self->ends[self->count++] = now + (self->stay_s < 0.0 ? attributes[0] : self->stay_s);
  *next = self->how == "keeps" && self->arrivals > self->at ? std::numeric_limits<double>::infinity() : self->next();
  if (!wrong) return ERGODE_OK;
  if (self->how == "past") *next = now - 1.0;
  if (self->how == "negative") *next = -1.0;
  if (self->how == "minus_infinity") *next = -std::numeric_limits<double>::infinity();
  if (self->how == "nan_time") *next = std::numeric_limits<double>::quiet_NaN();
  if (self->how == "busy") *next = now;
  if (self->how == "early") self->host->depart(self->host->context, job, nullptr);
  return ERGODE_OK;
}

std::int32_t advance(void* station, double now, double* next) {
  auto* const self = static_cast<Present*>(station);
  for (int i = 0; i < self->count;) {
    if (self->ends[i] > now) {
      ++i;
      continue;
    }
    self->host->depart(self->host->context, self->how == "stranger" ? 987654321 : self->jobs[i], nullptr);
    if (self->how == "again") self->host->depart(self->host->context, self->jobs[i], nullptr);
    ++self->served;
    self->jobs[i] = self->jobs[--self->count], self->ends[i] = self->ends[self->count];
  }
  *next = self->how == "busy" && self->arrivals > self->at ? now : self->next();
  return ERGODE_OK;
}

std::int32_t finish(void* station, double) {
  auto* const self = static_cast<Present*>(station);
  const auto served = static_cast<double>(self->served);
  self->host->observe(self->host->context, 0, &served, 1);
  const ergode_cell cells[2] = {{nullptr, served}, {"in all", 0.0}};
  talk(self->how, self->host, "ends");
  if (self->how == "rows") self->host->row(self->host->context, 0, cells, 2);
  const ergode_cell words[2] = {{"two", 0.0}, {"in all", 0.0}}, numbers[2] = {{nullptr, served}, {nullptr, served}};
  if (self->how == "word_for_number") self->host->row(self->host->context, 0, words, 2);
  if (self->how == "number_for_word") self->host->row(self->host->context, 0, numbers, 2);
  if (self->how == "short_row") self->host->row(self->host->context, 0, cells, 1);
  if (self->how == "strange_row") self->host->row(self->host->context, 1, cells, 2);
  return ERGODE_OK;
}

void destroy(void* station) { delete static_cast<Present*>(station); }

const ergode_simulator the_simulator = {sizeof(ergode_simulator), 0, run};
const ergode_station the_station = {sizeof(ergode_station), 0, create, arrive, advance, finish, destroy};
#ifndef ABI_OF_PLUGIN
#define ABI_OF_PLUGIN ERGODE_PLUGIN_ABI_MAJOR
#endif
[[maybe_unused]] const ergode_plugin the_plugin = {sizeof(ergode_plugin), ABI_OF_PLUGIN, ERGODE_PLUGIN_ABI_MINOR, 0,
                                                   &the_simulator,        &the_station};

}  // namespace

const ergode_plugin* ergode_plugin_entry(std::uint32_t) {
#ifdef KNOWS_NO_HOST
  return nullptr;
#else
  return &the_plugin;
#endif
}
