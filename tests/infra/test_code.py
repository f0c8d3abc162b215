"""Routes, table and metrics are those of the code."""

import json

import yaml

import rust
import sam
from scenarios import ROOT

RESOURCES = sam.template("everything")["Resources"]


def properties(kind):
    return {name: entry["Properties"] for name, entry in RESOURCES.items() if entry["Type"] == kind}


def routes():
    deployed = properties("AWS::ApiGatewayV2::Route")
    return {name.removesuffix("Route"): route["RouteKey"] for name, route in deployed.items()}


def test_routes_are_those_of_the_code():
    paths = rust.found(r'Self::(\w+) => "(/v1/[^"]+)"', "shared/edge/src/route.rs")
    methods = {
        operation: method
        for operations, method in rust.found(r'(Self::[\w| :]+) => "(GET|POST|PUT|DELETE)"', "shared/edge/src/route.rs")
        for operation in operations.replace("Self::", "").split(" | ")
    }
    coded = {name: f"{methods[name]} {path}" for name, path in paths}
    assert routes() == coded


def test_routes_are_those_of_the_interface_description():
    described = yaml.safe_load((ROOT / "infra/openapi.yaml").read_text())["paths"]
    keys = {f"{method.upper()} {path}" for path, methods in described.items() for method in methods}
    assert keys == set(routes().values())


def test_every_route_asks_who_is_calling_and_reaches_its_own_function():
    integrations = properties("AWS::ApiGatewayV2::Integration")
    for scenario, authorization in (("everything", "JWT"), ("default", "AWS_IAM")):
        for name, entry in sam.template(scenario)["Resources"].items():
            if entry["Type"] == "AWS::ApiGatewayV2::Route":
                operation = name.removesuffix("Route")
                assert entry["Properties"]["AuthorizationType"] == authorization
                assert entry["Properties"]["Target"] == f"integrations/${{{operation}Integration}}"
                assert integrations[f"{operation}Integration"]["IntegrationUri"] == f"${{{operation}Function.Arn}}"


def test_the_table_is_the_one_the_code_would_create():
    path = "shared/dynamodb/src/table.rs"
    table = RESOURCES["ContextTable"]["Properties"]
    keys = [key["AttributeName"] for key in table["KeySchema"]]
    assert keys == [rust.constant("PARTITION_KEY", path), rust.constant("SORT_KEY", path)]
    assert table["TimeToLiveSpecification"]["AttributeName"] == rust.constant("TTL_ATTRIBUTE", path)


def test_data_outlives_the_stack():
    kinds = {
        "AWS::BedrockAgentCore::Memory", "AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue",
    }
    for name, entry in RESOURCES.items():
        expected = "Retain" if entry["Type"] in kinds else None
        assert (entry.get("DeletionPolicy"), entry.get("UpdateReplacePolicy")) == (expected, expected), name


def test_metrics_are_those_of_the_code():
    known = set(rust.found(r'Self::\w+ => "(\w+)",', "shared/edge/src/metrics.rs"))
    known -= {"Milliseconds", "Bytes", "Count"}
    namespace = rust.constant("NAMESPACE", "shared/edge/src/metrics.rs")
    service = rust.constant("SERVICE", "shared/lambda/src/connect.rs")
    operations = set(rust.found(r'Self::\w+ => "(load|store|summarize)"', "shared/edge/src/route.rs"))

    shown = set()
    for widget in json.loads(RESOURCES["Dashboard"]["Properties"]["DashboardBody"])["widgets"]:
        for metric in widget["properties"]["metrics"]:
            if metric[0] == namespace:
                _, name, *dimensions, _ = metric
                shown.add(name)
                assert dimensions[:3] == ["service", service, "operation"] and dimensions[3] in operations
    assert shown == known

    for name, alarm in properties("AWS::CloudWatch::Alarm").items():
        if alarm["Namespace"] == namespace:
            dimensions = {dimension["Name"]: dimension["Value"] for dimension in alarm["Dimensions"]}
            assert alarm["MetricName"] in known, name
            assert dimensions.keys() == {"service", "operation"} and dimensions["service"] == service
            assert dimensions["operation"] in operations
