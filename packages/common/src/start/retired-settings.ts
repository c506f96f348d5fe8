import type { Environment } from './config.ts';

/** Variables that the services no longer read. */
export const RETIRED_SETTINGS = [
  'CONTENT_BODY_LIMIT',
  'CONTENT_SEARCH_TIMEOUT_MS',
  'DATABASE_NAMED_STATEMENTS',
  'EDITORIAL_CONCURRENCY',
  'EDITORIAL_LANGUAGE',
  'EDITORIAL_RULES',
  'GALLERY_BODY_LIMIT',
  'NEWS_POLL_MAX_SECONDS',
  'NEWS_SEARCH_TIMEOUT_MS',
  'REDIS_TIMEOUT_MS',
] as const;

/** Warns of each retired variable that is still set: it is ignored. */
export function warnOfRetiredSettings(
  env: Environment,
  log: { warn(event: object, message: string): void },
): void {
  for (const variable of RETIRED_SETTINGS) if (env[variable]) log.warn({ variable }, 'setting_retired');
}
