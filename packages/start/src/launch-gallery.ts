import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOOPBACK } from '@pressroom/embedded-postgres/ports';
import { type KeptSecrets, openGallerySecrets } from './gallery-secrets.ts';
import { Program } from './program.ts';
import { untilReady } from './readiness.ts';
import type { StartSettings } from './start-settings.ts';

const STORE = fileURLToPath(import.meta.resolve('@pressroom/object-store/main'));

/** What a service with an object store and a login runs with. */
export interface LaunchGallery {
  /** Its variables: the store, the account, the key of the settings. Secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** The embedded store; undefined where `S3_ENDPOINT` names one. */
  readonly store: Program | undefined;
  readonly hints: readonly (readonly [label: string, text: string])[];
}

/**
 * Starts the embedded object store unless `S3_ENDPOINT` names one, and generates what the environment does
 * not set: the account and the key of the settings. Throws a `StartError` if the store does not start.
 */
export async function openGallery(
  settings: StartSettings,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<LaunchGallery> {
  const kept = openGallerySecrets(settings.dataDir);
  const account = accountOf(env, kept);
  const shared = { SETTINGS_KEY: env.SETTINGS_KEY || kept.secrets.settingsKey, COOKIE_SECURE: 'false' };
  if (env.COOKIE_SECURE) shared.COOKIE_SECURE = env.COOKIE_SECURE;
  if (env.S3_ENDPOINT) {
    return { env: { ...shared, ...account.env }, store: undefined, hints: [account.hint] };
  }
  const { objectStorePort: port } = settings;
  const storeEnv = {
    S3_ENDPOINT: `http://${LOOPBACK}:${port}`,
    S3_REGION: 'us-east-1',
    S3_BUCKET: env.S3_BUCKET || 'gallery',
    S3_ACCESS_KEY_ID: kept.secrets.accessKeyId,
    S3_SECRET_ACCESS_KEY: kept.secrets.secretAccessKey,
    S3_FORCE_PATH_STYLE: 'true',
  };
  const store = await startStore(
    path.join(settings.dataDir, 'objects'),
    port,
    { ...env, ...storeEnv },
    signal,
  );
  return {
    env: { ...shared, ...account.env, ...storeEnv },
    store,
    hints: [
      account.hint,
      ['object store', `${storeEnv.S3_ENDPOINT} (for a first look, never for production)`],
    ],
  };
}

async function startStore(
  dataDir: string,
  port: number,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Program> {
  const command = [STORE, dataDir, String(port)];
  const store = new Program({ name: 'The object store', command, cwd: path.dirname(STORE), env });
  try {
    // Any answer shows that it is listening.
    await untilReady(store, port, signal, () => true);
    return store;
  } catch (error) {
    await store.stop();
    throw error;
  }
}

interface Account {
  readonly env: Readonly<Record<string, string>>;
  readonly hint: readonly [label: string, text: string];
}

/** The account of the environment, else one with a generated password, which is shown the first time. */
function accountOf(env: NodeJS.ProcessEnv, { secrets, file, isNew }: KeptSecrets): Account {
  const username = env.ADMIN_USERNAME || 'admin';
  if (env.ADMIN_PASSWORD_HASH || env.ADMIN_PASSWORD) {
    return { env: { ADMIN_USERNAME: username }, hint: ['Log in', `${username}, with your password`] };
  }
  const { adminPassword } = secrets;
  const text = isNew
    ? `${username} / ${adminPassword} (not shown again; stored in ${file})`
    : `${username}, the password is in ${file}`;
  return { env: { ADMIN_USERNAME: username, ADMIN_PASSWORD: adminPassword }, hint: ['Log in', text] };
}
