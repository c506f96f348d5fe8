import { collectDefaultMetrics, type Registry } from 'prom-client';

/**
 * How often the delay of the event loop is sampled, in ms. Each sample wakes the process: at prom-client's
 * own 10 ms they would be most of what it costs at rest. `deploy/monitoring/grafana-dashboard.json` subtracts
 * it.
 */
const SAMPLE_MS = 250;

/**
 * Adds the figures of Node and the system about the process. The delays of the event loop include the time
 * between two samples.
 */
export function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: SAMPLE_MS });
}
