// The HTTP API: with tokens, or with IAM.

import { Aws, Fn } from 'aws-cdk-lib';
import { CfnApi, CfnAuthorizer, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

import { Functions } from './functions';
import { logGroup } from './logs';
import { Settings } from './settings';

const SESSION = '/v1/actors/{actorId}/sessions/{sessionId}';

/** The route and not the path, which names actor and session. */
const ACCESS_LOG = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTimeEpoch',
  route: '$context.routeKey',
  status: '$context.status',
  latency_ms: '$context.responseLatency',
  integration_latency_ms: '$context.integrationLatency',
  size_bytes: '$context.responseLength',
  error: '$context.error.responseType',
  integration_error: '$context.integrationErrorMessage',
  authorizer_error: '$context.authorizer.error',
});

export interface HttpApiProps {
  readonly settings: Settings;
  readonly functions: Functions;
}

export class HttpApi extends Construct {
  readonly id: string;
  readonly url: string;

  constructor(scope: Construct, id: string, { settings, functions }: HttpApiProps) {
    super(scope, id);
    const api = new CfnApi(this, 'HttpApi', {
      name: Aws.STACK_NAME,
      description: 'Conversation memory for AI agents.',
      protocolType: 'HTTP',
      corsConfiguration: settings.allowedOrigins.length === 0 ? undefined : {
        allowOrigins: settings.allowedOrigins,
        allowMethods: ['GET', 'POST'],
        allowHeaders: ['authorization', 'content-type', 'idempotency-key'],
        maxAge: 3600,
      },
    });
    this.id = api.ref;
    this.url = api.attrApiEndpoint;
    this.stage(settings);
    const authorizer = settings.jwtIssuer === '' ? undefined : this.tokens(settings);
    this.route('Load', 'GET', SESSION, functions.load, authorizer);
    this.route('Store', 'POST', `${SESSION}/messages`, functions.store, authorizer);
    this.route('Summarize', 'POST', `${SESSION}/summary`, functions.summarize, authorizer);
  }

  private stage(settings: Settings): void {
    const logs = logGroup(this, 'HttpApiLogs', `/aws/vendedlogs/http-api/${Aws.STACK_NAME}`, settings);
    new CfnStage(this, 'HttpApiStage', {
      apiId: this.id,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: settings.throttleRate,
        throttlingBurstLimit: settings.throttleBurst,
        detailedMetricsEnabled: true,
      },
      accessLogSettings: { destinationArn: logs.logGroupArn, format: ACCESS_LOG },
    });
  }

  private tokens(settings: Settings): CfnAuthorizer {
    return new CfnAuthorizer(this, 'HttpApiAuthorizer', {
      apiId: this.id,
      name: 'tokens',
      authorizerType: 'JWT',
      identitySource: ['$request.header.Authorization'],
      jwtConfiguration: { issuer: settings.jwtIssuer, audience: settings.jwtAudience },
    });
  }

  private route(name: string, method: string, path: string, target: IFunction, authorizer?: CfnAuthorizer): void {
    const integration = new CfnIntegration(this, `${name}Integration`, {
      apiId: this.id,
      integrationType: 'AWS_PROXY',
      integrationUri: target.functionArn,
      payloadFormatVersion: '2.0',
    });
    new CfnRoute(this, `${name}Route`, {
      apiId: this.id,
      routeKey: `${method} ${path}`,
      authorizationType: authorizer ? 'JWT' : 'AWS_IAM',
      authorizerId: authorizer?.ref,
      target: Fn.join('/', ['integrations', integration.ref]),
    });
    const called = path.replace(/\{\w+\}/g, '*');
    new CfnPermission(this, `${name}Permission`, {
      functionName: target.functionName,
      action: 'lambda:InvokeFunction',
      principal: 'apigateway.amazonaws.com',
      sourceArn: `arn:${Aws.PARTITION}:execute-api:${Aws.REGION}:${Aws.ACCOUNT_ID}:${this.id}/*/${method}${called}`,
    });
  }
}
