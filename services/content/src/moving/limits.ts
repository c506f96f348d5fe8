import { codePoints } from '@pressroom/common/fields/text';
import { slugify } from '../slug.ts';
import { truncateAtWord } from './truncate.ts';

/** The most characters of the texts that can be shortened (`docs/spec/content.md`, "Limits"). */
const TEXTS = {
  article: { title: 255, excerpt: 500, alt_text: 255, meta_title: 255, meta_description: 320, author: 255 },
  category: { name: 100, description: 500 },
  tag: { name: 100, description: 500 },
  author: { name: 100, bio: 2000 },
} as const;

/** Addresses lead nowhere when they are shortened. */
const ADDRESSES = ['featured_image', 'canonical_url', 'picture'] as const;
const MOST_OF_ADDRESS = 500;

const MOST_OF_SLUG = 100;

/** The members with those shortened, or left out, that are too long; `notes` tells which. */
export function fitted<Members extends object>(
  kind: keyof typeof TEXTS,
  members: Members,
  notes: string[],
): Members {
  const changed: Record<string, unknown> = {};
  const of = (name: string) => {
    const value: unknown = Object.entries(members).find(([one]) => one === name)?.[1];
    return typeof value === 'string' ? value : '';
  };
  const tell = (name: string, what: string) =>
    notes.push(`${kind === 'article' ? '' : `${kind} `}${name}: ${what}`);
  for (const [name, most] of Object.entries(TEXTS[kind])) {
    if (codePoints(of(name)) <= most) continue;
    changed[name] = truncateAtWord(of(name), most);
    tell(name, `shortened to ${most} characters`);
  }
  for (const name of ADDRESSES) {
    if (codePoints(of(name)) <= MOST_OF_ADDRESS) continue;
    changed[name] = null;
    tell(name, `left out, it is longer than ${MOST_OF_ADDRESS} characters`);
  }
  if (codePoints(of('slug')) > MOST_OF_SLUG) {
    changed.slug = slugify(of('slug'), kind);
    tell('slug', `shortened to ${MOST_OF_SLUG} characters`);
  }
  return { ...members, ...changed };
}
