import { Failure } from '@pressroom/common/failures/failure';
import { compile } from 'css-select';
import type { Element, ParentNode } from 'domhandler';

/** The members that an editor can point to, beside the entry itself. */
const MEMBERS = ['title', 'link', 'date', 'summary'] as const;

export type ListMember = (typeof MEMBERS)[number];

/** Instead of selectors: a list is found by its structure. */
export const FOUND = 'auto';

/** The form of a list's selectors, for messages. */
export const LIST_SELECTORS = "'CSS of an entry; title CSS; link CSS; date CSS; summary CSS'";

/** The most characters of a list's selectors; their time is limited where pages are read. */
const MOST_CHARACTERS = 1000;

type Selector = (element: ParentNode) => boolean;

/** Selectors of a list's entries, and of their members. */
export interface ListSelectors {
  entry: Selector;
  members: Partial<Record<ListMember, Selector>>;
}

/**
 * Reads the selectors of an editor: that of an entry, and those of members inside, after their names.
 * Undefined for {@link FOUND}. Throws a {@link Failure} that says which is wrong.
 */
export function listSelectors(text: string): ListSelectors | undefined {
  if (text === FOUND) return undefined;
  if (text.length > MOST_CHARACTERS) {
    throw new Failure(
      'invalid',
      `the selectors of a page must be at most ${MOST_CHARACTERS} characters long`,
    );
  }
  const [entry = '', ...others] = text.split(/;(?=\s*(?:title|link|date|summary)\s)/);
  const form = `; the form is ${LIST_SELECTORS}`;
  const members = others.map((part) => {
    const [, name = '', selector = ''] = /^\s*(\w+)\s+(.*)$/s.exec(part) ?? [];
    return [name, selectorOf(selector, form)] as const;
  });
  return { entry: selectorOf(entry, form), members: Object.fromEntries(members) };
}

/** Throws a {@link Failure} that says why it is not the CSS of an article's text on its page. */
export function checkTextSelector(text: string): void {
  if (text.length > MOST_CHARACTERS) {
    throw new Failure('invalid', `a selector must be at most ${MOST_CHARACTERS} characters long`);
  }
  selectorOf(text, '');
}

function selectorOf(text: string, form: string): Selector {
  try {
    if (text.trim() === '') throw new Error('it is empty');
    // CSS forbids nesting: each `:has()` within another takes as long as the page for everything in the page.
    if (/:has\((?:.*):has\(/s.test(text)) throw new Error('it has :has() more than once');
    return compile<ParentNode, Element>(text.trim());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('invalid', `${JSON.stringify(text.trim())} is not a CSS selector: ${reason}${form}`, {
      cause: error,
    });
  }
}
