import { useEffect, useRef } from 'preact/hooks';
import type { Check, FieldPlace, TextPlace } from '../state/checks.ts';

/** Where what readers get is written. */
const FIELDS: Readonly<Record<FieldPlace, string>> = {
  title: '.article-title-field textarea',
  content: '.article-writing :is([role="textbox"], .source)',
  excerpt: '[data-member="excerpt"] textarea',
  slug: '[data-member="slug"] input',
  picture: '.featured button',
  altText: '[data-picture="featured"] .field input',
  authors: '[data-terms="authors"] input',
  metaTitle: '[data-member="meta_title"] input',
};

/** Goes to a field, or to an element of the text. */
export function visit(place: Check['place']): void {
  if (typeof place !== 'string') {
    visitText(place);
    return;
  }
  const field = document.querySelector<HTMLElement>(FIELDS[place]);
  const group = field?.closest('details');
  if (group) group.open = true;
  field?.focus();
}

/** Closes a dialog and goes to a place; the focus is put back by then. */
export function useVisit(close: () => void): (place: Check['place']) => void {
  const next = useRef<Check['place']>();
  useEffect(
    () => () => {
      const { current } = next;
      if (current !== undefined) setTimeout(() => visit(current));
    },
    [],
  );
  return (place) => {
    next.current = place;
    close();
  };
}

function visitText({ element, words }: TextPlace): void {
  const field = document.querySelector<HTMLElement>(FIELDS.content);
  if (field === null) return;
  field.focus();
  if (field instanceof HTMLTextAreaElement) {
    const written = [words, words.replaceAll('&', '&amp;')].find((one) => field.value.includes(one)) ?? '';
    const start = field.value.indexOf(written);
    field.setSelectionRange(start, start + written.length);
    // Browsers scroll to what is selected when the field gets the focus.
    field.blur();
    field.focus();
    return;
  }
  const found = placeIn(field, element, words);
  if (found === undefined) return;
  found.scrollIntoView({ block: 'center' });
  if (element === 'img') getSelection()?.collapse(found, 0);
  else getSelection()?.selectAllChildren(found);
}

/** The first such element of the editor, which shows the addresses of pictures of other hosts. */
function placeIn(surface: Element, element: string, words: string): Element | undefined {
  const named = (one: Element) =>
    one.getAttribute('src') ?? one.getAttribute('href') ?? one.textContent?.trim() ?? '';
  const own = [...surface.querySelectorAll(element)].filter((one) => named(one) === words);
  const undescribed = own.find((one) => element === 'img' && (one.getAttribute('alt') ?? '') === '');
  const boxes = element === 'img' ? [...surface.querySelectorAll('.rich-text-box')] : [];
  return undescribed ?? own[0] ?? boxes.find((one) => one.lastElementChild?.textContent === words);
}
