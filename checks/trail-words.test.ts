import { globSync, readFileSync } from 'node:fs';
import { NEWSROOM_OWNER_ROUTES, NEWSROOM_ROUTES } from '@pressroom/common/desk/newsroom-routes';
import { expect, test } from 'vitest';
import { en } from '../packages/desk/src/people/text/en.ts';
import { zh } from '../packages/desk/src/people/text/zh.ts';
import { EVENT_PATTERNS } from '../services/content/src/hooks/store.ts';

/** The text of the sources of a service, tests left out. */
function textOf(service: string, ending: string): string {
  const files = globSync(`services/${service}/src/**/*.${ending}`).filter((file) => !/\.test\./.test(file));
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

function found(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([, name = '']) => name);
}

/** The actions that gallery-admin enters in its trail: its own, and those of the news that it passes on. */
function deskActions(): string[] {
  const text = textOf('gallery-admin', 'ts');
  const written = found(text, /\blogWrite\(\s*request,\s*([^,]+),/g).flatMap((name) =>
    found(name, /'(\w+_\w+)'/g),
  );
  const news = [...NEWSROOM_ROUTES, ...NEWSROOM_OWNER_ROUTES]
    .filter(([method, , id]) => (method !== 'GET' || id === 'exportSources') && !/^trySource/.test(id))
    .map(([, , id]) => `news_${id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`);
  return [...written, ...found(text, /action: '(\w+)', object/g), ...news];
}

/** The actions of content's trail, which triggers write, and a few statements. */
function articleActions(): string[] {
  const text = textOf('content', 'sql');
  const terms = ['category', 'tag', 'author', 'series'];
  return [
    ...found(text, /audit_row\(\s*'([a-z.{}]+)'/g),
    ...found(text, /into content\.audit [^;]*?'([a-z]+\.[a-z]+)'/g),
    ...found(text, /on content\.(\w+)\s+for each statement execute function content\.audit_trunc/g).map(
      (table) => `${table}.truncated`,
    ),
    ...found(textOf('content', 'ts'), /action: '(\w+)', detail/g),
  ].flatMap((name) => terms.map((term) => name.replace('{term}', term)));
}

/** The names of these texts that one of the languages lacks. */
function missing(prefix: string, names: readonly string[]): string[] {
  const keys = [...new Set(names)].map((name) => `${prefix}_${name.replaceAll('.', '_')}`);
  return keys.filter((key) => !(key in en) || !(key in zh));
}

test('every action of the two trails has a sentence', () => {
  const [desk, articles] = [deskActions(), articleActions()];
  // What is looked for is found: the code that writes actions may be written in another way one day.
  expect(desk).toEqual(expect.arrayContaining(['login_failed', 'bucket_activated', 'news_place_story']));
  expect(articles).toEqual(
    expect.arrayContaining([
      'redirect.created',
      'article.published',
      'tag.changed',
      'article.truncated',
      'import',
    ]),
  );
  expect(missing('did', [...desk, ...articles])).toEqual([]);
});

test('every event of hooks has words', () => {
  const types = EVENT_PATTERNS.filter((type) => !type.endsWith('*'));
  expect(missing('event', [...types, 'hook.test'])).toEqual([]);
});

/** The facts of deeds, as their writers name them: those of literal objects, and the columns of triggers. */
function facts(): (readonly [action: string, name: string])[] {
  const deeds = [
    ...textOf('gallery-admin', 'ts').matchAll(/\blogWrite\(\s*request,\s*'(\w+)',\s*\{([^{}]*)\}/g),
    ...textOf('content', 'sql').matchAll(/audit_row\(\s*'([a-z.{}]+)',([^)]*)\)/g),
  ];
  return deeds.flatMap(([, action = '', named = '']) =>
    named.split(',').flatMap((part) => {
      const name = /^\s*'?(\w+)'?\s*(?::.*)?$/s.exec(part)?.[1];
      return name === undefined ? [] : [[action, name] as const];
    }),
  );
}

/** What the desk does not say of a deed. */
const UNSAID = ['batch', 'lane', 'address', 'passkey', 'session', 'username'];

test('every fact of a deed has a label', () => {
  const found = facts();
  expect(found).toEqual(
    expect.arrayContaining([
      ['bucket_saved', 'active'],
      ['redirect.changed', 'to_address'],
    ]),
  );
  // Of a test mail, they say something else than elsewhere.
  const own = new Map([
    ['mail_tested to', 'mailTo'],
    ['mail_tested code', 'mailCode'],
  ]);
  const names = found.map(([action, name]) => own.get(`${action} ${name}`) ?? name);
  const said = names.filter((name) => !UNSAID.includes(name) && !(`site_${name}` in zh));
  expect(missing('fact', said)).toEqual([]);
});
