import type { GalleryApi } from '../api/gallery.ts';

/** The numbers that are tried at once for a name that is taken. */
const CANDIDATES = 20;

/** A name that somebody wants, of a file or a folder. */
export interface WantedName {
  readonly name: string;
  readonly isFolder: boolean;
}

/**
 * For each wanted name the same or a similar one that is not `reserved` and that nothing in `folder` has, all
 * of them different.
 */
export async function freeNames(
  api: Pick<GalleryApi, 'takenNames'>,
  folder: string,
  wanted: readonly WantedName[],
  reserved: Iterable<string> = [],
): Promise<string[]> {
  const known = new Set<string>();
  const taken = new Set<string>(reserved);
  for (;;) {
    const given = new Set<string>();
    const names = wanted.map((one) => {
      const name = freeName(one.name, (other) => taken.has(other) || given.has(other), one.isFolder);
      given.add(name);
      return name;
    });
    const unknown = new Set(names.filter((name) => !known.has(name)));
    if (unknown.size === 0) return names;
    // A name that was taken once has many followers as a rule: they are asked about together.
    for (const one of wanted) if (taken.has(one.name)) addCandidates(one, taken, unknown);
    for (const name of await api.takenNames(folder, [...unknown])) taken.add(name);
    for (const name of unknown) known.add(name);
  }
}

function addCandidates({ name, isFolder }: WantedName, taken: ReadonlySet<string>, to: Set<string>): void {
  const passed = new Set(taken);
  for (let count = 0; count < CANDIDATES; count += 1) {
    const candidate = freeName(name, (other) => passed.has(other), isFolder);
    passed.add(candidate);
    to.add(candidate);
  }
}

/**
 * A name like `name` that is not taken: `photo (2).jpg`, and a number that is there counts on. Folders, whose
 * names have no ending, get the number at their end.
 */
function freeName(name: string, isTaken: (name: string) => boolean, isFolder = false): string {
  if (!isTaken(name)) return name;
  const dot = isFolder ? -1 : name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const [, base = stem, digits] = /^(.*) \((\d{1,6})\)$/su.exec(stem) ?? [];
  for (let number = digits === undefined ? 2 : Number(digits) + 1; ; number += 1) {
    const candidate = `${base} (${number})${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}
