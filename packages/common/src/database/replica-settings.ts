import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import type { Logger } from '../log/logging.ts';
import type { OnNotification } from './change-listener.ts';

/** A replica's statement about itself. */
const statement = z.object({
  replica: z.string(),
  host: z.string(),
  /** True if it has just begun to listen, and so does not know the settings of the others. */
  asks: z.boolean(),
  /** Checksums of the settings, by name. */
  settings: z.record(z.string(), z.string()),
});

/**
 * Compares settings with those of the other replicas of a service, which say them to each other on a channel
 * of PostgreSQL. Each logs `replica_settings_differ`, once for every other replica, with the names of those
 * that differ. Of another build, what both know is compared.
 *
 * @param names the settings in which replicas must agree
 */
export function compareReplicas<Config extends object>(
  config: Config,
  names: readonly (keyof Config & string)[],
  log: Pick<Logger, 'warn'>,
): OnNotification {
  const checksum = (name: keyof Config) => hash('sha256', JSON.stringify(config[name] ?? null)).slice(0, 16);
  const settings: Record<string, string> = Object.fromEntries(names.map((name) => [name, checksum(name)]));
  const replica: string = randomUUID();
  const own = { replica, host: hostname(), settings };
  const known = new Set([replica]);
  return (said, notify) => {
    const say = (asks: boolean) => notify(JSON.stringify({ ...own, asks }));
    if (said === undefined) return say(true);
    const other = read(said);
    if (other === undefined) return;
    const differing = names.filter((name) => (other.settings[name] ?? settings[name]) !== settings[name]);
    if (differing.length === 0) return;
    if (!known.has(other.replica))
      log.warn({ settings: differing, host: other.host }, 'replica_settings_differ');
    known.add(other.replica);
    if (other.asks) say(false);
  };
}

/** Parses a replica's statement; undefined if it comes from a build with another form. */
function read(said: string): z.infer<typeof statement> | undefined {
  try {
    return statement.parse(JSON.parse(said));
  } catch {
    return undefined;
  }
}
