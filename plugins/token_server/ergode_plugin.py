"""The messages between Ergode and a plugin, for Python: standard library only. See plugins/README.md.

A plugin hands its capabilities to serve():

    def run(parameters, seed, replication, host): ...      # one replication; host.observe("wait", 1.5)
    class Station:
        def __init__(self, parameters, seed, replication, host): ...
        def arrive(self, now, job, attributes): return next_time      # None: nothing to wait for
        def advance(self, now): host.depart(job); return next_time
        def finish(self, now): host.observe(...)

    serve(run=run, station=Station)

What is printed goes to standard error: standard output is for messages. An exception is reported as a failure.
"""
import json
import os
import select
import sys
import traceback


class Cancelled(Exception):
    """Raised by Host.check() when nobody waits for the run any more."""


class TargetFailed(Exception):
    """Of Host.measure(): the plugin that was asked failed, or the question is none. Not caught, the host says why."""


class Host:
    """What a plugin may say while a call goes on."""

    def __init__(self, out, answers):
        self._out, self._answers = out, answers
        self._lines, self._cancelled = [], False

    def observe(self, output, *values):
        """Observations of an output, by its name in plugin.json."""
        self._say(message="observe", output=output, values=values)

    def row(self, table, *cells):
        self._say(message="row", table=table, cells=cells)

    def tell(self, text, severity="info", pointer=""):
        self._say(message="tell", severity=severity, pointer=pointer, text=text)

    def progress(self, share):
        self._say(message="progress", share=share)
        self.flush()

    def depart(self, job, attributes=None):
        """Within advance(): a customer leaves the station now."""
        if attributes is None:
            self._say(message="depart", job=job)
        else:
            self._say(message="depart", job=job, attributes=list(attributes))

    def check(self):
        """Call it a few times a second in long runs: raises Cancelled when the run should end."""
        if self._cancelled or select.select([0], [], [], 0)[0]:
            raise Cancelled

    def measure(self, plugin, output, parameters=None, files=None, seed=0, pointer=""):
        """Within run(), if plugin.json says "measures_targets": runs another plugin's simulator once and waits.

        The output is of the target's plugin.json, of observations the mean. Parameters that are left out have their
        defaults; files are paths. What the target draws depends on the seed, below 2^53. `pointer` is what of the own
        input asks ("/parameters/target"), for messages.
        """
        self._say(message="measure", plugin=plugin, output=output, parameters=parameters or {}, files=files or {},
                  seed=seed, pointer=pointer)
        self.flush()
        while line := self._answers.readline():
            answer = json.loads(line)
            if answer["message"] == "cancel":  # the answer comes all the same
                self._cancelled = True
            elif answer["message"] == "measured" and not self._cancelled:
                return answer["value"]
            elif self._cancelled or answer.get("cancelled"):
                raise Cancelled
            else:
                raise TargetFailed(answer["text"])
        raise Cancelled

    def _say(self, **message):
        self._lines.append(json.dumps(message, allow_nan=False))
        if len(self._lines) > 1000:
            self.flush()

    def flush(self):
        if self._lines:
            self._out.write(("\n".join(self._lines) + "\n").encode())
            self._out.flush()
            self._lines.clear()


def serve(run=None, station=None):
    """Answers messages until there are no more."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints, also in libraries, is no message
    parameters, present = {}, None
    # Unbuffered: what is not read yet must be seen by Host.check().
    with open(0, "rb", buffering=0, closefd=False) as lines:
        host = Host(out, lines)
        while line := lines.readline():
            message = json.loads(line)
            what = message["message"]
            try:
                if what == "start":
                    parameters = message["parameters"]
                    host._say(message="ready", protocol=1, simulator=run is not None, station=station is not None)
                elif what == "run":
                    host._cancelled = False
                    run(parameters, message["seed"], message["replication"], host)
                    host._say(message="done")
                elif what == "create":
                    present = station(parameters, message["seed"], message["replication"], host)
                    host._say(message="next", at=None)
                elif what == "arrive":
                    host._say(message="next", at=present.arrive(message["at"], message["job"], message["attributes"]))
                elif what == "advance":
                    host._say(message="next", at=present.advance(message["at"]))
                elif what == "finish":
                    present.finish(message["at"])
                    host._say(message="done")
            except Cancelled:
                host._say(message="cancelled")
            except Exception as wrong:  # whatever it is, the host hears of it
                traceback.print_exc(file=sys.stderr)
                host._say(message="failed", text=f"{type(wrong).__name__}: {wrong}")
            host.flush()
