import { visible } from '../../shared/text/visible.ts';

/**
 * A name like `name` that is not taken: `photo (2).jpg`, and a number that is there counts on. Folders, whose
 * names have no ending, get the number at their end.
 */
export function freeName(name: string, isTaken: (name: string) => boolean, isFolder = false): string {
  if (!isTaken(name)) return name;
  const dot = isFolder ? -1 : name.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const [, base = stem, digits] = /^(.*) \((\d{1,6})\)$/su.exec(stem) ?? [];
  for (let number = digits === undefined ? 2 : Number(digits) + 1; ; number += 1) {
    const candidate = `${base} (${number})${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Why a name cannot be one of a new file or folder; undefined if it can. */
export function nameFault(name: string): 'empty' | 'characters' | undefined {
  if (name.trim() === '') return 'empty';
  const isOdd = /[/\\]/.test(name) || visible(name) !== name || name === '.' || name === '..';
  return isOdd ? 'characters' : undefined;
}
