import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A service of docker-compose.yml as Compose resolves it. */
export interface ComposeService {
  build?: unknown;
  image?: string;
  environment?: Record<string, string | null>;
  ports?: unknown[];
  profiles?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  networks?: string[];
  network_mode?: string;
  tmpfs?: string[];
  restart?: string;
  stop_grace_period?: string;
  healthcheck?: unknown;
  logging?: { options?: Record<string, string> };
  mem_limit?: string;
  pids_limit?: number;
  depends_on?: Record<string, { condition: string; required?: boolean }>;
}

/**
 * The services of docker-compose.yml with the variables of `env` put in, as `docker compose config` does it:
 * the forms `${NAME}`, `${NAME:-default}` and `${NAME:+value}`, nested, and variables without a value.
 */
export async function resolvedCompose(env: Record<string, string>): Promise<Record<string, ComposeService>> {
  const { services } = await readCompose();
  for (const service of Object.values(services)) {
    const given = Object.entries(service.environment ?? {}).flatMap(([name, value]) => {
      const resolved = value === null ? env[name] : interpolate(String(value), env);
      return resolved === undefined ? [] : [[name, resolved] as const];
    });
    service.environment = Object.fromEntries(given);
    if (service.image !== undefined) service.image = interpolate(service.image, env);
  }
  return services;
}

/** The networks of docker-compose.yml by name, with what it says of them. */
export async function composeNetworks(): Promise<Record<string, unknown>> {
  return (await readCompose()).networks;
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, unknown>;
}

async function readCompose(): Promise<ComposeFile> {
  const text = await readFile(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8');
  return parse(text, { merge: true });
}

/** Puts variables into a value, the innermost first. */
function interpolate(value: string, env: Record<string, string>): string {
  const INNERMOST = /\$\{(\w+)(?::([-+])([^${}]*))?\}/;
  let text = value;
  for (let match = INNERMOST.exec(text); match !== null; match = INNERMOST.exec(text)) {
    const [whole, name = '', kind, word = ''] = match;
    const given = env[name] ?? '';
    const replacement = kind === '+' ? given && word : given || (kind === '-' ? word : '');
    text = text.replace(whole, () => replacement);
  }
  return text;
}
