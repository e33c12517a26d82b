"""The process that does long work for the server: ``python -m ui.server.process FD``.

It says None once it has started. Then it reads orders (language, function, arguments) from the connection whose file
descriptor is its argument, answers each with (whether it was done, result or exception), and ends with the connection.
It has lower priority than the server and a limited memory; the server ends it at any moment.
"""

import os
import resource
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Thread
from typing import Final

from tidemark.simulator.limits import ORDER_BYTES
from tidemark.simulator.words import speak

NICER: Final = 10


def answer(connection: Connection) -> None:
    """Do one order. Raises ``EOFError`` once the server is gone."""
    language, function, arguments = connection.recv()
    speak(language)
    try:
        answered = (True, function(*arguments))
    except Exception as error:
        answered = (False, error)
    connection.send(answered)


def _end_with_server(server: int) -> None:
    while os.getppid() == server:
        time.sleep(1)
    os._exit(0)


def main() -> None:
    """Until the server is gone."""
    os.nice(NICER)
    # The server may be killed while an order runs; nobody would read the answer.
    Thread(target=_end_with_server, args=(os.getppid(),), daemon=True).start()
    with suppress(ValueError, OSError):  # where the system has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (ORDER_BYTES, ORDER_BYTES))
    with Connection(int(sys.argv[1])) as connection, suppress(EOFError, BrokenPipeError):
        connection.send(None)  # it has started: the time of the first order begins
        while True:
            answer(connection)


if __name__ == "__main__":
    main()
