import type { AuditEntry } from '../audit/trail.ts';
import { deskPrefix } from '../written-by.ts';
import { readPrefix } from './keys.ts';

/** Parses whose entries are meant: `desk:NAME`, or what {@link readPrefix} does. */
export function readActor(value: string): string {
  return value.startsWith(deskPrefix('')) ? value : readPrefix(value);
}

/** Prints entries of the audit trail as a table. */
export function printTrail(entries: readonly AuditEntry[]): void {
  if (entries.length === 0) {
    console.log('Nothing of the kind was done.');
    return;
  }
  console.table(
    entries.map(({ at, action, article_id, key, address, request_id, program, detail }) => ({
      time: at.toISOString(),
      action,
      article: article_id ?? '',
      key: key ?? '',
      address: address ?? '',
      request: request_id ?? '',
      program,
      detail: JSON.stringify(detail),
    })),
  );
}

/** Prints entries of the audit trail as JSON Lines. */
export function printTrailAsJson(entries: readonly AuditEntry[]): void {
  for (const { id: _, ...entry } of entries) console.log(JSON.stringify(entry));
}
