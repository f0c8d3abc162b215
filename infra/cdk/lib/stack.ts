// The whole system, put together. The same as infra/sam/template.yaml; tests/infra compares the two.

import { CfnElement, CfnOutput, Stack, StackProps } from 'aws-cdk-lib';
import { Construct } from 'constructs';

import { ActorRole } from './actor-role';
import { Alarms } from './alarms';
import { Dashboard } from './dashboard';
import { Data } from './data';
import { shareDataKey } from './data-key';
import { Functions } from './functions';
import { HttpApi } from './http-api';
import { Settings, check } from './settings';
import { Workflows } from './workflows';

export interface ColloquyProps extends StackProps {
  readonly settings: Settings;
}

export class ColloquyStack extends Stack {
  constructor(scope: Construct, id: string, props: ColloquyProps) {
    const { settings, ...rest } = props;
    super(scope, id, { description: "Colloquy keeps the conversations of AI agents.", ...rest });
    check(settings);

    const data = new Data(this, 'data', settings);
    const functions = new Functions(this, 'functions', { settings, data });
    const api = new HttpApi(this, 'http-api', { settings, functions });
    const workflows = new Workflows(this, 'workflows', { settings, data, functions });
    const actorRole = settings.actorRolePrincipalArn === ''
      ? undefined
      : new ActorRole(this, 'actor-role', { settings, data });
    if (data.key) {
      const roles = [...functions.roles, ...workflows.dataRoles, ...(actorRole ? [actorRole.role] : [])];
      shareDataKey(this, data.key.keyArn, roles);
    }
    new Alarms(this, 'alarms', { settings, data, functions, api, workflows });
    new Dashboard(this, 'dashboard', { data, api });

    this.output('ApiUrl', 'The address of the HTTP API.', api.url);
    this.output('MemoryId', 'The AgentCore memory.', data.memory.id);
    this.output('ContextTable', 'The DynamoDB table.', data.table.tableName);
    this.output('LoadFunction', 'The function that gives conversations back.', functions.load.functionName);
    this.output('StoreFunction', 'The function that appends turns.', functions.store.functionName);
    this.output('SummarizeFunction', 'The function that summarises.', functions.summarize.functionName);
    this.output('FailureQueue', 'Where failed asynchronous calls are kept.', data.failures.queueUrl);
    this.output('ClaimCheckBucket', 'Where large answers are put.', data.claimChecks?.bucketName);
    this.output('ActorRole', 'The role of code that works for one actor.', actorRole?.role.roleArn);
    this.output('ChatTurn', 'The minimal workflow.', workflows.chatTurn?.stateMachineArn);
    this.output('AgentTurn', 'The workflow with tools.', workflows.agentTurn?.stateMachineArn);
    this.output(
      'NightlySummarize',
      'The workflow that summarises long conversations.',
      workflows.nightlySummarize.stateMachineArn,
    );
  }

  /**
   * Logical ids without hashes and without the grouping constructs (whose ids are in lower case): a resource keeps
   * its id, and with it its data, when the code around it is rearranged, and has the one it has in the SAM template.
   */
  protected override allocateLogicalId(element: CfnElement): string {
    const path = element.node.scopes.slice(1).map((scope) => scope.node.id);
    const named = path.slice(path.indexOf(this.node.id) + 1);
    return named.filter((part) => /^[A-Z]/.test(part) && part !== 'Resource' && part !== 'Default').join('');
  }

  private output(name: string, description: string, value: string | undefined): void {
    if (value !== undefined) {
      new CfnOutput(this, `Output${name}`, { description, value }).overrideLogicalId(name);
    }
  }
}
