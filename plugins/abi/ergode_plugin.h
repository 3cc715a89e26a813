/* The plugin interface of Ergode: plain C11, also C++20. This header is all that a plugin sees.
 *
 * A plugin is a folder with plugin.json (the manifest: manifest.schema.json) and a shared library that exports one
 * symbol:
 *
 *     const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major);
 *
 * It offers a simulator (runs replications of a model of its own), a station (serves customers of a drawn network,
 * whose clock drives it), or both. plugins/template is a whole one to copy.
 *
 * Rules of the line between the two sides:
 *   - Every struct begins with its size in bytes as whoever made it knows it, and only grows at its end. Before reading
 * a field that was not in version 1.0, ask ERGODE_HAS(). The major version changes only when a field changes its
 * meaning.
 *   - No exception, FILE*, lock or ownership of memory crosses. Pointers are borrowed for the one call they are given
 * to; the input's and the host's of create() hold until destroy().
 *   - Texts are UTF-8 and end in 0. Numbers are in the units that the manifest says; times of stations in seconds.
 *   - Outputs, tables, parameters and attributes are named by their index in the manifest's lists, from 0.
 *   - A call comes from one thread at a time, unless the manifest says "reentrant": then several threads may call at
 *     once, each with stations of its own. What a call does depends on its arguments and what it was called with before
 *     for this run or station: same input, seed and calls give the same bits, in whatever process and after whatever
 *     other runs.
 */
#ifndef ERGODE_PLUGIN_H
#define ERGODE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERGODE_PLUGIN_ABI_MAJOR 1
#define ERGODE_PLUGIN_ABI_MINOR 1

/* For the one symbol of a library that hides all others (-fvisibility=hidden). */
#if defined(__GNUC__)
#define ERGODE_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define ERGODE_PLUGIN_EXPORT
#endif

/* Whether the struct that `pointer` points to was made by somebody who knows the field. */
#define ERGODE_HAS(type, pointer, field) ((pointer)->size >= offsetof(type, field) + sizeof((pointer)->field))

/* What a function came to. */
#define ERGODE_OK 0
#define ERGODE_FAILED 1    /* say why by tell() with ERGODE_ERROR before */
#define ERGODE_CANCELLED 2 /* because cancelled() was not 0 */

/* Severities of tell(). */
#define ERGODE_INFO 0
#define ERGODE_WARNING 1
#define ERGODE_ERROR 2

/* A cell of a table's row: a text, or a number where `text` is null. Never grows. */
typedef struct ergode_cell {
  const char* text;
  double number; /* in the column's unit; not finite: there is none */
} ergode_cell;

/* What is asked: the parameters of the manifest with their values, checked against its types, units and bounds. */
typedef struct ergode_input {
  uint32_t size;
  uint32_t number_count; /* parameters in the manifest */
  const double* numbers; /* by parameter: in its unit; booleans 0 or 1, choices their index, files 0 */
  const char* json;      /* the same as an object, name to value: numbers, true or false, words, paths of files */
  size_t json_size;      /* bytes, without the 0 */
  uint64_t seed;         /* of all that this run draws; below 2^53; another one for each replication and station */
  uint64_t replication;  /* number of the replication, from 0 */
  /* Fields are appended here. */
} ergode_input;

/* What a simulator asks of another plugin, its target: one replication of the target's simulator. */
typedef struct ergode_question {
  uint32_t size;
  uint32_t reserved;      /* 0 */
  const char* plugin;     /* the target's name */
  const char* output;     /* of its manifest: what is wanted; of observations their mean */
  const char* parameters; /* object, name to number in the unit of its manifest, true or false, or what --set takes;
                             those left out have their defaults; null: all have */
  const char* files;      /* object, name of a parameter that is a file to a path; null: none */
  const char* pointer;    /* what of the own input asks this, for messages: "/parameters/target"; null: nothing */
  uint64_t seed;          /* of all that the target draws; below 2^53 */
  /* Fields are appended here. */
} ergode_question;

