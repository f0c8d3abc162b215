"""What a million turns cost, from list prices and from the calls a turn makes. Run it for the tables of
docs/deploy.md; a test compares them with what stands there."""

from dataclasses import dataclass

MILLION = 1_000_000

# US dollars, us-east-1, November 2026.
EVENT = 0.25 / 1_000
WRITE_UNIT = 0.625 / MILLION
READ_UNIT = 0.125 / MILLION
LAMBDA_CALL = 0.20 / MILLION
LAMBDA_GB_SECOND = 0.0000133334
HTTP_CALL = 1.00 / MILLION
LOG_GB = 0.50
TRANSITION = 0.025 / 1_000

# A turn is a load and a store that gives the head of the load back.
MEMORY_GB = 0.25
LOAD_SECONDS = 0.1
STORE_SECONDS = 0.2
LOG_BYTES_A_CALL = 2_000
# The head is one write of up to a kilobyte, the context one consistent read of up to four.
WRITE_UNITS = 1
READ_UNITS = 1
CALLS = 2


@dataclass(frozen=True)
class Turn:
    """A kind of turn, by its messages."""

    name: str
    messages: int


TURNS = (Turn("question and answer", 2), Turn("with one tool call", 4), Turn("with five tool calls", 12))


def events(turn: Turn, layout: str) -> int:
    """The events of a turn: one a message, or one for all of them."""
    return turn.messages if layout == "message" else 1


def rows() -> list[tuple[str, float]]:
    """What does not depend on the layout, for a million turns."""
    seconds = LOAD_SECONDS + STORE_SECONDS
    return [
        ("DynamoDB", MILLION * (WRITE_UNITS * WRITE_UNIT + READ_UNITS * READ_UNIT)),
        ("Lambda", MILLION * (CALLS * LAMBDA_CALL + seconds * MEMORY_GB * LAMBDA_GB_SECOND)),
        ("HTTP API", MILLION * CALLS * HTTP_CALL),
        ("logs", MILLION * CALLS * LOG_BYTES_A_CALL / 1e9 * LOG_GB),
    ]


def total(turn: Turn, layout: str) -> float:
    """A million turns."""
    return MILLION * events(turn, layout) * EVENT + sum(cost for _, cost in rows())


def turns_table() -> str:
    """A million turns of each kind, in both layouts."""
    lines = [
        "| a million turns | messages | AgentCore, `message` | AgentCore, `turn` | all, `message` | all, `turn` |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for turn in TURNS:
        log = [MILLION * events(turn, layout) * EVENT for layout in ("message", "turn")]
        all_ = [total(turn, layout) for layout in ("message", "turn")]
        cells = " | ".join(f"${cost:,.2f}" for cost in log + all_)
        lines.append(f"| {turn.name} | {turn.messages} | {cells} |")
    return "\n".join(lines)


def rest_table() -> str:
    """What all turns have in common."""
    lines = ["| a million turns, besides AgentCore | |", "|---|--:|"]
    lines += [f"| {name} | ${cost:,.2f} |" for name, cost in rows()]
    lines.append(f"| together | ${sum(cost for _, cost in rows()):,.2f} |")
    return "\n".join(lines)


def extras_table() -> str:
    """What some turns have in addition."""
    # A transaction writes head and key, each at twice the units; the store without a head reads both before.
    key = MILLION * ((4 - WRITE_UNITS) * WRITE_UNIT + 2 * READ_UNIT)
    lines = [
        "| in addition, a million turns | |",
        "|---|--:|",
        f"| an `Idempotency-Key` and no head | ${key:,.2f} |",
        f"| `chat-turn` as a standard workflow, 4 transitions | ${MILLION * 4 * TRANSITION:,.2f} |",
        f"| `agent-turn` as a standard workflow, one tool call, 13 transitions | ${MILLION * 13 * TRANSITION:,.2f} |",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print("\n\n".join((turns_table(), rest_table(), extras_table())))
