import type pg from 'pg';
import type { Server } from '../http/operation.ts';
import type { Logger } from '../log/logging.ts';

/** Destination of traces, under OpenTelemetry's names; part of every service's settings. */
interface TracingConfig {
  /** A collector's address for OTLP over HTTP; traces are posted to `/v1/traces` below it. */
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_HEADERS?: Record<string, string> | undefined;
  /** The fraction of requests that are traced, from 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: number;
}

/** Records a service's requests and the queries that they cause. */
export interface Tracing {
  /** Records every request of `app` from now on; called before other hooks are added. */
  traceRequests(app: Server): void;
  /** Records the queries of requests on the connections that `pool` opens from now on. */
  traceQueries(pool: pg.Pool): void;
  /** Sends what has not been sent; resolves within seconds, delivered or not. */
  close(): Promise<void>;
}

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
