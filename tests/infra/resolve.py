"""Conditions and intrinsic functions, worked out as CloudFormation does it. References to what is only known once
deployed stay, as `${Name}` or `${Name.Attribute}`: the same text, however a template spells them."""

import re

ABSENT = object()


def template(source: dict, parameters: dict[str, str] | None = None) -> dict:
    """The template without what its conditions leave out, and without intrinsic functions."""
    resolver = _Resolver(source, parameters or {})
    return {part: resolver.entries(source.get(part, {})) for part in ("Resources", "Outputs")}



def refusals(source: dict, parameters: dict[str, str]) -> list[str]:
    """What the template's rules have against the parameters."""
    resolver = _Resolver(source, parameters)
    return [
        assertion["AssertDescription"]
        for rule in source.get("Rules", {}).values()
        if resolver.holds(rule["RuleCondition"])
        for assertion in rule["Assertions"]
        if not resolver.holds(assertion["Assert"])
    ]


class _Resolver:
    def __init__(self, source: dict, parameters: dict[str, str]):
        self.parameters = parameters
        self.lists = {
            name for name, parameter in source.get("Parameters", {}).items()
            if parameter["Type"] == "CommaDelimitedList"
        }
        self.conditions = source.get("Conditions", {})

    def entries(self, section: dict) -> dict:
        """The resources, or outputs, that are there under the conditions."""
        there = {
            name: entry for name, entry in section.items()
            if "Condition" not in entry or self.holds({"Condition": entry["Condition"]})
        }
        return {
            name: self.value({key: value for key, value in entry.items() if key != "Condition"})
            for name, entry in there.items()
        }

    def holds(self, condition) -> bool:
        """Whether a condition holds."""
        (function, arguments), = condition.items()
        match function:
            case "Condition":
                return self.holds(self.conditions[arguments])
            case "Fn::Equals":
                first, second = (str(self.value(argument)) for argument in arguments)
                return first == second
            case "Fn::Not":
                return not self.holds(arguments[0])
            case "Fn::And":
                return all(self.holds(argument) for argument in arguments)
            case "Fn::Or":
                return any(self.holds(argument) for argument in arguments)
            case "Fn::EachMemberEquals":
                members, expected = arguments
                return all(member == expected for member in self.value(members))
        raise ValueError(f"unknown condition function {function}")

    def value(self, node):
        """A value without intrinsic functions, or ABSENT."""
        if isinstance(node, list):
            items = [self.value(item) for item in node]
            return [item for item in items if item is not ABSENT]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            (name, arguments), = node.items()
            if name == "Ref" or name.startswith("Fn::"):
                return self.function(name, arguments)
        members = {key: self.value(member) for key, member in node.items()}
        return {key: member for key, member in members.items() if member is not ABSENT}

    def function(self, name: str, arguments):
        """What an intrinsic function gives."""
        match name:
            case "Ref":
                return self.reference(arguments)
            case "Fn::GetAtt":
                path = arguments if isinstance(arguments, str) else ".".join(arguments)
                return f"${{{path}}}"
            case "Fn::If":
                condition, yes, no = arguments
                return self.value(yes if self.holds({"Condition": condition}) else no)
            case "Fn::Join":
                separator, parts = arguments
                return separator.join(str(part) for part in self.value(parts))
            case "Fn::Sub":
                return self.substituted(arguments)
        raise ValueError(f"unknown intrinsic function {name}")

    def reference(self, name: str):
        """What a name stands for."""
        if name == "AWS::NoValue":
            return ABSENT
        if name in self.lists:
            text = self.parameters[name]
            return text.split(",")
        return self.parameters.get(name, f"${{{name}}}")

    def substituted(self, arguments) -> str:
        """A text with its placeholders filled; `${!x}` is a literal `${x}`."""
        text, own = arguments if isinstance(arguments, list) else (arguments, {})

        def filled(match: re.Match) -> str:
            name = match[1]
            if name.startswith("!"):
                return f"${{{name[1:]}}}"
            if name in own:
                return str(self.value(own[name]))
            return str(self.reference(name))

        return re.sub(r"\$\{([^}]+)\}", filled, text)
