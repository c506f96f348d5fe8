import {
  type Say as SayOf,
  type SharedTextName,
  type TextNameOf,
  Texts as TextsOf,
} from '../../shared/text/texts.ts';
import type { en } from './en.ts';

export type TextName = SharedTextName | TextNameOf<typeof en>;

/** Says a text in the current language. */
export type Say = SayOf<TextName>;

/** The section's texts. */
export class Texts extends TextsOf<TextName> {}
