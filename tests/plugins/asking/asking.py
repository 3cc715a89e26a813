"""Asks other plugins what a file says, and tells the answers."""
import json
import time

from ergode_plugin import TargetFailed, serve


def run(parameters, seed, replication, host):
    time.sleep(parameters["delay"])
    if parameters["delay"] > 0:
        host.tell("I slept.", "warning", "/parameters/delay")
    questions = json.load(open(parameters["questions"])) if parameters["questions"] else []
    for question in questions:
        if "raw" in question:
            host._say(**question["raw"])
            host.flush()
            continue
        try:
            answer = host.measure(**question)
            host.observe("answers", answer)
            host.row("answers", answer, "")
        except TargetFailed as why:
            if not parameters["goes_on"]:
                raise
            host.row("answers", None, str(why))
    host.observe("slept", parameters["delay"])
    host.observe("draw", seed % 1000)


serve(run=run)
