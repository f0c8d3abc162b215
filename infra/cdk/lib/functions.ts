// The functions: a role each, with exactly the calls it makes.

import { Aws, Duration } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

import { ColloquyFunction, FunctionParts } from './function';
import { Data } from './data';
import { Settings } from './settings';
import { Allowed } from './statement';

export interface FunctionsProps {
  readonly settings: Settings;
  readonly data: Data;
}

export class Functions extends Construct {
  readonly load: IFunction;
  readonly store: IFunction;
  readonly summarize: IFunction;
  readonly roles: Role[];

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    const functions = [load(props), store(props), summarize(props)].map(
      (parts) => new ColloquyFunction(this, parts.name.toLowerCase(), { ...props, ...parts }),
    );
    const [loading, storing, summarizing] = functions;
    this.load = loading!.function;
    this.store = storing!.function;
    this.summarize = summarizing!.function;
    this.roles = functions.map((one) => one.role);
  }
}

function load({ data }: FunctionsProps): FunctionParts {
  const claimChecks = data.claimChecks;
  const permissions: Allowed[] = [
    { sid: 'Events', actions: ['bedrock-agentcore:ListEvents'], resources: [data.memory.arn] },
    { sid: 'Context', actions: ['dynamodb:Query'], resources: [data.table.tableArn] },
  ];
  if (claimChecks) {
    permissions.push({
      sid: 'ClaimChecks',
      actions: ['s3:PutObject'],
      resources: [`${claimChecks.bucketArn}/*`],
    });
  }
  return {
    name: 'Load',
    description: 'Gives an agent its conversation back.',
    permissions,
    environment: { CLAIM_CHECK_BUCKET: claimChecks?.bucketName ?? '' },
    nag: claimChecks && [{
      id: 'AwsSolutions-IAM5',
      appliesTo: ['Resource::<ClaimCheckBucket.Arn>/*'],
      reason: 'Claim checks are named by actor, session and hash; all of the bucket is claim checks.',
    }],
  };
}

function store({ data }: FunctionsProps): FunctionParts {
  return {
    name: 'Store',
    description: 'Appends the messages of a turn, exactly once.',
    permissions: [
      // It deletes what it wrote itself and could not commit.
      {
        sid: 'Events',
        actions: ['bedrock-agentcore:ListEvents', 'bedrock-agentcore:CreateEvent', 'bedrock-agentcore:DeleteEvent'],
        resources: [data.memory.arn],
      },
      // The transaction of a commit is checked as the writes it is made of.
      {
        sid: 'Context',
        actions: [
          'dynamodb:Query',
          'dynamodb:GetItem',
          'dynamodb:BatchGetItem',
          'dynamodb:UpdateItem',
          'dynamodb:PutItem',
          'dynamodb:DeleteItem',
        ],
        resources: [data.table.tableArn],
      },
    ],
    // A repetition is recognised by its head or idempotency key, and a call may lack both.
    retries: 0,
  };
}

function summarize({ settings, data }: FunctionsProps): FunctionParts {
  const permissions: Allowed[] = [
    { sid: 'Events', actions: ['bedrock-agentcore:ListEvents'], resources: [data.memory.arn] },
    {
      sid: 'Context',
      actions: ['dynamodb:Query', 'dynamodb:UpdateItem', 'dynamodb:PutItem'],
      resources: [data.table.tableArn],
    },
  ];
  const guarded = settings.guardrailId !== '';
  if (settings.modelId !== '') {
    const models = [settings.modelId, settings.fallbackModelId].filter((model) => model !== '');
    permissions.push(modelUse(settings, models));
  }
  if (guarded) {
    const guardrail = `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}:${Aws.ACCOUNT_ID}:guardrail/${settings.guardrailId}`;
    permissions.push({ sid: 'Guardrail', actions: ['bedrock:ApplyGuardrail'], resources: [guardrail] });
  }
  return {
    name: 'Summarize',
    description: 'Compresses the oldest messages into a durable summary.',
    permissions,
    environment: {
      MODEL_ID: settings.modelId,
      MODEL_MAX_TOKENS: settings.modelMaxTokens,
      FALLBACK_MODEL_ID: settings.fallbackModelId,
      GUARDRAIL_ID: settings.guardrailId,
      GUARDRAIL_VERSION: guarded ? settings.guardrailVersion : '',
      REDACT: settings.redact,
    },
    // Workflows wait longer than the gateway does.
    timeout: Duration.seconds(120),
    retries: 2,
  };
}

/** The use of these models, or of those the settings list. */
export function modelUse(settings: Settings, models: string[]): Allowed {
  const own = models.map((model) => `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}::foundation-model/${model}`);
  const resources = settings.modelArns.length === 0 ? own : settings.modelArns;
  return { sid: 'Model', actions: ['bedrock:InvokeModel'], resources };
}
