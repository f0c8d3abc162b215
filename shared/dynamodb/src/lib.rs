//! The context store port on Amazon DynamoDB.
