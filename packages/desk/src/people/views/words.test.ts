import { expect, test } from 'vitest';
import { en as shared } from '../../shared/text/en.ts';
import { problemsEn } from '../../shared/text/problems-en.ts';
import type { TrailEntry } from '../api/people.ts';
import { en } from '../text/en.ts';
import type { Texts } from '../text/texts.ts';
import { doerOf, objectOf } from './words.ts';

const all: Readonly<Record<string, string>> = { ...shared, ...problemsEn, ...en };
const texts = {
  say: (name, values = {}) =>
    (all[name] ?? name).replaceAll(/\{\{(\w+)\}\}/g, (_, value) => String(values[value])),
  name: String,
  list: (values) => values.join(', '),
  date: (ms) => new Date(ms).toISOString().slice(0, 10),
} as Pick<Texts, 'say' | 'name' | 'list' | 'date'> as Texts;

const ADA = '019ad3c2-0000-7000-8000-000000000001';
const BOB = '019ad3c2-0000-7000-8000-000000000002';

function entry(action: string, object: object, person: string | null = 'Ada'): TrailEntry {
  return {
    action,
    object: { ...object },
    person,
    at: '2026-11-30T10:00:00Z',
    address: null,
    requestId: null,
  };
}

test.each([
  ['login_succeeded', { lane: 'known_address', address: '127.0.0.1', username: 'admin' }, ''],
  ['login_succeeded', { lane: 'known_address', by: 'passkey' }, 'with: a passkey'],
  ['session_confirmed', { by: 'work' }, 'with: work'],
  ['person_added', { person: ADA, role: 'writer', by: 'work' }, 'person: Ada, role: Writer, provider: work'],
  ['person_changed', { person: ADA, active: false, by: BOB }, 'person: Ada, Switched off'],
  ['bucket_saved', { id: BOB, name: 'press', active: true }, 'name: press, made the active one'],
  [
    'mail_tested',
    { to: 'me@example.org', code: 'not_set' },
    'to the e-mail address: me@example.org, outcome: No mail server is set.',
  ],
  ['trail_downloaded', { of: 'articles', entries: 2 }, 'trail: Articles and keys, number of entries: 2'],
  [
    'hook.paused',
    { id: 3, pause_reason: 'receiver_gone' },
    'number: 3, because: the address said that it is gone for good',
  ],
  ['person_added', { person: ADA, role: 'writer', by: BOB }, 'person: Ada, role: Writer'],
  ['person_removed', { person: BOB, name: 'Bob', by: ADA }, 'name: Bob, by: Ada'],
  [
    'hook.added',
    { id: 3, drafts: false, events: ['article.*', 'tag.deleted'] },
    'number: 3, told of: Articles, Tag deleted',
  ],
  [
    'article.published',
    { article: 7, published_at: '2026-11-30T10:14:04.045+00:00', program: 'pressroom content' },
    'article: 7, public since: 2026-11-30',
  ],
  ['settings_changed', { publicFolders: { before: [], after: ['press/'] } }, 'public folders: – → press/'],
  ['upload_signed', { key: 'public/a.jpg' }, 'file: public/a.jpg'],
  [
    'objects_changed',
    { action: 'trash', paths: ['a', 'b'], dest: '', name: null, affected: 2 },
    'how: put into the trash, files: a, b, number of files: 2',
  ],
  [
    'news_change_settings',
    { reportHour: { before: 8, after: 7 }, categories: { before: null, after: [{ label: 'Sea' }] } },
    'Hour of the reports: 8 → 7, categories: – → Sea',
  ],
  ['of_tomorrow', { new_member: 'x' }, 'new member: x'],
])('what %s was done to is said in words', (action, object, words) => {
  expect(objectOf(entry(action, object), new Map([[ADA, 'Ada']]), texts)).toBe(words);
});

test('what nobody who is logged in did was done by something', () => {
  const doer = (object: object) => doerOf(entry('article.published', object, null), texts);
  expect(doer({ program: 'pressroom content' })).toBe('Pressroom itself');
  expect(doer({ program: 'pressroom content cli' })).toBe('a command on the server');
  expect(doer({ key: 'aB3' })).toBe('the API key aB3');
  expect(doer({})).toBe('somebody not logged in');
});
