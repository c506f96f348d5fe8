import { PROCESSES, type ProcessName, UNLIMITED } from '../test/support/site-processes.ts';
import { type StartedServer, startServer } from './server.ts';

/** The setting of a service that keeps no answers. */
export const NO_CACHE = { CACHE_BYTES: '0' };

/** Starts a process of a site with these settings, without rate limits. */
export function startService(name: ProcessName, settings: Record<string, string>): Promise<StartedServer> {
  return startServer({ ...PROCESSES[name], env: { ...UNLIMITED, ...settings }, ready: '/readyz' });
}
