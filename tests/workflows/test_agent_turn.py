"""agent-turn, by what the conversation is afterwards."""

import json

from model import assistant, call, user


def text_of(message):
    return "".join(block.get("text", "") for block in message["content"])


def tool_results(message):
    return [block["toolResult"] for block in message["content"] if "toolResult" in block]


def failures(deployment, execution):
    events = deployment.events(execution)
    return [event["taskFailedEventDetails"]["error"] for event in events if event["type"] == "TaskFailed"]


def test_two_tools_and_one_that_fails(deployment, model, conversation):
    calls = [call("t1", "weather", city="Lisbon"), call("t2", "broken", page=3), call("t3", "teapot")]
    model.answers([{"text": "Let me look."}, *calls], [call("t4", "clock")], "It is warm, and the archive is closed.")
    tools = [deployment.tool(name) for name in ("weather", "broken", "clock")]
    given = {**conversation, "prompt": "How is Lisbon?", "instructions": "Be brief.", "tools": tools, "maxTokens": 500}
    output = deployment.run("agent-turn", given)

    assert output["reply"] == "It is warm, and the archive is closed."
    assert (output["stopReason"], output["rounds"], output["stored"]) == ("end_turn", 3, 6)
    stored = deployment.messages(conversation)
    assert [message["role"] for message in stored] == ["user", "assistant"] * 3
    assert stored[0] == user("How is Lisbon?")
    assert stored[1] == {"role": "assistant", "content": [{"text": "Let me look."}, *calls]}
    weather, broken, teapot = tool_results(stored[2])
    assert weather == {
        "toolUseId": "t1",
        "status": "success",
        "content": [{"json": {"city": "Lisbon", "degreesCelsius": 21}}],
    }
    assert (broken["toolUseId"], broken["status"]) == ("t2", "error")
    # The name before it is the exception's own on Lambda, and one for all on ministack.
    assert broken["content"][0]["text"].endswith(": the archive is closed")
    assert teapot == {
        "toolUseId": "t3",
        "status": "error",
        "content": [{"text": "There is no tool named teapot."}],
    }
    assert tool_results(stored[4])[0]["content"] == [{"text": "a quarter past nine"}]
    assert stored[5] == assistant("It is warm, and the archive is closed.")

    asked = model.requests()
    assert [len(request["messages"]) for request in asked] == [1, 3, 5]
    assert asked[2]["messages"] == stored[:5]
    assert asked[0]["system"] == [{"text": "Be brief."}]
    assert asked[0]["inferenceConfig"] == {"maxTokens": 500}
    spec = asked[0]["toolConfig"]["tools"][0]["toolSpec"]
    assert spec == {
        "name": "weather",
        "description": "A tool.",
        "inputSchema": {"json": {"type": "object", "properties": {}}},
    }


