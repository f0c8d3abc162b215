// The use of the customer's key: the services use it in the name of whoever calls them.

import { Aws } from 'aws-cdk-lib';
import { ManagedPolicy, Role } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

import { allow } from './statement';

export function shareDataKey(scope: Construct, keyArn: string, roles: Role[]): void {
  const through = ['bedrock-agentcore', 'dynamodb', 's3', 'sqs'].map(
    (service) => `${service}.${Aws.REGION}.amazonaws.com`,
  );
  new ManagedPolicy(scope, 'DataKeyPolicy', {
    description: 'Allows the use of the key of the data, through the services that hold it.',
    roles,
    document: allow({
      sid: 'DataKey',
      actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:DescribeKey'],
      resources: [keyArn],
      conditions: { StringEquals: { 'kms:ViaService': through } },
    }),
  });
}
