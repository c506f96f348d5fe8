import { type SharedTextName, type TextNameOf, Texts as TextsOf } from '../../shared/text/texts.ts';
import { visible } from '../../shared/text/visible.ts';
import { isInTrash, originalOf, TRASH } from '../trash.ts';
import type { en } from './en.ts';

export type TextName = SharedTextName | TextNameOf<typeof en>;

/** The section's texts. */
export class Texts extends TextsOf<TextName> {
  /** A folder's name for messages: the root and the trash have one, too. */
  folder(path: string): string {
    if (path === '' || path === TRASH) return this.say(path === '' ? 'root' : 'trash');
    return visible((isInTrash(path) ? originalOf(path) : path).replace(/\/$/, ''));
  }
}
