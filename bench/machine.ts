import { cpus, release, totalmem } from 'node:os';

/** The machine on which the figures were measured. */
export function machine() {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    measuredAt: new Date().toISOString(),
  };
}