def test_the_next_turn_sees_the_tools_of_the_one_before(deployment, model, conversation):
    model.answers([call("t1", "clock")], "It is late.", "Still late.")
    tools = [deployment.tool("clock")]
    deployment.run("agent-turn", {**conversation, "prompt": "What time is it?", "systemMessage": "Be exact.", "tools": tools})
    output = deployment.run("agent-turn", {**conversation, "prompt": "And now?", "tools": tools})
    assert output["reply"] == "Still late."
    assert len(deployment.messages(conversation)) == 6
    last = model.requests()[-1]
    assert [message["role"] for message in last["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    assert last["messages"][1]["content"] == [call("t1", "clock")]
    assert last["system"] == [{"text": "Be exact."}], "the stored system message is the model's"


def test_blocks_of_every_kind_reach_the_memory_and_the_model(deployment, model, conversation):
    picture = {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://pictures/dog.png"}}}}
    begin = {"role": "user", "content": [{"text": "What is this?"}, picture, {"cachePoint": {"type": "default"}}]}
    thought = {"reasoningContent": {"reasoningText": {"text": "Four legs.", "signature": "c2lnbmVk"}}}
    looked = call("t1", "weather", city="Rome", deepInside={"camelCase": [1, {"snake_case": None}], "UPPER": {}})
    model.answers([thought, looked], [thought, {"text": "A dog."}], "As I said.")
    tools = [deployment.tool("weather")]
    deployment.run("agent-turn", {**conversation, "messages": [begin], "tools": tools})
    stored = deployment.messages(conversation)
    assert stored[0] == begin
    assert stored[1]["content"] == [thought, looked]
    assert stored[3]["content"] == [thought, {"text": "A dog."}]
    deployment.run("agent-turn", {**conversation, "prompt": "Sure?", "tools": tools})
    assert model.requests()[-1]["messages"] == [*stored, user("Sure?")]


def test_a_turn_has_only_so_many_rounds(deployment, model, conversation):
    model.answers([call("t0", "clock")], [call("t1", "clock")])
    given = {**conversation, "prompt": "Again and again", "tools": [deployment.tool("clock")], "maxRounds": 2}
    output = deployment.run("agent-turn", given)
    assert (output["stopReason"], output["rounds"], output["reply"]) == ("max_rounds", 2, "")
    stored = deployment.messages(conversation)
    assert len(stored) == 5
    refused = tool_results(stored[4])[0]
    assert (refused["toolUseId"], refused["status"]) == ("t1", "error")

    # The conversation ends with the tools' side now, which is the user's: the next turn goes on from there.
    model.answers("Enough.")
    deployment.run("agent-turn", {**conversation, "prompt": "Stop", "tools": [deployment.tool("clock")]})
    last = model.requests()[-1]["messages"]
    assert [message["role"] for message in last] == ["user", "assistant"] * 2 + ["user"]
    assert last[-1]["content"][-1] == {"text": "Stop"}
    assert deployment.messages(conversation)[-1] == assistant("Enough.")


def test_a_writer_in_between_is_seen_and_nothing_is_done_twice(deployment, model, conversation):
    model.answers([call("t1", "interrupt", says="I moved to Porto")], "Too early an answer.", "So you live in Porto.")
    given = {**conversation, "prompt": "Where do I live?", "tools": [deployment.tool("interrupt")]}
    output = deployment.run("agent-turn", given)
    assert output["reply"] == "So you live in Porto."
    stored = deployment.messages(conversation)
    assert stored[:2] == [user("I moved to Porto"), assistant("Noted.")], "the other one came first"
    assert stored[2] == user("Where do I live?")
    assert tool_results(stored[4])[0]["content"] == [{"text": "2 messages of someone else"}]
    assert stored[5] == assistant("So you live in Porto.")
    assert len(stored) == 6, "the answer that was taken back is not there"
    assert model.requests()[-1]["messages"] == stored[:5]


def test_throttling_is_waited_out(deployment, model, conversation):
    model.answers("Here I am.")
    model.goes_wrong(
        {"operation": "*", "actorId": conversation["actorId"], "action": "throttle"},
        {"operation": "Converse", "times": 2, "action": "throttle"},
    )
    execution = deployment.start("agent-turn", {**conversation, "prompt": "Are you there?"})
    # The functions repeat their own calls as long as their time allows; only then it is the workflow's turn.
    deployment.wait_for(lambda: "Throttled" in failures(deployment, execution))
    model.goes_wrong({"operation": "Converse", "times": 2, "action": "throttle"})
    described = deployment.finish(execution)
    assert described["status"] == "SUCCEEDED", described
    assert deployment.messages(conversation) == [user("Are you there?"), assistant("Here I am.")]
    assert failures(deployment, execution).count("BedrockRuntime.ThrottlingException") == 2


def test_a_lost_answer_of_the_memory_stores_the_turn_once(deployment, model, conversation):
    model.answers("Once.")
    model.goes_wrong(
        {"operation": "CreateEvent", "actorId": conversation["actorId"], "times": 1, "action": "lostAnswer"},
        {"operation": "CreateEvent", "actorId": conversation["actorId"], "nth": 3, "action": "error500After"},
    )
    deployment.run("agent-turn", {**conversation, "prompt": "Only once, please"})
    assert deployment.messages(conversation) == [user("Only once, please"), assistant("Once.")]


def test_a_refusal_that_is_no_overflow_fails_and_stores_nothing(deployment, model, conversation):
    broken = {**conversation, "messages": [{"role": "assistant", "content": [{"text": "I begin"}]}]}
    described = deployment.finish(deployment.start("agent-turn", broken))
    assert (described["status"], described["error"]) == ("FAILED", "ModelRefused")
    assert "must start with a user message" in described["cause"]
    assert deployment.messages(conversation) == []


def test_a_conversation_of_a_megabyte(deployment, model, conversation):
    turns = [[user(f"{number}: {'q' * 20_000}"), assistant(f"{number}: {'a' * 30_000}")] for number in range(22)]
    for turn in turns:
        deployment.invoke("store", {**conversation, "format": "converse", "messages": turn})
    model.answers([call("t1", "weather", city="Oslo")], "All of it is there.")
    execution = deployment.start(
        "agent-turn", {**conversation, "prompt": "How much is there?", "window": "none", "tools": [deployment.tool("weather")]}
    )
    described = deployment.finish(execution)
    assert described["status"] == "SUCCEEDED", described
    stored = deployment.messages(conversation)
    assert stored[:44] == [message for turn in turns for message in turn]
    assert [message["role"] for message in stored[44:]] == ["user", "assistant"] * 2
    assert stored[47] == assistant("All of it is there.")
    assert len(json.dumps(stored)) > 1_000_000

    # What the model got is the end of it, whole turns, within what a state may hold.
    asked = model.requests()[0]["messages"]
    assert asked[:-1] == stored[44 - len(asked) + 1 : 44]
    assert len(asked) >= 5
    for event in deployment.events(execution):
        assert len(json.dumps(event, default=str)) < 256 * 1024 + 1024, event["type"]
