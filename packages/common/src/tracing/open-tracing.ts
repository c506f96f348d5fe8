import type { Logger } from '../log/logging.ts';
import type { Tracing, TracingConfig } from './tracing.ts';

/**
 * Starts tracing if a collector is configured. OpenTelemetry is loaded only then, so that it costs nothing
 * otherwise.
 */
export async function openTracing(
  config: TracingConfig,
  service: string,
  log: Logger,
): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = config;
  if (endpoint === undefined) return undefined;
  const { OtlpTracing } = await import('./otlp-tracing.ts');
  return new OtlpTracing({ endpoint, headers, ratio: config.OTEL_TRACES_SAMPLER_ARG, service, log });
}