/* What the host offers. Functions take its context as their first argument; no pointer that they get is kept. */
typedef struct ergode_host {
  uint32_t size;
  uint32_t abi_minor; /* of the host */
  void* context;
  /* Not 0: whoever waits wants no more. Ask every 0.1 s or so, and return ERGODE_CANCELLED. Cheap. */
  int32_t (*cancelled)(void* context);
  /* How much of this run is done, 0 to 1. Whoever says it often pays for it; ten times a second is plenty. */
  void (*progress)(void* context, double share);
  /* Observations of an output, finite. Outputs of kind value, count and indicator have one in each run. */
  void (*observe)(void* context, uint32_t output, const double* values, size_t count);
  /* A row of a table: as many cells as it has columns. Kept of replication 0. */
  void (*row)(void* context, uint32_t table, const ergode_cell* cells, size_t count);
  /* A sentence for people. `pointer` says what it is about ("/parameters/rate"), or is null. */
  void (*tell)(void* context, int32_t severity, const char* pointer, const char* text);
  /* Of stations, within arrive() or advance(): a customer leaves now. `attributes` as in arrive(), or null: unchanged.
   */
  void (*depart)(void* context, uint64_t job, const double* attributes);
  /* Since 1.1. Of simulators whose manifest says "measures_targets", within run(): asks another plugin and waits;
   * `value` gets the answer, finite, in the unit of the target's manifest. The same question has the same answer. The
   * target has its own process and time limit; its time is not the asker's. ERGODE_FAILED: it failed, or the question
   * is none, which the host says where run() then returns ERGODE_FAILED without a word, or warns of where it goes on.
   * ERGODE_CANCELLED: return that. Null: not offered here, as to stations and to whoever is a target itself. */
  int32_t (*measure)(void* context, const ergode_question* question, double* value);
  /* Fields are appended here. */
} ergode_host;

/* A simulator: one call is one replication. */
typedef struct ergode_simulator {
  uint32_t size;
  uint32_t reserved; /* 0 */
  int32_t (*run)(const ergode_input* input, const ergode_host* host);
  /* Fields are appended here. */
} ergode_simulator;

/* A station: an object that customers enter and leave while the network's clock moves on. Times are seconds since
 * create(), never less than in the call before, by a clock that stands while the model says that the station is down:
 * that it was goes unseen. `next` gets the time at which the station wants
 * advance() next, not before now; infinity: when somebody arrives. Any number of customers may leave in one advance();
 * it is called exactly at `next`, or not at all where somebody arrived in between and `next` moved. A host may
 * call millions of times a second: no texts, no allocation per call. */
typedef struct ergode_station {
  uint32_t size;
  uint32_t reserved; /* 0 */
  int32_t (*create)(const ergode_input* input, const ergode_host* host, void** station);
  /* `job` is a number that no other customer present here has. `attributes`: one number for each attribute of the
   * manifest, in its unit. */
  int32_t (*arrive)(void* station, double now, uint64_t job, const double* attributes, double* next);
  int32_t (*advance)(void* station, double now, double* next);
  /* The replication ends: observe() what was measured. Customers may still be here. */
  int32_t (*finish)(void* station, double now);
  void (*destroy)(void* station);
  /* Fields are appended here. */
} ergode_station;

/* What a library offers. */
typedef struct ergode_plugin {
  uint32_t size;
  uint32_t abi_major; /* ERGODE_PLUGIN_ABI_MAJOR of the header it was built with */
  uint32_t abi_minor;
  uint32_t reserved;                 /* 0 */
  const ergode_simulator* simulator; /* null: none */
  const ergode_station* station;     /* null: none */
  /* Fields are appended here. */
} ergode_plugin;

/* The one symbol of a library. What it returns is static. Null: this host's major version is not one it knows. */
ERGODE_PLUGIN_EXPORT const ergode_plugin* ergode_plugin_entry(uint32_t host_abi_major);
typedef const ergode_plugin* (*ergode_plugin_entry_function)(uint32_t host_abi_major);

#ifdef __cplusplus
}
#endif

#endif
