"""Short ways to write and read events with boto3, shared by the suites."""

import datetime
import re

EVENT_ID = re.compile(r"[0-9]{19}#[0-9a-f]{8}")
# An hour ago, so that nothing is in the future yet and nothing has expired; a fraction that floats cannot hold.
START = (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)).replace(microsecond=346000)


def at(milliseconds):
    """One moment of the run plus some milliseconds: the order of events never hangs on how fast a test is."""
    return START + datetime.timedelta(milliseconds=milliseconds)


def milliseconds_of(moment):
    """Whole milliseconds since 1970, without the rounding of floats."""
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(milliseconds=1)


def say(text, role="USER"):
    """A conversational payload item."""
    return {"conversational": {"content": {"text": text}, "role": role}}


class Conversation:
    """One (memory, actor, session), written and listed through a boto3 data plane client."""

    def __init__(self, client, memory_id, actor_id="actor-1", session_id="session-1"):
        self.client = client
        self.ids = {"memoryId": memory_id, "actorId": actor_id, "sessionId": session_id}
        self._written = 0

    def write(self, *payload, when=None, **more):
        """CreateEvent, one second after the one before unless `when` says otherwise; the event."""
        if when is None:
            when = at(1000 * self._written)
        self._written += 1
        items = [say(item) if isinstance(item, str) else item for item in payload]
        return self.client.create_event(**self.ids, eventTimestamp=when, payload=items, **more)["event"]

    def page(self, **options):
        """One ListEvents call, as it answers."""
        return self.client.list_events(**self.ids, **options)

    def events(self, **options):
        """All events, newest first, over as many pages as there are."""
        pages = self.client.get_paginator("list_events").paginate(
            **self.ids, **{"maxResults": 100, **options}
        )
        return [event for page in pages for event in page["events"]]

    def oldest_first(self, **options):
        """All events in the order they happened."""
        return list(reversed(self.events(**options)))

    def texts(self, **options):
        """The text of the first item of each event, newest first."""
        return [event["payload"][0]["conversational"]["content"]["text"] for event in self.events(**options)]
