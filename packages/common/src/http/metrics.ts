import { once } from 'node:events';
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Meter } from '../metrics/meter.ts';
import { listenError } from '../start/run-service.ts';
import { VERSION } from '../start/version.ts';
import { onEveryAnswer } from './every-request.ts';
import { failing, type ReadinessCheck } from './health.ts';
import type { Server } from './operation.ts';

/** Upper bounds of the buckets of request durations, in seconds. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Checks whether each optional dependency answers, whenever the metrics are read. */
function measureDependencies(registry: Registry, checks: Record<string, ReadinessCheck>): void {
  new Gauge({
    name: 'dependency_up',
    help: '1 while the dependency answers, 0 while the service is degraded without it',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      const down = await failing(checks);
      for (const dependency of Object.keys(checks))
        this.set({ dependency }, down.includes(dependency) ? 0 : 1);
    },
  });
}

/** Reads `meter` whenever the metrics are read. */
function register(registry: Registry, { read, name, help, kind, labels = [] }: Meter): void {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  const collect = async (metric: Counter | Gauge) => {
    metric.reset();
    // Metrics are read when something is wrong, so one that fails must not take the others with it.
    const readings = await Promise.resolve()
      .then(read)
      .catch(() => []);
    for (const { labels: values = {}, value } of readings) metric.inc(values, value);
  };
  if (kind === 'counter')
    new Counter({
      ...options,
      collect() {
        return collect(this);
      },
    });
  else
    new Gauge({
      ...options,
      collect() {
        return collect(this);
      },
    });
}

/** The metrics of a process, and `meters`. */
export function processRegistry(meters: readonly Meter[]): Registry {
  const registry = new Registry();
  collectProcessMetrics(registry);
  for (const meter of meters) register(registry, meter);
  return registry;
}

/**
 * Measures every request of `app` and serves the metrics as Prometheus text at `/metrics` on a separate port,
 * which is not meant for the public. The port opens when `app` is ready and closes with it.
 */
export function exposeMetrics(
  app: Server,
  port: number,
  host: string,
  dependencies: Record<string, ReadinessCheck> = {},
  meters: readonly Meter[] = [],
): void {
  const registry = processRegistry(meters);
  measureDependencies(registry, dependencies);
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  onEveryAnswer(app, ({ method, routeOptions }, reply) => {
    const route = routeOptions.url ?? 'unknown';
    duration.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  const server = metricsServer(registry.contentType, () => registry.metrics());
  app.addHook('onReady', async () => {
    await listen(server, port, host);
    app.log.info({ address: server.address() }, 'metrics_listening');
  });
  app.addHook('onClose', async () => void server.close());
}

interface MetricsSource {
  contentType: string;
  read: () => Promise<string>;
}

/** The metrics of a process without an HTTP service. */
export interface ProcessSource extends MetricsSource {
  /** Fails while the process cannot work. Asked every few seconds, so it should cost next to nothing. */
  ready: () => Promise<unknown>;
}

/** The answer of a process that is alive. */
const HEALTHY = JSON.stringify({ status: 'ok', version: VERSION });

/**
 * Serves what `read` returns at `/metrics`, for a process without an HTTP service; 503 if it fails, and
 * at `/readyz` if `ready` does. `/healthz` is 200 as long as the process answers. Returns what closes the
 * port. Throws as `listenError` says.
 */
export async function serveMetrics(
  { contentType, read, ready }: ProcessSource,
  port: number,
  host: string,
): Promise<() => void> {
  const server = createServer(async (request, response) => {
    if (request.url === '/healthz') {
      return response.writeHead(200, { 'content-type': 'application/json' }).end(HEALTHY);
    }
    if (request.url !== '/readyz') return answerMetrics(request, response, { contentType, read });
    const isReady = await ready().then(
      () => true,
      () => false,
    );
    return response.writeHead(isReady ? 200 : 503).end();
  });
  await listen(server, port, host);
  return () => void server.close();
}

function metricsServer(contentType: string, read: () => Promise<string>): HttpServer {
  return createServer((request, response) => answerMetrics(request, response, { contentType, read }));
}

async function answerMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  { contentType, read }: MetricsSource,
): Promise<void> {
  if (request.url !== '/metrics') return void response.writeHead(404).end();
  const text = await read().catch(() => undefined);
  if (text === undefined) return void response.writeHead(503).end();
  response.writeHead(200, { 'content-type': contentType }).end(text);
}

async function listen(server: HttpServer, port: number, host: string): Promise<void> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw listenError(error, { host, port, portVariable: 'METRICS_PORT' });
  }
}

/**
 * Interval of the samples of the event loop's delay, in ms. Each sample wakes the process: at prom-client's
 * own 10 ms they would be most of its cost at rest. `deploy/monitoring/grafana-dashboard.json` subtracts it.
 */
const SAMPLE_MS = 250;

/**
 * Adds the figures of Node and the system about the process. The delays of the event loop include the time
 * between two samples.
 */
export function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: SAMPLE_MS });
}
