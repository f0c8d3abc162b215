// For code that works for one actor at a time: it assumes this role with the session tag `actorId`, and can then
// neither read nor write anybody else's conversations, whatever it asks for.

import { ArnPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

import { Data } from './data';
import { Settings } from './settings';
import { allow } from './statement';

const ACTOR = '${aws:PrincipalTag/actorId}';

export interface ActorRoleProps {
  readonly settings: Settings;
  readonly data: Data;
}

export class ActorRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, { settings, data }: ActorRoleProps) {
    super(scope, id);
    const principal = new ArnPrincipal(settings.actorRolePrincipalArn)
      .withSessionTags()
      // Without the tag there would be no actor to compare with.
      .withConditions({ StringLike: { 'aws:RequestTag/actorId': '?*' } });
    const policy = allow(
      {
        sid: 'Events',
        actions: ['bedrock-agentcore:ListEvents', 'bedrock-agentcore:CreateEvent', 'bedrock-agentcore:DeleteEvent'],
        resources: [data.memory.arn],
        conditions: { StringEquals: { 'bedrock-agentcore:actorId': ACTOR } },
      },
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
        conditions: {
          // A request that names no key at all must not pass for one whose keys all match.
          Null: { 'dynamodb:LeadingKeys': 'false' },
          'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': `${data.memory.id}#${ACTOR}` },
        },
      },
    );
    this.role = new Role(this, 'ActorRole', { assumedBy: principal, inlinePolicies: { actor: policy } });
  }
}
