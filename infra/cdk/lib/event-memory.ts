// The AgentCore memory: a new one, or one that exists already.

import { Aws, RemovalPolicy } from 'aws-cdk-lib';
import { CfnMemory } from 'aws-cdk-lib/aws-bedrockagentcore';
import { Construct } from 'constructs';

import { Settings } from './settings';

const OF_ACTOR = '/strategies/{memoryStrategyId}/actors/{actorId}/';
const OF_SESSION = `${OF_ACTOR}sessions/{sessionId}/`;

export class EventMemory extends Construct {
  readonly id: string;
  readonly arn: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.id = settings.existingMemoryId === '' ? this.create(settings) : settings.existingMemoryId;
    this.arn = `arn:${Aws.PARTITION}:bedrock-agentcore:${Aws.REGION}:${Aws.ACCOUNT_ID}:memory/${this.id}`;
  }

  private create(settings: Settings): string {
    const strategies = longTerm(settings);
    const memory = new CfnMemory(this, 'Memory', {
      name: settings.memoryName,
      description: "The events of Colloquy's conversations.",
      eventExpiryDuration: settings.retentionDays,
      encryptionKeyArn: settings.dataKeyArn === '' ? undefined : settings.dataKeyArn,
      memoryStrategies: strategies.length === 0 ? undefined : strategies,
    });
    memory.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return memory.attrMemoryId;
  }
}

function longTerm(settings: Settings): CfnMemory.MemoryStrategyProperty[] {
  const strategies: CfnMemory.MemoryStrategyProperty[] = [];
  if (settings.semanticMemory) {
    strategies.push({ semanticMemoryStrategy: { name: 'facts', namespaceTemplates: [OF_ACTOR] } });
  }
  if (settings.summaryMemory) {
    strategies.push({ summaryMemoryStrategy: { name: 'summaries', namespaceTemplates: [OF_SESSION] } });
  }
  if (settings.userPreferenceMemory) {
    strategies.push({ userPreferenceMemoryStrategy: { name: 'preferences', namespaceTemplates: [OF_ACTOR] } });
  }
  return strategies;
}
