// Shorthand for what a policy allows.

import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';

export interface Allowed {
  readonly sid: string;
  readonly actions: string[];
  readonly resources: string[];
  readonly conditions?: Record<string, Record<string, unknown>>;
}

export function allow(...allowed: Allowed[]): PolicyDocument {
  return new PolicyDocument({ statements: allowed.map((one) => new PolicyStatement(one)) });
}

/** Traces belong to no resource that could be named. */
export const TRACES: Allowed = {
  sid: 'Traces',
  actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
  resources: ['*'],
};

/** Why a statement on `*` stands, for cdk-nag. */
export const TRACES_REASON = {
  id: 'AwsSolutions-IAM5',
  appliesTo: ['Resource::*'],
  reason: 'Traces belong to no resource that could be named.',
};
