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
  /** What identifies it for good in what it comes from; else its source, title and HTML do. */
  identity?: string | undefined;
  /** Where readers found it: an address, or a path of the site. */
  address?: string | undefined;
  /** What was lost or changed on the way. */
  notes?: readonly string[] | undefined;
}
