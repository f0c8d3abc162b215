// Log groups. Logs hold no content, so they go with the stack.

import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

import { Settings } from './settings';

export function logGroup(scope: Construct, id: string, name: string, settings: Settings): LogGroup {
  return new LogGroup(scope, id, {
    logGroupName: name,
    retention: settings.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}
