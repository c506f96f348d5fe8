import type { Reason } from '../api/imports.ts';
import type { Say, TextName } from '../text/texts.ts';

/** A reason in a sentence of the language. */
export function sentenceOf({ code, about }: Reason, say: Say): string {
  const kind = code === 'not_article' ? KINDS.get(about ?? '') : undefined;
  if (kind !== undefined) return say(kind);
  // `_other` ends the form of a count.
  return say(`reason_${code === 'other' ? 'unsaid' : code}`, { about: about ?? '?' });
}

/** What the parts of an export are that are no articles, by the names that WordPress and Ghost give them. */
const KINDS = new Map<string, TextName>([
  ['attachment', 'left_attachment'],
  ['page', 'left_page'],
  ['nav_menu_item', 'left_menu'],
  ['wp_navigation', 'left_menu'],
  ...['custom_css', 'customize_changeset', 'wp_template', 'wp_template_part', 'wp_global_styles'].map(
    (name): [string, TextName] => [name, 'left_look'],
  ),
  ...['wp_font_family', 'wp_font_face'].map((name): [string, TextName] => [name, 'left_look']),
  ['revision', 'left_revision'],
  ...['oembed_cache', 'user_request', 'no type'].map((name): [string, TextName] => [name, 'left_service']),
  ...['product', 'product_variation'].map((name): [string, TextName] => [name, 'left_product']),
]);

/** Where something stands in a file. */
export function placeOf(place: string, say: Say): string {
  const [, kind, number] = /^(line|post) (\d+)$/.exec(place) ?? [];
  return kind === 'line' || kind === 'post' ? say(`place_${kind}`, { number: Number(number) }) : place;
}
