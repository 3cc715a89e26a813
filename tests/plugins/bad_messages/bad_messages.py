"""A program that answers in ways that are no messages: `how` says which, in replication or at arrival `at`."""
import json
import os
import random
import sys
import time

how, at = "well", 0

GOOD = [
    '{"message":"observe","output":"draw","values":[0.25]}',
    '{"message":"observe","output":0,"values":[0.25,1e3]}',
    '{"message":"tell","severity":"warning","pointer":"/parameters/at","text":"a word"}',
    '{"message":"row","table":"none","cells":[1,"two",null]}',
    '{"message":"depart","job":3,"attributes":[1]}',
    '{"message":"next","at":1.5}',
    '{"message":"progress","share":0.5}',
    '{"message":"failed","text":"no"}',
    '{"message":"done"}',
]
PIECES = ["{", "}", "[", "]", '"', ":", ",", "null", "-1", "1e999", "true", '"output"', '"values"', "\\u0000", "\\ud800", "\x00", "é", "18446744073709551616"]


def mutated(seed):
    """A good message with some letters taken away, doubled, or put in place of others."""
    draw = random.Random(seed)
    text = draw.choice(GOOD)
    for _ in range(draw.randint(1, 4)):
        i = draw.randrange(len(text))
        j = min(len(text), i + draw.randint(0, 6))
        text = text[:i] + draw.choice([draw.choice(PIECES), text[i:j] * 2, ""]) + text[j:]
    return text.replace("\n", " ")


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def misbehave(seed):
    answers = {
        "no_json": "hello, world",
        "half_json": '{"message":"done"',
        "a_list": "[1, 2]",
        "a_number": '{"message":7}',
        "unknown": '{"message":"dance"}',
        "deep": "[" * 100000,
        "bytes": '{"message":"done\x00"}',
        "values": '{"message":"observe","output":"draw","values":7}',
        "words": '{"message":"observe","output":"draw","values":["seven"]}',
        "stranger": '{"message":"observe","output":"drawn","values":[7]}',
        "negative": '{"message":"observe","output":-1,"values":[7]}',
        "cells": '{"message":"row","table":"nothing","cells":[7]}',
        "nan": '{"message":"next","at":NaN}',
        "infinite": '{"message":"next","at":1e999}',
        "past": '{"message":"next","at":-1}',
        "no_time": '{"message":"next"}',
        "early": '{"message":"next","at":null}',
    }
    if how == "mutated":
        say(mutated(seed))
    if how == "answers_twice":
        sys.stdout.write('{"message":"observe","output":"draw","values":[0.5]}\n{"message":"done"}\n' * 2)
        sys.stdout.flush()
        return True
    if how in answers:
        say(answers[how])
    if how == "long_line":
        sys.stdout.write("x" * (40 << 20))
        sys.stdout.flush()
    if how.startswith("half_and"):
        sys.stdout.write('{"message":"obs')
        sys.stdout.flush()
        if how == "half_and_leaves":
            os._exit(0)
        os.close(1)
        time.sleep(60)
    if how == "leaves":
        sys.exit(3)
    if how == "closes":
        os.close(1)
        time.sleep(60)
    if how == "forks":  # what it leaves behind holds its output open
        if os.fork() == 0:
            time.sleep(60)
        os.kill(os.getpid(), 11)
    if how in ("daemon_and_hangs", "daemon_and_dies", "daemon_and_stops"):  # in a session of its own, without a parent
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        if how == "daemon_and_hangs":
            os.setsid()
            time.sleep(600)
        if how == "daemon_and_dies":
            os.kill(os.getpid(), 11)
        sys.exit(3)
    if how == "departs":
        while True:
            say('{"message":"depart","job":0}')
    if how == "progress":
        while True:
            say('{"message":"progress","share":0.5}')


for line in sys.stdin:
    message = json.loads(line)
    if message["message"] == "start":
        how, at = message["parameters"]["how"], message["parameters"]["at"]
        if how == "not_ready":
            say('{"message":"done"}')
        elif how == "other_protocol":
            say('{"message":"ready","protocol":2}')
        elif how == "mute":
            time.sleep(600)
        elif how == "no_start":
            sys.exit("cannot find my libraries")
        else:
            say('{"message":"ready","protocol":1}')
        continue
    what = message["message"]
    if what == "create":
        seed, arrivals = message["seed"], 0
        say('{"message":"next","at":null}')
    elif what == "arrive":  # everybody leaves at once
        if arrivals == at:
            misbehave(seed)
        arrivals += 1
        say('{"message":"depart","job":%d}' % message["job"])
        say('{"message":"next","at":null}')
    elif what == "finish":
        say('{"message":"observe","output":"served","values":[%d]}' % arrivals)
        say('{"message":"done"}')
    elif what == "run":
        if message["replication"] == at:
            if misbehave(message["seed"]):
                continue
        say('{"message":"observe","output":"draw","values":[%r]}' % (message["seed"] % 1000 / 1000))
        say('{"message":"done"}')
