// The workflows: the definitions are infra/workflows/*.asl.json, the same for SAM and CDK.

import { Aws } from 'aws-cdk-lib';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { NagSuppressions } from 'cdk-nag';
import { Construct } from 'constructs';
import { join } from 'node:path';

import { Data } from './data';
import { Functions, modelUse } from './functions';
import { logGroup } from './logs';
import { Nightly } from './nightly';
import { Settings } from './settings';
import { Allowed, allow } from './statement';

const DEFINITIONS = join(__dirname, '..', '..', '..', 'workflows');

export interface WorkflowsProps {
  readonly settings: Settings;
  readonly data: Data;
  readonly functions: Functions;
}

interface Workflow {
  readonly name: string;
  readonly file: string;
  readonly substitutions: Record<string, string>;
  readonly permissions: Allowed[];
}

export class Workflows extends Construct {
  /** Absent, as the next, where there is no model to ask. */
  readonly chatTurn?: StateMachine;
  readonly agentTurn?: StateMachine;
  readonly nightlySummarize: StateMachine;
  /** The roles of what reads or writes data without a function. */
  readonly dataRoles: Role[] = [];

  private readonly logs: LogGroup;
  private readonly telemetry: ManagedPolicy;

  constructor(scope: Construct, id: string, props: WorkflowsProps) {
    super(scope, id);
    const { settings, data } = props;
    this.logs = logGroup(this, 'WorkflowLogs', `/aws/vendedlogs/states/${Aws.STACK_NAME}`, settings);
    this.telemetry = telemetryPolicy(this);
    if (settings.modelId !== '') {
      this.chatTurn = this.workflow(chatTurn(props));
      this.agentTurn = this.workflow(agentTurn(props));
    }
    const nightlyRole = this.role(nightlySummarize(props));
    this.nightlySummarize = this.workflow(nightlySummarize(props), nightlyRole);
    this.dataRoles.push(nightlyRole);
    if (settings.nightlyTime !== '') {
      const nightly = new Nightly(this, 'nightly', {
        time: settings.nightlyTime,
        workflow: this.nightlySummarize,
        failures: data.failures,
      });
      this.dataRoles.push(nightly.role);
    }
  }

  private role({ name, file, permissions }: Workflow): Role {
    return new Role(this, `${name}Role`, {
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        // No other account's workflow may act as this one.
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      managedPolicies: [this.telemetry],
      inlinePolicies: { [file]: allow(...permissions) },
    });
  }

  private workflow(workflow: Workflow, role = this.role(workflow)): StateMachine {
    const { name, file, substitutions } = workflow;
    const machine = new StateMachine(this, name, {
      stateMachineName: `${Aws.STACK_NAME}-${file}`,
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromFile(join(DEFINITIONS, `${file}.asl.json`)),
      definitionSubstitutions: substitutions,
      role: role.withoutPolicyUpdates(),
      logs: { destination: this.logs, level: LogLevel.ERROR, includeExecutionData: false },
      tracingEnabled: true,
    });
    NagSuppressions.addResourceSuppressions(machine, [
      { id: 'AwsSolutions-SF1', reason: 'The history of a standard execution has every event; the log is for failures.' },
    ]);
    return machine;
  }
}

function chatTurn({ settings, functions }: WorkflowsProps): Workflow {
  return {
    name: 'ChatTurn',
    file: 'chat-turn',
    substitutions: {
      LoadFunctionArn: functions.load.functionArn,
      StoreFunctionArn: functions.store.functionArn,
      ModelId: settings.modelId,
    },
    permissions: [calls('Functions', functions.load, functions.store), modelUse(settings, [settings.modelId])],
  };
}

function agentTurn({ settings, functions }: WorkflowsProps): Workflow {
  const permissions = [
    calls('Functions', functions.load, functions.store, functions.summarize),
    modelUse(settings, [settings.modelId]),
  ];
  if (settings.toolFunctionArns.length > 0) {
    permissions.push({ sid: 'Tools', actions: ['lambda:InvokeFunction'], resources: settings.toolFunctionArns });
  }
  return {
    name: 'AgentTurn',
    file: 'agent-turn',
    substitutions: {
      LoadFunctionArn: functions.load.functionArn,
      StoreFunctionArn: functions.store.functionArn,
      SummarizeFunctionArn: functions.summarize.functionArn,
      ModelId: settings.modelId,
    },
    permissions,
  };
}

function nightlySummarize({ data, functions }: WorkflowsProps): Workflow {
  return {
    name: 'NightlySummarize',
    file: 'nightly-summarize',
    substitutions: {
      SummarizeFunctionArn: functions.summarize.functionArn,
      ContextTable: data.table.tableName,
      MemoryId: data.memory.id,
    },
    permissions: [
      calls('Functions', functions.summarize),
      { sid: 'Conversations', actions: ['dynamodb:Scan'], resources: [data.table.tableArn] },
    ],
  };
}

function calls(sid: string, ...functions: IFunction[]): Allowed {
  return { sid, actions: ['lambda:InvokeFunction'], resources: functions.map((one) => one.functionArn) };
}

/** Neither traces nor the delivery of logs belong to a resource that could be named. */
function telemetryPolicy(scope: Construct): ManagedPolicy {
  const policy = new ManagedPolicy(scope, 'WorkflowTelemetryPolicy', {
    description: 'Lets the workflows write traces and set up the delivery of their logs.',
    document: allow(
      {
        sid: 'Traces',
        actions: [
          'xray:PutTraceSegments',
          'xray:PutTelemetryRecords',
          'xray:GetSamplingRules',
          'xray:GetSamplingTargets',
        ],
        resources: ['*'],
      },
      {
        sid: 'LogDelivery',
        actions: [
          'logs:CreateLogDelivery',
          'logs:GetLogDelivery',
          'logs:UpdateLogDelivery',
          'logs:DeleteLogDelivery',
          'logs:ListLogDeliveries',
          'logs:PutResourcePolicy',
          'logs:DescribeResourcePolicies',
          'logs:DescribeLogGroups',
        ],
        resources: ['*'],
      },
    ),
  });
  NagSuppressions.addResourceSuppressions(policy, [{
    id: 'AwsSolutions-IAM5',
    appliesTo: ['Resource::*'],
    reason: 'Neither traces nor the delivery of logs belong to a resource that could be named.',
  }]);
  return policy;
}
