"""A tool that answers."""


def handler(event, _context):
    return {"city": event["input"]["city"], "degreesCelsius": 21}
