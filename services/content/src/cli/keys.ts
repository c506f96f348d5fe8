import type { ApiKeyStore, ListedKey } from '../api-keys/store.ts';

/** Makes a key and prints it alone on a line, so that it can be captured; what to know goes to standard error. */
export async function createKey(keys: ApiKeyStore, name: string, expiresAt: Date | null): Promise<void> {
  const key = await keys.create(name, expiresAt);
  console.error(`The key of ${name}. It is not shown again:`);
  console.log(key);
}

/** Prints the keys as a table. */
export async function listKeys(keys: ApiKeyStore): Promise<void> {
  const rows = await keys.list();
  if (rows.length === 0)
    return console.log('There are no keys. Make one with `content keys create --name NAME`.');
  console.table(
    rows.map((key) => ({
      prefix: key.prefix,
      name: key.name,
      state: stateOf(key),
      created: shown(key.created_at),
      expires: shown(key.expires_at),
      'last used': shown(key.last_used_at),
    })),
  );
}

/** Revokes the key of `prefix`. Throws when there is no such key in use. */
export async function revokeKey(keys: ApiKeyStore, prefix: string): Promise<void> {
  if (!(await keys.revoke(prefix)))
    throw new Error(`no key in use begins with pk_${prefix}; see \`content keys list\``);
  console.log(`Revoked pk_${prefix}. It stops working within 5 seconds.`);
}

function stateOf({ revoked_at, expires_at }: ListedKey): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && expires_at.getTime() <= Date.now() ? 'expired' : 'active';
}

function shown(time: Date | null): string {
  return time?.toISOString() ?? '';
}
