/**
 * What a reader finds in a file from elsewhere, one after the other: something to import, as a line of JSON
 * Lines has it; something that is no article; or what cannot be read.
 */
export type SourceEntry =
  | ImportEntry
  | { place: string; skipped: string }
  | { place: string; unreadable: string };

/** Something to import. */
export interface ImportEntry {
  /** Where it stands in the file, such as `line 7`: for reports. */
  place: string;
  line: unknown;
  /** What identifies it for good in what it comes from; else its own members do. */
  identity?: Identity | undefined;
  /** Where readers found it: an address, or a path of the site. */
  address?: string | undefined;
  /** What was lost or changed on the way. */
  notes?: readonly string[] | undefined;
}

/** What makes an article of an export from elsewhere another one than all others. */
export interface Identity {
  /** Its site, id, addresses and the like; its slug and the date of its publication are added. */
  parts: readonly string[];
  /** What earlier versions took for its identity. */
  former: readonly (readonly string[])[];
  /** A slug that is made of the one that it had, which was none of ours. */
  slug?: string | undefined;
}
