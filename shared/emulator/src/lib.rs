//! Amazon Bedrock AgentCore Memory on loopback, true to the service and able to fail like it.
