import { type SharedTextName, type TextNameOf, Texts as TextsOf } from '../../shared/text/texts.ts';
import type { en } from './en.ts';

/** The section's texts. */
export class Texts extends TextsOf<SharedTextName | TextNameOf<typeof en>> {}
