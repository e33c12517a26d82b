"""Who may do what.

An app that only its own machine can reach belongs to whoever sits there. An app that others can reach has a secret, as
a notebook server has: the server prints an address that holds it, and whoever has opened that address in a browser is
the **teacher** there. Everybody else walks, predicts, compares, writes scenarios in the browser and votes; only the
teacher saves into the folder, uses Spark, reads the files of the server, and asks the class.

The browser keeps the secret in a cookie that no script can read. The server keeps it in memory; nothing is written.
"""

import hmac
import ipaddress
import secrets
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote, unquote

VARIABLE: Final = "TIDEMARK_SECRET"
"""The environment variable that sets the secret: the address then stays the same from one start to the next. An app
behind a proxy, which sees every visitor as one of its own machine, needs it."""

ORIGIN: Final = "TIDEMARK_ORIGIN"
"""The environment variable with the origin at which a proxy shows the app, ``https://course.example``: needed where the
proxy does not pass on the name that the browser asked for."""

LINK: Final = "teacher"
"""The name of the secret in an address."""

SHORTEST: Final = 16
"""The fewest characters of a secret of one's own; a shorter one could be found by trying."""

LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "::1")
"""The names by which a machine calls itself."""


class WeakSecret(Exception):
    """The secret in ``VARIABLE`` is shorter than ``SHORTEST``, or no text."""


class _Roles:
    """What was decided at the start; nobody needs a secret until then, nor outside a server."""

    secret = ""
    cookie = ""
    cookies: Callable[[], Mapping[str, str]] = dict
    framed: Callable[[], object] = bool
    machine: Callable[[], str] = str


_roles: Final = _Roles()


def is_local(address: str | None) -> bool:
    """Whether a server that listens at ``address`` can be reached from its own machine alone; None: from everywhere."""
    if address is None or address == "localhost":
        return address == "localhost"
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


def secret_for(address: str | None, environment: Mapping[str, str]) -> str:
    """The secret of a server that listens at ``address``; "" if it needs none. Raises ``WeakSecret``."""
    own = environment.get(VARIABLE, "")
    # A byte that is no UTF-8 is a lone surrogate here, which no address and no cookie can hold.
    if own and (len(own) < SHORTEST or not own.isprintable()):
        raise WeakSecret
    return own or ("" if is_local(address) and not environment.get(ORIGIN) else secrets.token_urlsafe(18))


def require(
    secret: str,
    port: int,
    cookies: Callable[[], Mapping[str, str]],
    machine: Callable[[], str] = str,
    framed: Callable[[], object] = bool,
) -> None:
    """From now on only whoever holds ``secret`` is the teacher; "": everybody is.

    ``cookies`` and ``machine`` return the cookies and the address of the visitor on whose behalf the calling thread
    works, ``framed`` whether the page is shown in a frame, where the page around it decides what is clicked. The
    cookie's name has the port, since a browser sends the cookies of one server to all others on the machine.
    """
    _roles.secret, _roles.cookie, _roles.cookies = secret, f"tidemark_teacher_{port}", staticmethod(cookies)
    _roles.machine, _roles.framed = staticmethod(machine), staticmethod(framed)


def required() -> bool:
    """Whether the teacher needs a secret here."""
    return bool(_roles.secret)


def cookie() -> str:
    """The name of the cookie that holds the secret."""
    return _roles.cookie


def holds(given: str | None) -> bool:
    """Whether ``given`` is the secret."""
    return bool(_roles.secret) and hmac.compare_digest((given or "").encode("utf-8", "replace"), _roles.secret.encode())


def kept(secret: str) -> str:
    """``secret`` as the value of a cookie, which cannot hold every character."""
    return quote(secret, safe="")


def is_kept(value: str | None) -> bool:
    """Whether ``value``, that of the cookie, is the secret."""
    return holds(unquote(value or ""))


def is_teacher() -> bool:
    """Whether the visitor on whose behalf this thread works may do everything. Nobody may in a frame."""
    return not _roles.framed() and (not _roles.secret or is_kept(_roles.cookies().get(_roles.cookie)))


def who() -> str:
    """Whose share of the server's memory the calling thread uses: the teacher's, or that of the visitor's machine.

    A machine, not a page: whoever opens many pages has no more than the others.
    """
    return "the teacher" if required() and is_teacher() else _roles.machine()
