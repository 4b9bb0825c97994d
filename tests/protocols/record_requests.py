"""Runs a program in Python from standard input, and writes the status of each answer to standard error."""

import sys

import requests

send = requests.Session.send


def recorded(*arguments, **named):
    answer = send(*arguments, **named)
    print("STATUS", answer.status_code, file=sys.stderr)
    return answer


requests.Session.send = recorded
exec(compile(sys.stdin.read(), "snippet", "exec"), {"__name__": "__main__"})  # noqa: S102
