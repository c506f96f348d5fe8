import type { Meter } from '@pressroom/common/metrics/meter';
import type { BackupFolder, KeptBackup } from './backup-folder.ts';
import type { BackupWork } from './backup-work.ts';
import { lastVerified, madeUntil } from './schedule.ts';

/** What the backup service shows: of the folder, whoever wrote it, and of its own failures. */
export function backupMeters(folder: BackupFolder, { failures }: Pick<BackupWork, 'failures'>): Meter[] {
  const gauge = (name: string, help: string, value: (kept: KeptBackup[]) => number): Meter => ({
    ...{ name, help, kind: 'gauge' },
    read: async () => [{ value: value(madeUntil(await folder.list(), new Date())) }],
  });
  return [
    gauge('backup_last_success_timestamp_seconds', 'When the newest backup was made; 0 without one', (kept) =>
      seconds(kept.at(-1)?.madeAt),
    ),
    gauge(
      'backup_last_verification_timestamp_seconds',
      'When a backup was last test-restored; 0 if none was',
      (kept) => seconds(lastVerified(kept, new Date())),
    ),
    gauge('backup_last_size_bytes', 'The size of the newest backup', (kept) => kept.at(-1)?.bytes ?? 0),
    gauge('backups_kept', 'How many backups there are', (kept) => kept.length),
    {
      name: 'backup_failures_total',
      help: 'What has failed, by step; it is tried again',
      kind: 'counter',
      labels: ['step'],
      read: () => Object.entries(failures).map(([step, value]) => ({ labels: { step }, value })),
    },
  ];
}

function seconds(time: Date | undefined): number {
  return (time?.getTime() ?? 0) / 1000;
}
