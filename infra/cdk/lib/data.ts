// Where conversations are kept. Nothing of it goes when the stack goes.

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { IKey, Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { NagSuppressions } from 'cdk-nag';
import { Construct } from 'constructs';

import { EventMemory } from './event-memory';
import { Settings } from './settings';

export class Data extends Construct {
  readonly memory: EventMemory;
  readonly table: Table;
  readonly claimChecks?: Bucket;
  readonly failures: Queue;
  readonly key?: IKey;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    if (settings.dataKeyArn !== '') {
      this.key = Key.fromKeyArn(this, 'DataKey', settings.dataKeyArn);
    }
    this.memory = new EventMemory(this, 'event-memory', settings);
    this.table = this.contextTable(settings);
    if (settings.claimCheck) {
      this.claimChecks = this.claimCheckBucket(settings);
    }
    this.failures = this.failureQueue();
  }

  private contextTable(settings: Settings): Table {
    return new Table(this, 'ContextTable', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'expires',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: settings.deletionProtection,
      encryption: this.key ? TableEncryption.CUSTOMER_MANAGED : TableEncryption.AWS_MANAGED,
      encryptionKey: this.key,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  private claimCheckBucket(settings: Settings): Bucket {
    const bucket = new Bucket(this, 'ClaimCheckBucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: this.key ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
      encryptionKey: this.key,
      bucketKeyEnabled: this.key ? true : undefined,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [{ id: 'retention', enabled: true, expiration: Duration.days(settings.retentionDays) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    NagSuppressions.addResourceSuppressions(bucket, [
      { id: 'AwsSolutions-S1', reason: 'Written by one function, read by its callers; CloudTrail data events tell who.' },
    ]);
    return bucket;
  }

  /** What asynchronous calls failed with. A failed store holds a turn that is nowhere else, so it is data too. */
  private failureQueue(): Queue {
    const queue = new Queue(this, 'FailureQueue', {
      // No longer than the shortest retention of the conversations themselves.
      retentionPeriod: Duration.days(7),
      encryption: this.key ? QueueEncryption.KMS : QueueEncryption.SQS_MANAGED,
      encryptionMasterKey: this.key,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    NagSuppressions.addResourceSuppressions(queue, [
      { id: 'AwsSolutions-SQS3', reason: 'It is the dead-letter queue.' },
    ]);
    return queue;
  }
}
