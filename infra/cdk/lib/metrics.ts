// The metrics the functions write (shared/edge/src/metrics.rs).

import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';

export const OPERATIONS = ['load', 'store', 'summarize'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Latency metrics are named after the operation. */
export const LATENCY: Record<Operation, string> = { load: 'LoadMs', store: 'StoreMs', summarize: 'SummarizeMs' };

const PERIOD = Duration.minutes(5);

export function ours(metricName: string, operation: Operation, statistic: string, label?: string): Metric {
  const dimensionsMap = { service: 'colloquy', operation };
  return new Metric({ namespace: 'Colloquy', metricName, dimensionsMap, statistic, label, period: PERIOD });
}

export function theirs(
  namespace: string,
  metricName: string,
  dimensionsMap: Record<string, string>,
  statistic: string,
  label?: string,
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, statistic, label, period: PERIOD });
}
