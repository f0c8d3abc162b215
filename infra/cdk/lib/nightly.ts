// The clock of nightly-summarize.

import { Aws } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { IQueue } from 'aws-cdk-lib/aws-sqs';
import { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';

import { allow } from './statement';

export interface NightlyProps {
  readonly time: string;
  readonly workflow: IStateMachine;
  readonly failures: IQueue;
}

export class Nightly extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, { time, workflow, failures }: NightlyProps) {
    super(scope, id);
    this.role = new Role(this, 'NightlyScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        schedule: allow(
          { sid: 'Start', actions: ['states:StartExecution'], resources: [workflow.stateMachineArn] },
          { sid: 'Failures', actions: ['sqs:SendMessage'], resources: [failures.queueArn] },
        ),
      },
    });
    new CfnSchedule(this, 'NightlySchedule', {
      description: 'Summarises long conversations.',
      scheduleExpression: time,
      flexibleTimeWindow: { mode: 'FLEXIBLE', maximumWindowInMinutes: 15 },
      target: {
        arn: workflow.stateMachineArn,
        roleArn: this.role.roleArn,
        deadLetterConfig: { arn: failures.queueArn },
        retryPolicy: { maximumRetryAttempts: 3, maximumEventAgeInSeconds: 3600 },
      },
    });
  }
}
