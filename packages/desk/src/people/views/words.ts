import type { ApiProblem } from '../../shared/api/problem.ts';
import { visible } from '../../shared/text/visible.ts';
import { problemWords } from '../../shared/views/problem-view.tsx';
import type { Person, TrailEntry } from '../api/people.ts';
import type { Say, TextName, Texts } from '../text/texts.ts';

const CODES: Readonly<Record<string, TextName>> = {
  email_taken: 'emailTaken',
  last_owner: 'lastOwner',
  name_taken: 'nameTaken',
  not_found: 'personGone',
};

const FIELDS: Readonly<Record<string, TextName>> = { email: 'emailWrong', name: 'nameWrong' };

/** Why something was not done. */
export function reasonOf(problem: ApiProblem, say: Say): string {
  const name = CODES[problem.code] ?? FIELDS[problem.fields[0]?.field ?? ''];
  return name === undefined ? problemWords(problem, say) : say(name);
}

const INTEGRATION_CODES: Readonly<Record<string, TextName>> = {
  not_found: 'integrationGone',
  hook_paused: 'hookIsPaused',
  not_configured: 'hooksOff',
};

const INTEGRATION_FIELDS: Readonly<Record<string, TextName>> = {
  name: 'keyNameWrong',
  url: 'hookUrlWrong',
  events: 'hookEventsWrong',
  category_id: 'categoryGone',
  expires_at: 'keyEndWrong',
};

/** Why something was not done to a key or a hook. */
export function refusalOf(problem: ApiProblem, say: Say): string {
  const field = problem.fields[0]?.field.split('.')[0] ?? '';
  const name = INTEGRATION_CODES[problem.code] ?? INTEGRATION_FIELDS[field];
  return name === undefined ? problemWords(problem, say) : say(name);
}

/** Tells if a person can log in, and was here. */
export function stateOf(person: Person, texts: Texts): string {
  const { active, passkeys, hasTotp, canLogIn, invitedUntil, lastUsedAt } = person;
  const { say } = texts;
  const date = (time: string) => texts.date(Date.parse(time));
  if (!active) return say('switchedOff');
  const invited = invitedUntil === null ? [] : [say('invitedUntil', { date: date(invitedUntil) })];
  if (!canLogIn) return invited[0] ?? say('invitationEnded');
  const seen = lastUsedAt === null ? say('isActive') : say('lastSeen', { date: date(lastUsedAt) });
  const factors = [
    ...(passkeys > 0 ? [say('passkeys', { count: passkeys })] : []),
    ...(hasTotp ? [say('app')] : []),
  ];
  return [seen, ...factors, ...invited].join(' · ');
}

/** The sentence for an action; the trail's own name for one without a sentence. */
export function deedOf({ action }: TrailEntry, { say }: Texts): string {
  return textOf(`did_${action.replaceAll('.', '_')}`, say) ?? action;
}

/** Who did it: a person, a program by its key, a command, or the service at its time. */
export function doerOf({ person, object: { key, program } }: TrailEntry, texts: Texts): string {
  const { say } = texts;
  if (person !== null) return texts.name(person);
  if (typeof program === 'string') return say(program.endsWith(' cli') ? 'byCommand' : 'byItself');
  return typeof key === 'string' ? say('byKey', { key }) : say('nobodyKnown');
}

/** What else stands in an entry: who did it and from where have columns, and numbers of rows say nothing. */
const LEFT_OUT = new Set(['address', 'batch', 'lane', 'passkey', 'program', 'session', 'username']);

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/**
 * What it was done to, in words.
 *
 * @param names of people, by their ids
 */
export function objectOf({ action, object }: TrailEntry, names: ReadonlyMap<string, string>, texts: Texts) {
  const { say } = texts;
  const facts = Object.entries(object).flatMap(([name, given]) => {
    // Elsewhere it is the API key by which it was done.
    if (LEFT_OUT.has(name) || (name === 'key' && !action.startsWith('upload'))) return [];
    if (name === 'active' && given === false && action === 'person_changed') return [say('switchedOff')];
    const value = typeof given === 'string' && UUID.test(given) ? names.get(given) : given;
    if (value === undefined || value === null || value === false || value === '') return [];
    const fact = factOf(action, name, given);
    const labels = ['fact', 'site', 'news'].map((of) => textOf(`${of}_${fact}`, say));
    const label = labels.find((text) => text !== undefined) ?? name.replaceAll('_', ' ');
    return value === true ? label : say('labelled', { label, value: changeWords(fact, value, texts) });
  });
  return facts.join(say('betweenFacts'));
}

/** Members that say something else in one deed than in the others. */
const OWN_FACTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bucket_saved: { active: 'activated' },
  mail_tested: { to: 'mailTo', code: 'mailCode' },
};

/** The name of the text for a member. A way of logging in and a provider are no person. */
function factOf(action: string, name: string, value: unknown): string {
  if (name === 'by' && !UUID.test(String(value))) return action.startsWith('person') ? 'provider' : 'way';
  const own: Readonly<Record<string, string>> = OWN_FACTS[action] ?? {};
  return own[name] ?? name;
}

function changeWords(name: string, value: unknown, texts: Texts): string {
  if (typeof value !== 'object' || value === null || !('before' in value) || !('after' in value))
    return valueWords(name, value, texts);
  return `${valueWords(name, value.before, texts)} → ${valueWords(name, value.after, texts)}`;
}

function valueWords(name: string, value: unknown, texts: Texts): string {
  const { say } = texts;
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return texts.list(value.map((one) => valueWords(name, one, texts))) || '–';
  if (typeof value === 'object') return visible(nameOf(value) ?? JSON.stringify(value));
  if (typeof value !== 'string') return String(value);
  if (name === 'events') return eventWords(value, say);
  const known = VALUES[name] && textOf(`${VALUES[name]}_${value}`, say);
  return known ?? (TIME.test(value) ? texts.date(Date.parse(value)) : visible(value));
}

/** What stands for a setting with members: a category's label, or the address of a mail server. */
function nameOf(setting: object): string | undefined {
  const { label, server }: { label?: unknown; server?: unknown } = setting;
  return [label, server].find((name) => typeof name === 'string');
}

/** The beginnings of the texts for what these members may be. */
const VALUES: Readonly<Record<string, string>> = {
  action: 'action',
  mailCode: 'mailFault',
  of: 'of',
  pause_reason: 'hookPaused',
  reason: 'problem',
  role: 'role',
  scope: 'scope',
  period: 'period',
  state: 'review',
  way: 'way',
};

/** An event of hooks, or all of a kind. */
export function eventWords(type: string, say: Say): string {
  const kind = type.endsWith('.*') ? type.slice(0, -2) : undefined;
  if (kind === 'article') return say('articles');
  return textOf(kind === undefined ? `event_${type.replaceAll('.', '_')}` : `events_${kind}`, say) ?? type;
}

/** The text of a name that a service has given; undefined if there is none. */
function textOf(name: string, say: Say): string | undefined {
  const text = say(name as TextName);
  return text === name ? undefined : text;
}
