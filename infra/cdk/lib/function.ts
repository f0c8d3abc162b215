// What all functions have in common, stated once.

import { Aws, Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Tracing } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { RustFunction } from 'cargo-lambda-cdk';
import { NagPackSuppression, NagSuppressions } from 'cdk-nag';
import { Construct } from 'constructs';
import { join } from 'node:path';

import { Data } from './data';
import { logGroup } from './logs';
import { Settings } from './settings';
import { Allowed, TRACES, TRACES_REASON, allow } from './statement';

/** What one function has of its own. */
export interface FunctionParts {
  readonly name: string;
  readonly description: string;
  readonly permissions: Allowed[];
  readonly environment?: Record<string, string>;
  readonly timeout?: Duration;
  /** How often an asynchronous call is repeated; absent where such calls make no sense. */
  readonly retries?: number;
  readonly nag?: NagPackSuppression[];
}

export interface FunctionProps extends FunctionParts {
  readonly settings: Settings;
  readonly data: Data;
}

const FUNCTIONS = join(__dirname, '..', '..', '..', '..', 'functions');

export class ColloquyFunction extends Construct {
  readonly function: RustFunction;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const { name, settings, data } = props;
    const crate = name.toLowerCase();
    const logs = logGroup(this, `${name}Logs`, `/aws/lambda/${Aws.STACK_NAME}-${crate}`, settings);
    this.role = this.ownRole(props, logs);
    this.function = new RustFunction(this, `${name}Function`, {
      description: props.description,
      functionName: `${Aws.STACK_NAME}-${crate}`,
      manifestPath: join(FUNCTIONS, crate),
      bundling: { profile: 'deploy' },
      architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      memorySize: 256,
      // The gateway gives up after 29 seconds.
      timeout: props.timeout ?? Duration.seconds(29),
      tracing: Tracing.ACTIVE,
      reservedConcurrentExecutions: settings.reservedConcurrency === -1 ? undefined : settings.reservedConcurrency,
      logGroup: logs,
      // The role says all there is to say; constructs add nothing to it.
      role: this.role.withoutPolicyUpdates(),
      environment: { ...shared(settings, data), ...props.environment },
      ...(props.retries === undefined ? {} : {
        retryAttempts: props.retries,
        maxEventAge: Duration.hours(1),
        onFailure: new SqsDestination(data.failures),
      }),
    });
  }

  private ownRole(props: FunctionProps, logs: LogGroup): Role {
    const permissions = [...props.permissions];
    if (props.retries !== undefined) {
      const failures = props.data.failures.queueArn;
      permissions.push({ sid: 'Failures', actions: ['sqs:SendMessage'], resources: [failures] });
    }
    permissions.push({
      sid: 'Logs',
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logs.logGroupArn],
    });
    const role = new Role(this, `${props.name}Role`, {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { [props.name.toLowerCase()]: allow(...permissions, TRACES) },
    });
    NagSuppressions.addResourceSuppressions(role, [TRACES_REASON, ...(props.nag ?? [])]);
    return role;
  }
}

/** The environment of every function. An empty variable is an unset one to them. */
function shared(settings: Settings, data: Data): Record<string, string> {
  const actorClaim = settings.jwtIssuer === '' ? 'iam:userArn' : 'sub';
  return {
    MEMORY_ID: data.memory.id,
    CONTEXT_TABLE: data.table.tableName,
    RETENTION_DAYS: String(settings.retentionDays),
    EVENT_LAYOUT: settings.eventLayout,
    DIALECT: settings.dialect,
    INTEGRITY: settings.integrity,
    CONTEXT_WINDOW_TOKENS: settings.contextWindowTokens,
    ACTOR_CLAIM: settings.actorClaim === '' ? actorClaim : settings.actorClaim,
    LOG_LEVEL: settings.logLevel,
  };
}
