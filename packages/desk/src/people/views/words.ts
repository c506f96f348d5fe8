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
  const name = `did_${action.replaceAll('.', '_')}`;
  const sentence = say(name as TextName);
  return sentence === name ? action : sentence;
}

export function objectOf({ object }: TrailEntry): string {
  return Object.entries(object)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${isChange(value) ? changeWords(value) : valueWords(value)}`)
    .join(', ');
}

interface Change {
  readonly before: unknown;
  readonly after: unknown;
}

function isChange(value: unknown): value is Change {
  return typeof value === 'object' && value !== null && 'before' in value && 'after' in value;
}

function changeWords({ before, after }: Change): string {
  return `${valueWords(before)} → ${valueWords(after)}`;
}

function valueWords(value: unknown): string {
  return visible(typeof value === 'string' ? value : JSON.stringify(value));
}
