// The service at a glance.

import { Aws } from 'aws-cdk-lib';
import { Dashboard as CloudWatchDashboard, GraphWidget, IWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';

import { Data } from './data';
import { HttpApi } from './http-api';
import { OPERATIONS, ours, theirs } from './metrics';

export interface DashboardProps {
  readonly data: Data;
  readonly api: HttpApi;
}

export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { data, api }: DashboardProps) {
    super(scope, id);
    const ofApi = (metric: string, label: string) => theirs('AWS/ApiGateway', metric, { ApiId: api.id }, 'Sum', label);
    const ofTable = (metric: string, label: string) =>
      theirs('AWS/DynamoDB', metric, { TableName: data.table.tableName }, 'Sum', label);
    new CloudWatchDashboard(this, 'Dashboard', {
      dashboardName: Aws.STACK_NAME,
      widgets: [
        [graph('Latency', latency()), graph('Failures', failures())],
        [graph('Writers', writers()), graph('Events', events())],
        [graph('Answers', answers()), graph('Cold starts', eachOperation('ColdStart'))],
        [
          graph('HTTP API', [ofApi('Count', 'calls'), ofApi('4xx', '4xx'), ofApi('5xx', '5xx')]),
          graph('Context table', [
            ofTable('ConsumedReadCapacityUnits', 'read units'),
            ofTable('ConsumedWriteCapacityUnits', 'write units'),
          ]),
        ],
        [graph('Summaries', summaries())],
      ],
    });
  }
}

function graph(title: string, left: Metric[]): IWidget {
  return new GraphWidget({ title, left, width: 12, height: 6 });
}

function eachOperation(metric: string, suffix = ''): Metric[] {
  return OPERATIONS.map((operation) => ours(metric, operation, 'Sum', `${operation}${suffix}`));
}

function latency(): Metric[] {
  return [
    ours('LoadMs', 'load', 'p50', 'load p50'),
    ours('LoadMs', 'load', 'p99', 'load p99'),
    ours('StoreMs', 'store', 'p50', 'store p50'),
    ours('StoreMs', 'store', 'p99', 'store p99'),
    ours('SummarizeMs', 'summarize', 'p99', 'summarize p99'),
  ];
}

function failures(): Metric[] {
  return [...eachOperation('Errors'), ...eachOperation('IntegrityErrors', ' integrity')];
}

function writers(): Metric[] {
  return [
    ours('Conflicts', 'store', 'Sum', 'conflicts'),
    ours('Replays', 'store', 'Sum', 'replays'),
    ...eachOperation('Retries', ' retries'),
  ];
}

function events(): Metric[] {
  return [
    ours('EventsRead', 'load', 'Sum', 'read'),
    ours('EventsWritten', 'store', 'Sum', 'written'),
    ours('Pages', 'load', 'Sum', 'pages'),
  ];
}

function answers(): Metric[] {
  return [ours('BytesOut', 'load', 'Average', 'bytes'), ours('Truncated', 'load', 'Sum', 'cut to size')];
}

function summaries(): Metric[] {
  return [
    ours('ModelInputTokens', 'summarize', 'Sum', 'tokens read'),
    ours('ModelOutputTokens', 'summarize', 'Sum', 'tokens written'),
  ];
}
