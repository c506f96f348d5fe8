/** Reads the file of one import, for the service that has started this process. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { reasonFor } from '@pressroom/moving/reasons';
import type { ContentTables } from '../tables.ts';
import { importFile, kept } from './import-file.ts';
import type { ProcessMessage, ProcessTask } from './import-worker.ts';
import { saveMemory } from './importer.ts';
import { WorkLost } from './imports-store.ts';

const [task] = (await once(process, 'message')) as [ProcessTask];
// Without the service, nobody knows what comes of it.
process.once('disconnect', () => process.exit(1));
const folder = mkdtempSync(join(tmpdir(), 'pressroom-import-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const db = openDatabase<ContentTables>(task.settings, 'pressroom content import');
try {
  saveMemory();
  await importFile(db, task, join(folder, 'file'), () => void say({ at: 'work' }));
  await say({ at: 'end' });
} catch (error) {
  if (error instanceof Failure) await say({ at: 'refusal', reason: kept(reasonFor(error)) });
  else if (!(error instanceof WorkLost)) console.error(error);
  process.exitCode = 1;
}
await db.destroy();
process.exit();

function say(message: ProcessMessage): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}
