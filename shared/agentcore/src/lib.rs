//! The event log port on Amazon Bedrock AgentCore Memory.
