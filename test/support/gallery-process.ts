import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PATIENT } from './database.ts';

const MAIN = fileURLToPath(new URL('../../services/gallery-admin/src/main.ts', import.meta.url));

/** The gallery administration as a process, which a test can kill. */
export interface GalleryProcess {
  child: ChildProcess;
  url: string;
}

/** Starts the gallery administration as its own process, with exactly these settings. */
export async function startGalleryProcess(settings: Record<string, string>): Promise<GalleryProcess> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { ...PATIENT, ...settings, GALLERY_ADMIN_PORT: '0', PATH, NODE_COMPILE_CACHE };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, address } = JSON.parse(line);
    if (msg !== 'service_listening') continue;
    child.stdout.resume();
    return { child, url: address };
  }
  throw new Error('the service ended before it listened');
}

/** Kills a process, if it runs, and waits for its end. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
