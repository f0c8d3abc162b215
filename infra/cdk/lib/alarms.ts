// What somebody should be told about.

import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';

import { Data } from './data';
import { Functions } from './functions';
import { HttpApi } from './http-api';
import { LATENCY, OPERATIONS, ours, theirs } from './metrics';
import { Settings } from './settings';
import { Workflows } from './workflows';

export interface AlarmsProps {
  readonly settings: Settings;
  readonly data: Data;
  readonly functions: Functions;
  readonly api: HttpApi;
  readonly workflows: Workflows;
}

/** What one call in a hundred may take, in milliseconds. */
const SLOW = { load: 1000, store: 3000, summarize: 60000 };

export class Alarms extends Construct {
  private readonly topic?: ITopic;

  constructor(scope: Construct, id: string, { settings, data, functions, api, workflows }: AlarmsProps) {
    super(scope, id);
    if (settings.alarmTopicArn !== '') {
      this.topic = Topic.fromTopicArn(this, 'AlarmTopic', settings.alarmTopicArn);
    }
    for (const operation of OPERATIONS) {
      this.ofFunction(operation, functions[operation].functionName);
    }
    const failures = theirs('AWS/ApiGateway', '5xx', { ApiId: api.id }, 'Average');
    this.alarm('HttpApiFailures', 'One call over HTTP in a hundred fails on our side.', failures, 0.01, 3);
    const kept = { QueueName: data.failures.queueName };
    const waiting = theirs('AWS/SQS', 'ApproximateNumberOfMessagesVisible', kept, 'Maximum');
    this.alarm('FailureQueue', 'An asynchronous call failed for good.', waiting, 1);
    const refused = theirs('AWS/DynamoDB', 'WriteThrottleEvents', { TableName: data.table.tableName }, 'Sum');
    this.alarm('ContextTableThrottles', 'The context table refuses writes.', refused, 10);
    this.ofWorkflow('ChatTurn', 'chat-turn', 5, workflows.chatTurn);
    this.ofWorkflow('AgentTurn', 'agent-turn', 5, workflows.agentTurn);
    this.ofWorkflow('NightlySummarize', 'nightly-summarize', 1, workflows.nightlySummarize);
  }

  private ofFunction(operation: (typeof OPERATIONS)[number], functionName: string): void {
    const name = operation.charAt(0).toUpperCase() + operation.slice(1);
    const dimensions = { FunctionName: functionName };
    // As a share of the calls, since some errors (a conflict, a wrong request) are part of any day.
    const errors = theirs('AWS/Lambda', 'Errors', dimensions, 'Average');
    this.alarm(`${name}Errors`, `One direct call of ${operation} in twenty fails.`, errors, 0.05, 3);
    const throttles = theirs('AWS/Lambda', 'Throttles', dimensions, 'Sum');
    this.alarm(`${name}Throttles`, `Calls of ${operation} exceed its concurrency.`, throttles, 1);
    const damage = ours('IntegrityErrors', operation, 'Sum');
    this.alarm(`${name}Integrity`, `The ${operation} function found a damaged conversation.`, damage, 1);
    const latency = ours(LATENCY[operation], operation, 'p99');
    this.alarm(`${name}Latency`, `One ${operation} in a hundred is slow.`, latency, SLOW[operation], 3);
  }

  private ofWorkflow(name: string, file: string, threshold: number, workflow?: IStateMachine): void {
    if (workflow) {
      const failed = theirs('AWS/States', 'ExecutionsFailed', { StateMachineArn: workflow.stateMachineArn }, 'Sum');
      this.alarm(`${name}Failures`, `Executions of ${file} fail.`, failed, threshold);
    }
  }

  private alarm(name: string, alarmDescription: string, metric: Metric, threshold: number, periods = 1): void {
    const alarm = new Alarm(this, `${name}Alarm`, {
      alarmDescription,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.topic) {
      alarm.addAlarmAction(new SnsAction(this.topic));
    }
  }
}
