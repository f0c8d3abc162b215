// What can be set. Names and defaults are those of the parameters of infra/sam/template.yaml, which also tell what
// each is for; there they begin with a capital, as CloudFormation has it.

export interface Settings {
  readonly retentionDays: number;
  readonly eventLayout: 'message' | 'turn';
  readonly dialect: 'camunda' | 'seed';
  readonly integrity: 'report' | 'enforce';
  readonly contextWindowTokens: string;
  readonly claimCheck: boolean;
  readonly memoryName: string;
  readonly existingMemoryId: string;
  readonly semanticMemory: boolean;
  readonly summaryMemory: boolean;
  readonly userPreferenceMemory: boolean;
  readonly dataKeyArn: string;
  readonly deletionProtection: boolean;
  readonly jwtIssuer: string;
  readonly jwtAudience: string[];
  readonly actorClaim: string;
  readonly allowedOrigins: string[];
  readonly throttleRate: number;
  readonly throttleBurst: number;
  readonly actorRolePrincipalArn: string;
  readonly modelId: string;
  readonly modelArns: string[];
  readonly fallbackModelId: string;
  readonly modelMaxTokens: string;
  readonly guardrailId: string;
  readonly guardrailVersion: string;
  readonly redact: 'off' | 'builtin';
  readonly toolFunctionArns: string[];
  readonly nightlyTime: string;
  readonly architecture: 'arm64' | 'x86_64';
  readonly reservedConcurrency: number;
  readonly logLevel: 'ERROR' | 'WARN' | 'INFO' | 'DEBUG';
  readonly logRetentionDays: number;
  readonly alarmTopicArn: string;
}

export const DEFAULTS: Settings = {
  retentionDays: 7,
  eventLayout: 'message',
  dialect: 'camunda',
  integrity: 'report',
  contextWindowTokens: '',
  claimCheck: true,
  memoryName: 'colloquy',
  existingMemoryId: '',
  semanticMemory: false,
  summaryMemory: false,
  userPreferenceMemory: false,
  dataKeyArn: '',
  deletionProtection: true,
  jwtIssuer: '',
  jwtAudience: [],
  actorClaim: '',
  allowedOrigins: [],
  throttleRate: 100,
  throttleBurst: 200,
  actorRolePrincipalArn: '',
  modelId: '',
  modelArns: [],
  fallbackModelId: '',
  modelMaxTokens: '',
  guardrailId: '',
  guardrailVersion: 'DRAFT',
  redact: 'off',
  toolFunctionArns: [],
  nightlyTime: '',
  architecture: 'arm64',
  reservedConcurrency: -1,
  logLevel: 'INFO',
  logRetentionDays: 30,
  alarmTopicArn: '',
};

/** The words a setting may be, where it is one of a few. */
const WORDS: { readonly [name in keyof Settings]?: readonly string[] } = {
  eventLayout: ['message', 'turn'],
  dialect: ['camunda', 'seed'],
  integrity: ['report', 'enforce'],
  redact: ['off', 'builtin'],
  architecture: ['arm64', 'x86_64'],
  logLevel: ['ERROR', 'WARN', 'INFO', 'DEBUG'],
};

/** Reads the settings from the context, where each has the name of the SAM parameter and is text. */
export function fromContext(lookup: (key: string) => unknown): Settings {
  const settings: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, fallback] of Object.entries(DEFAULTS)) {
    const key = name.charAt(0).toUpperCase() + name.slice(1);
    const given = lookup(key);
    if (given !== undefined) {
      settings[name] = parsed(key, String(given), fallback);
    }
  }
  const complete = settings as unknown as Settings;
  check(complete);
  return complete;
}

/** Refuses what the parameters of the SAM template would refuse, before anything is deployed. */
export function check(settings: Settings): void {
  for (const [name, words] of Object.entries(WORDS)) {
    const given = String(settings[name as keyof Settings]);
    demand(words.includes(given), `${name} must be one of ${words.join(', ')}`);
  }
  const days = settings.retentionDays;
  demand(Number.isInteger(days) && days >= 7 && days <= 365, 'retentionDays must be 7 to 365');
  const packedSeed = settings.dialect === 'seed' && settings.eventLayout !== 'message';
  demand(!packedSeed, 'dialect seed needs eventLayout message');
  const noAudience = settings.jwtIssuer !== '' && settings.jwtAudience.length === 0;
  demand(!noAudience, 'jwtIssuer needs jwtAudience');
  const hasModel = settings.modelId !== '';
  demand(hasModel || settings.fallbackModelId === '', 'fallbackModelId needs modelId');
  demand(hasModel || settings.guardrailId === '', 'guardrailId needs modelId');
}

function parsed(key: string, text: string, fallback: unknown): unknown {
  if (typeof fallback === 'number') {
    demand(/^-?\d+$/.test(text), `${key} must be a number`);
    return Number(text);
  }
  if (typeof fallback === 'boolean') {
    demand(text === 'true' || text === 'false', `${key} must be true or false`);
    return text === 'true';
  }
  if (Array.isArray(fallback)) {
    return text === '' ? [] : text.split(',');
  }
  return text;
}

function demand(holds: boolean, mistake: string): void {
  if (!holds) {
    throw new Error(mistake);
  }
}
