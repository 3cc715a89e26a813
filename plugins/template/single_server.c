/* A whole plugin to copy: a queue with one server, as a simulator and as a station. See README.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/abi/ergode_plugin.h"

/* Indices of the lists in plugin.json. */
enum { ARRIVAL_RATE, SERVICE_RATE, CUSTOMERS };    /* parameters */
enum { WAIT, LAST_RESPONSE, LAST_WAITED, WAITED }; /* outputs of the simulator */
enum { BUSY_SHARE, SERVICE_TIME };                 /* outputs of the station */

/* SplitMix64 (Steele, Lea and Flood, 2014): all that is drawn comes from the seed of the input. */
static double exponential(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return -log(((double)(z >> 11) + 0.5) * 0x1p-53);
}

/* ---- simulator: one call is one replication */

static int32_t run(const ergode_input* input, const ergode_host* host) {
  const double arrival_rate = input->numbers[ARRIVAL_RATE], service_rate = input->numbers[SERVICE_RATE]; /* per hour */
  const long customers = (long)input->numbers[CUSTOMERS];
  uint64_t state = input->seed;
  double now = 0.0, free_at = 0.0, wait = 0.0, waited = 0.0; /* hours */
  for (long i = 0; i < customers; ++i) {
    if (i % 1024 == 1023) {
      if (host->cancelled(host->context)) return ERGODE_CANCELLED;
      if (i % 65536 == 65535) host->progress(host->context, (double)i / (double)customers);
    }
    now += exponential(&state) / arrival_rate;
    wait = free_at > now ? free_at - now : 0.0;
    free_at = now + wait + exponential(&state) / service_rate;
    waited += wait > 0.0;
    const double minutes = 60.0 * wait;
    host->observe(host->context, WAIT, &minutes, 1);
    if (i < 100) {
      const ergode_cell cells[4] = {
          {NULL, (double)i + 1.0}, {NULL, now}, {NULL, minutes}, {wait > 0.0 ? "busy" : "free", 0.0}};
      host->row(host->context, 0, cells, 4);
    }
  }
  const double response = 60.0 * (free_at - now), last_waited = wait > 0.0;
  host->observe(host->context, LAST_RESPONSE, &response, 1);
  host->observe(host->context, LAST_WAITED, &last_waited, 1);
  host->observe(host->context, WAITED, &waited, 1);
  return ERGODE_OK;
}

/* ---- station: driven by the clock of a drawn network, in seconds */

struct server {
  const ergode_host* host;
  double service_rate_per_s, busy_s, done_at;
  uint64_t state;
  uint64_t* jobs; /* a ring: the one in service is jobs[first] */
  size_t first, count, room;
};

static void begin_service(struct server* self, double now) {
  const double service_s = exponential(&self->state) / self->service_rate_per_s, minutes = service_s / 60.0;
  self->done_at = now + service_s;
  self->busy_s += service_s;
  self->host->observe(self->host->context, SERVICE_TIME, &minutes, 1);
}

static int32_t create(const ergode_input* input, const ergode_host* host, void** station) {
  struct server* self = calloc(1, sizeof *self);
  if (self == NULL) return ERGODE_FAILED;
  self->host = host;
  self->service_rate_per_s = input->numbers[SERVICE_RATE] / 3600.0;
  self->done_at = INFINITY;
  self->state = input->seed;
  *station = self;
  return ERGODE_OK;
}

static int32_t arrive(void* station, double now, uint64_t job, const double* attributes, double* next) {
  struct server* self = station;
  (void)attributes;
  if (self->count == self->room) {
    const size_t room = self->room > 0 ? 2 * self->room : 16;
    uint64_t* jobs = malloc(room * sizeof *jobs);
    if (jobs == NULL) return ERGODE_FAILED;
    for (size_t i = 0; i < self->count; ++i) jobs[i] = self->jobs[(self->first + i) % self->room];
    free(self->jobs);
    self->jobs = jobs, self->room = room, self->first = 0;
  }
  self->jobs[(self->first + self->count++) % self->room] = job;
  if (self->count == 1) begin_service(self, now);
  *next = self->done_at;
  return ERGODE_OK;
}

static int32_t advance(void* station, double now, double* next) {
  struct server* self = station;
  self->host->depart(self->host->context, self->jobs[self->first], NULL);
  self->first = (self->first + 1) % self->room;
  self->done_at = INFINITY;
  if (--self->count > 0) begin_service(self, now);
  *next = self->done_at;
  return ERGODE_OK;
}

static int32_t finish(void* station, double now) {
  struct server* self = station;
  const double left_s = self->count > 0 ? self->done_at - now : 0.0; /* of the service that goes on */
  const double share = now > 0.0 ? (self->busy_s - left_s) / now : 0.0;
  const double bounded = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share; /* rounding */
  self->host->observe(self->host->context, BUSY_SHARE, &bounded, 1);
  return ERGODE_OK;
}

static void destroy(void* station) {
  struct server* self = station;
  free(self->jobs);
  free(self);
}

/* ---- what the library offers */

static const ergode_simulator the_simulator = {sizeof(ergode_simulator), 0, run};
static const ergode_station the_station = {sizeof(ergode_station), 0, create, arrive, advance, finish, destroy};
static const ergode_plugin the_plugin = {
    sizeof(ergode_plugin), ERGODE_PLUGIN_ABI_MAJOR, ERGODE_PLUGIN_ABI_MINOR, 0, &the_simulator, &the_station};

const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major) {
  return host_abi_major == ERGODE_PLUGIN_ABI_MAJOR ? &the_plugin : NULL;
}
