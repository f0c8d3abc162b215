"""The HTTP API of a deployment: its routes behind a JWT authorizer, and requests to it."""

import json
import urllib.error
import urllib.parse
import urllib.request

from identity import AUDIENCE

SESSION = "/v1/actors/{actorId}/sessions/{sessionId}"


class HttpApi:
    """The API, and those who call it."""

    def __init__(self, deployment, provider):
        self._deployment, self._provider = deployment, provider
        self._gateway = deployment.stack.client("apigatewayv2")
        self._id = self._gateway.create_api(Name="colloquy", ProtocolType="HTTP")["ApiId"]
        authorizer = self._gateway.create_authorizer(
            ApiId=self._id,
            Name="jwt",
            AuthorizerType="JWT",
            IdentitySource=["$request.header.Authorization"],
            JwtConfiguration={"Issuer": provider.issuer, "Audience": [AUDIENCE]},
        )["AuthorizerId"]
        routes = {
            f"GET {SESSION}": deployment.functions["load"],
            f"POST {SESSION}/messages": deployment.functions["store"],
            f"POST {SESSION}/turns": deployment.front_end(),
        }
        for route, function in routes.items():
            self._route(route, function, authorizer)
        self._gateway.create_stage(ApiId=self._id, StageName="$default", AutoDeploy=True)

    def _route(self, route, function, authorizer):
        integration = self._gateway.create_integration(
            ApiId=self._id,
            IntegrationType="AWS_PROXY",
            IntegrationUri=function,
            PayloadFormatVersion="2.0",
        )["IntegrationId"]
        self._gateway.create_route(
            ApiId=self._id,
            RouteKey=route,
            Target=f"integrations/{integration}",
            AuthorizationType="JWT",
            AuthorizerId=authorizer,
        )

    def call(self, user, method, path, body=None):
        """Status and JSON of a request by a user; without one, by a stranger."""
        request = urllib.request.Request(
            f"{self._deployment.stack.url}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"host": f"{self._id}.execute-api.localhost", "content-type": "application/json"},
        )
        if user is not None:
            request.add_header("authorization", f"Bearer {self._provider.token(user)}")
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read() or b"null")


def session_path(conversation):
    """Where a conversation is."""
    names = {key: urllib.parse.quote(value, safe="") for key, value in conversation.items()}
    return SESSION.format(**names)
