"""An inference server with continuous batching, as a simulator and as a station of drawn networks.

An iteration takes base_time + batch * time_per_request and makes one token for each request of the batch. Requests join at
the boundaries of iterations, in the order of arrival, up to max_batch, and leave after their last token (Orca, OSDI 2022).
"""
import math
import random
from collections import deque

from ergode_plugin import serve


class Batch:
    """The server alone; times in seconds."""

    def __init__(self, parameters):
        self.most = parameters["max_batch"]
        self.base_s = parameters["base_time"] / 1000.0
        self.each_s = parameters["time_per_request"] / 1000.0
        self.waiting = deque()  # [name, arrived, tokens left, first token at]
        self.running = []
        self.ends_at = None
        self.iterations = self.served = 0

    def add(self, name, now, tokens):
        self.waiting.append([name, now, tokens, None])
        if self.ends_at is None:
            self._begin(now)

    def _begin(self, now):
        while self.waiting and len(self.running) < self.most:
            self.running.append(self.waiting.popleft())
        self.ends_at = now + self.base_s + len(self.running) * self.each_s if self.running else None

    def end_iteration(self):
        """Goes to the end of the iteration; returns those that are whole, and those that got their first token."""
        now, first, whole = self.ends_at, [], []
        self.iterations += 1
        self.served += len(self.running)
        for one in self.running:
            one[2] -= 1
            if one[3] is None:
                one[3] = now
                first.append(one)
            if one[2] <= 0:
                whole.append(one)
        self.running = [one for one in self.running if one[2] > 0]
        self._begin(now)
        return whole, first


def run(parameters, seed, replication, host):
    draw = random.Random(seed)
    batch = Batch(parameters)
    left, arrives, made, slowest, now = parameters["requests"], 0.0, 0, 0.0, 0.0
    stop = 1.0 / parameters["mean_tokens"]
    arrives = draw.expovariate(parameters["request_rate"])
    while left > 0 or batch.ends_at is not None:
        if left > 0 and (batch.ends_at is None or arrives <= batch.ends_at):
            tokens = 1 if stop >= 1.0 else 1 + int(math.log(1.0 - draw.random()) / math.log1p(-stop))
            batch.add(tokens, arrives, tokens)
            arrives += draw.expovariate(parameters["request_rate"])
            left -= 1
            continue
        now = batch.ends_at
        made += len(batch.running)
        whole, first = batch.end_iteration()
        if first:
            host.observe("first_token", *[one[3] - one[1] for one in first])
        for tokens, arrived, _, first_at in whole:
            host.observe("latency", now - arrived)
            host.row("requests", arrived, tokens, first_at, now)
            slowest = max(slowest, now - arrived)
        if batch.iterations % 1000 == 0:
            host.check()
    host.observe("throughput", made / now)
    host.observe("within_ten_seconds", 1 if slowest <= 10.0 else 0)


class Station:
    def __init__(self, parameters, seed, replication, host):
        self.batch, self.host = Batch(parameters), host

    def arrive(self, now, job, attributes):
        self.batch.add(job, now, max(1, math.ceil(attributes[0])))
        return self.batch.ends_at

    def advance(self, now):
        whole, first = self.batch.end_iteration()
        if first:
            self.host.observe("first_token", *[one[3] - one[1] for one in first])
        for one in whole:
            self.host.depart(one[0])
        return self.batch.ends_at

    def finish(self, now):
        batch = self.batch
        self.host.observe("mean_batch", batch.served / batch.iterations if batch.iterations else 0.0)


if __name__ == "__main__":
    serve(run=run, station=Station)
