import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import { isDatabaseAway } from '@pressroom/common/database/database';
import { RENEW_MS } from '@pressroom/common/database/leases';
import { reasonOf as messageOf } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import type { Reason } from '@pressroom/moving/reasons';
import type { ContentConfig } from '../config.ts';
import type { SiteValues } from '../site.ts';
import type { ImportSettings } from './import-file.ts';
import { type ClaimedImport, type ImportStore, LEASE_MS, WorkLost } from './imports-store.ts';

const PROCESS = fileURLToPath(new URL('./import-process.ts', import.meta.url));

/** The heap of a process that reads a file, in MiB: a file can have no text that needs more. */
const HEAP_MIB = 768;

/** A process that reads nothing for so long has met something that never ends, in ms. */
const STUCK_MS = 600_000;

/** The pause after a failure, in ms: the database may be away. */
const RETRY_MS = 2000;

/** The task of a process. */
export interface ProcessTask {
  claimed: ClaimedImport;
  settings: ImportSettings;
}

/** A process's messages: it gets on, it is ready, or why the file cannot be imported. */
export type ProcessMessage = { at: 'work' } | { at: 'end' } | { at: 'refusal'; reason: Reason };

/** A process's end: `lost` if the work is another's by now, `broken` if nobody knows why. */
type Ending = 'done' | 'lost' | 'broken' | 'stopped' | { reason: Pick<Reason, 'code' | 'about'> };

/**
 * Does the work of imports, one at a time beside those of other replicas. A file is read in a process of its
 * own, which nothing in the file can make this one wait for, or end with it.
 */
export class ImportWorker {
  readonly #store: ImportStore;
  readonly #config: ContentConfig;
  readonly #site: { current: () => Promise<SiteValues> };
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #loop: BackgroundLoop;

  constructor(
    store: ImportStore,
    config: ContentConfig,
    site: { current: () => Promise<SiteValues> },
    log: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#store = store;
    this.#config = config;
    this.#site = site;
    this.#log = log;
    this.#loop = new BackgroundLoop((signal) => this.#work(signal));
  }

  /** Announces that there may be work. */
  wake(): void {
    this.#loop.wake();
  }

  /** Ends what is under way; another replica goes on with it, or this one when it is back. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #work(signal: AbortSignal): Promise<number> {
    try {
      while (!signal.aborted) {
        const claimed = await this.#store.claim();
        if (claimed === undefined) break;
        await this.#do(claimed, signal);
      }
      const ms = await this.#store.msUntilDue();
      return ms === undefined ? Number.POSITIVE_INFINITY : Math.min(Math.max(ms, RETRY_MS), LEASE_MS);
    } catch (error) {
      if (!isDatabaseAway(error)) this.#log.warn({ err: error }, 'import_work_failed');
      return RETRY_MS;
    }
  }

  async #do(claimed: ClaimedImport, signal: AbortSignal): Promise<void> {
    const { id, state } = claimed;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.#store.renew(claimed).catch((error: unknown) => error instanceof WorkLost && lost.abort());
    }, RENEW_MS);
    try {
      const ending = await (state === 'undoing'
        ? this.#undo(claimed, signal)
        : this.#read(claimed, signal, lost.signal));
      this.#log.info({ import: id, work: state, ending }, 'import_work_ended');
      if (ending === 'lost') return;
      if (ending === 'stopped' || ending === 'broken')
        return await this.#store.release(claimed, ending === 'broken');
      if (ending === 'done') return await this.#store.finish(claimed);
      const { code, about } = ending.reason;
      await this.#store.finish(claimed, { at: state, code, about });
    } finally {
      clearInterval(renewal);
    }
  }

  async #undo(claimed: ClaimedImport, signal: AbortSignal): Promise<Ending> {
    try {
      while (await this.#store.undoSome(claimed)) if (signal.aborted) return 'stopped';
      return 'done';
    } catch (error) {
      if (error instanceof WorkLost) return 'lost';
      this.#log.warn({ err: error, import: claimed.id }, 'import_not_undone');
      return 'broken';
    }
  }

  async #read(claimed: ClaimedImport, stopping: AbortSignal, lost: AbortSignal): Promise<Ending> {
    const site = await this.#site.current();
    const child = fork(PROCESS, {
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    const task: ProcessTask = { claimed, settings: { ...settingsOf(this.#config), site } };
    child.send(task);
    return endOf(child, stopping, lost, (said) => {
      this.#log.warn({ import: claimed.id, said }, 'import_process_failed');
    });
  }
}

function settingsOf(config: ContentConfig): Omit<ImportSettings, 'site'> {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = config;
  const { CONTENT_HTML, CONTENT_JSON_LD, CONTENT_OVERLAYS, CONTENT_EXTRA_SCHEMA } = config;
  const rules = { CONTENT_HTML, CONTENT_JSON_LD, CONTENT_OVERLAYS, CONTENT_EXTRA_SCHEMA };
  return { DATABASE_URL: DATABASE_DIRECT_URL ?? DATABASE_URL, ...rules };
}

/** Waits for the end of a process; kills one that is to stop, or gets nowhere. */
function endOf(
  child: ChildProcess,
  stopping: AbortSignal,
  lost: AbortSignal,
  onFault: (said: string) => void,
): Promise<Ending> {
  let ending: Ending = 'broken';
  let said = '';
  const kill = (as: Ending) => () => {
    ending = as;
    child.kill('SIGKILL');
  };
  const [onStop, onLost] = [kill('stopped'), kill('lost')];
  const onStuck = kill({ reason: { code: 'stuck', about: null } });
  stopping.addEventListener('abort', onStop);
  lost.addEventListener('abort', onLost);
  if (stopping.aborted) onStop();
  let watch = setTimeout(onStuck, STUCK_MS);
  child.stderr?.on('data', (text) => {
    said = (said + text).slice(-2000);
  });
  child.on('message', (message: ProcessMessage) => {
    clearTimeout(watch);
    watch = setTimeout(onStuck, STUCK_MS);
    if (message.at === 'end') ending = 'done';
    if (message.at === 'refusal') ending = { reason: message.reason };
  });
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(watch);
      stopping.removeEventListener('abort', onStop);
      if (ending === 'broken') onFault(said);
      resolve(ending);
    };
    child.once('close', end);
    child.once('error', (error) => {
      said = messageOf(error);
      end();
    });
  });
}
