import { visible } from '../../shared/text/visible.ts';

/** Why a name cannot be one of a new file or folder; undefined if it can. */
export function nameFault(name: string): 'empty' | 'characters' | undefined {
  if (name.trim() === '') return 'empty';
  const isOdd = /[/\\]/.test(name) || visible(name) !== name || name === '.' || name === '..';
  return isOdd ? 'characters' : undefined;
}
