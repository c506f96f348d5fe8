import { contentClient } from '@pressroom/client';
import { pathOf } from './shown.ts';

/** The content service as readers' browsers reach it: any page may read it. */
export const content = contentClient({
  baseUrl: document.documentElement.dataset.content ?? '',
  retry: { patience: 5000 },
});

/** An element with children; text stays text. */
export function element(name: string, ...children: (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

/** A link to the page of an article. */
export function linkTo(article: { id: number; slug: string }, title: string): HTMLElement {
  const link = document.createElement('a');
  link.href = pathOf(document.documentElement.dataset.article ?? '', article);
  link.textContent = title;
  return link;
}
