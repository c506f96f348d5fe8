import { namesIn, type PeopleCount, withoutCounts } from './people-counts.ts';
import { type Lexicon, termsOf } from './terms.ts';

/** A report that counts people. */
interface CountingReport {
  title: string;
  summary: string | null;
  source: string;
  publishedAt: Date;
}

interface Counted {
  count: PeopleCount;
  report: CountingReport;
}

/**
 * True only if the counts of two reports of a story, the later one first, are certainly of one event and of
 * all of it; a story may hold several.
 */
export function areOfOneEvent(now: Counted, then: Counted, lexicon: Lexicon): boolean {
  return (
    areOfOneThing(now.count, then.count) &&
    !isOfLess(now.count, then.count) &&
    !isOfAttacker(now, then) &&
    areOnOneEvent(now, then, lexicon) &&
    isAt(now.count, then, lexicon) &&
    isAt(then.count, now, lexicon)
  );
}

/**
 * Two reports that give counts of one event are at most this many hours apart, and less where each day has
 * such an event.
 */
const MOST_HOURS = 48;
const MOST_HOURS_IN_WAR = 12;

/** In a war, where nothing but its countries tells one attack from the next. */
const MOST_HOURS_OF_ANY_ATTACK = 6;
const HOUR_MS = 60 * 60 * 1000;

const WAR =
  /air ?strike|\bstrikes?\b|missile|drone|shell(?:ing|ed)|bombard|rocket|\braids?\b|clash|settler|militant|insurgent|rebel|soldier|troops|gang|ataque|attaque|frappe|angriff|ракет|удар|дрон|обстрел|空袭|空襲|袭击|导弹|无人机/iu;

/** A country that acts: “Chilean attacks”, “Chile kills five”, not “in Chile kills five”. */
const ACTING =
  /(?<!(?:\b(?:in|at|near|of|across|through|hits?|to|from|the)|[’']s) )(?<!\p{L})(?<who>\p{Lu}[\p{L}.]+) (?:air ?)?(?:attacks?|fire|gunfire|forces|army|military|assaults?|bombs?|bombings?|kills?|killed|killing)(?!\p{L})/gu;

function isOfWar(text: string, { latin }: Lexicon): boolean {
  if (WAR.test(text)) return true;
  return text.matchAll(ACTING).some(({ groups }) => {
    return latin.get((groups?.who ?? '').toLowerCase())?.kind === 'place';
  });
}

/** True if two counts name the same places, or one names none: in a war a place has many attacks. */
function haveOnePlace({ places: mine }: PeopleCount, { places: theirs }: PeopleCount): boolean {
  if (mine.length === 0 || theirs.length === 0) return true;
  return new Set([...mine, ...theirs]).size === mine.length && mine.length === theirs.length;
}

/** Several events at once: another report counts one of them. */
const SEVERAL =
  /\b(?:air ?strikes|strikes on|attacks|shootings|raids|bombings|ataques|attaques|frappes|angriffe|(?:pair|series|string|spate|wave) of)\b/iu;

/** Words for what an event happens to, which two events of a place differ in; each line is one thing. */
const SCENES: readonly RegExp[] = [
  'bus(?:es)?|coach(?:es)?|minibus|minivan',
  'trains?|trams?|rail(?:way)?|metro|subway',
  'planes?|jets?|aircraft|airliner|airplane',
  'helicopters?|choppers?',
  'boats?|ferry|ferries|ships?|vessels?|dinghy',
  'cars?|trucks?|lorry|lorries|vans?|vehicles?',
  'schools?|college|university|campus',
  'hospitals?|clinics?',
  'hotels?|resorts?|hostel',
  'factory|factories|plants?|warehouse|mill',
  'mosques?|church(?:es)?|temples?|synagogues?|cathedral',
  'prisons?|jails?',
  'malls?|markets?|shops?|shopping|stores?|supermarkets?|bazaar',
  'mines?',
  'bars?|pubs?|clubs?|nightclubs?|caf[eé]s?|restaurants?|disco',
  'apartments?|houses?|homes?|flats?|residential|dormitory',
].map((words) => new RegExp(String.raw`\b(?:${words})\b`, 'iu'));

/** True if both texts tell of scenes, and none is the same. */
function areOfOtherScenes(mine: string, theirs: string): boolean {
  const [here, there] = [mine, theirs].map((text) => SCENES.filter((scene) => scene.test(text)));
  return !!here?.length && !!there?.length && !here.some((scene) => there.includes(scene));
}

/** Terms, beside the counts, that two reports on one event share at least… */
const SHARED_TERMS = 2;

/** … one of them none that tells of any event of its kind. */
const ANY_EVENT =
  /^=?(?:air ?strike|attack|blast|bomb|clash|crash|earthquake|explo|fire|flood|protest|quake|raid|shoot|storm|strike)/u;

function areOnOneEvent(now: Counted, then: Counted, lexicon: Lexicon): boolean {
  const [mine, theirs] = [textOf(now.report), textOf(then.report)];
  if (SEVERAL.test(mine) !== SEVERAL.test(theirs) || areOfOtherScenes(mine, theirs)) return false;
  const known = subjectOf(then.report, lexicon);
  const shared = [...subjectOf(now.report, lexicon)].filter(([term]) => known.has(term));
  // Two pairs of characters are one word.
  const words = shared.reduce((sum, [, kind]) => sum + (kind === 'characters' ? 0.5 : 1), 0);
  if (words < SHARED_TERMS || shared.every(([term]) => ANY_EVENT.test(term))) return false;
  const isOwn = shareOwn(now, then, lexicon);
  const hours = Math.abs(now.report.publishedAt.getTime() - then.report.publishedAt.getTime()) / HOUR_MS;
  if (!isOfWar(`${mine} ${theirs}`, lexicon)) {
    return hours <= MOST_HOURS && (isOwn || !TRAFFIC.test(mine));
  }
  return (
    hours <= (isOwn ? MOST_HOURS_IN_WAR : MOST_HOURS_OF_ANY_ATTACK) &&
    haveOnePlace(now.count, then.count) &&
    now.count.sides.join() === then.count.sides.join()
  );
}

/** Accidents of which a country has several a day. */
const TRAFFIC = /\b(?:crash(?:es|ed)?|collisions?|collides?|overturns?|plunges?)\b/iu;

/** Words that reports on any attack or accident share. */
const OF_ANY = new RegExp(
  String.raw`(?<!\p{L})(?:forces?|army|military|massive|major|deadly|overnight|latest|people|children|child|women|ministry|health|media|state|ceasefire|truce|war|aid|north|south|east|west|northern|southern|eastern|western|central|russian?|ukrainian|israeli?|palestinians?|near|road|highway|driver|passengers?)(?!\p{L})|(?:${WAR.source})\p{L}*|${TRAFFIC.source}|${SCENES.map(({ source }) => source).join('|')}`,
  'giu',
);

function withoutAny({ title, summary, ...report }: CountingReport): CountingReport {
  return { ...report, title: title.replace(OF_ANY, ' '), summary: summary?.replace(OF_ANY, ' ') ?? null };
}

/** True if two reports share a word that reports on other attacks and accidents of a country have not. */
function shareOwn(now: Counted, then: Counted, lexicon: Lexicon): boolean {
  const known = subjectOf(withoutAny(then.report), lexicon);
  return subjectOf(withoutAny(now.report), lexicon)
    .entries()
    .some(([term, kind]) => known.has(term) && kind !== 'place' && !ANY_EVENT.test(term));
}

/** The terms of a report that are no counts. */
function subjectOf({ title, summary }: CountingReport, lexicon: Lexicon): Map<string, string> {
  const text = {
    title: withoutCounts(title),
    summary: summary && withoutCounts(summary),
    originalTitle: null,
  };
  const terms = [...termsOf(text, lexicon).terms].filter(([, { kind }]) => kind !== 'number');
  return new Map(terms.map(([term, { kind }]) => [term, kind]));
}

/** The count of a whole event is at most this many times as high as one that is taken for it. */
const MOST_TIMES = 2;

/** True if a later count is so much lower that it is of a part or of another thing; the missing are found. */
function isOfLess(now: PeopleCount, then: PeopleCount): boolean {
  return !now.of.startsWith('missing') && now.least * MOST_TIMES < then.least;
}

/** Attacks by people who often are among the dead. */
const BY_A_PERSON =
  /\b(?:shoot(?:s|ing|ings|er)?|gunm[ae]n|shot|stabb(?:ed|ing|ings)|stabs?|knife|suicide|bomber|attacker|assailant|rampage|rams?|rammed)\b|枪击|自杀式|砍人/iu;

/** True if two sources may differ in nothing but whether the attacker counts. */
function isOfAttacker(now: Counted, then: Counted): boolean {
  return (
    now.count.of.startsWith('dead') &&
    Math.abs(now.count.least - then.count.least) === 1 &&
    now.report.source !== then.report.source &&
    BY_A_PERSON.test(`${textOf(now.report)} ${textOf(then.report)}`)
  );
}

/** True if two counts can be of one event, judging by their days, sides and places. */
function areOfOneThing(a: PeopleCount, b: PeopleCount): boolean {
  if (a.isSum !== b.isSum || (a.isSum && a.places.toSorted().join() !== b.places.toSorted().join()))
    return false;
  const pairs = [
    [a.days, b.days],
    [a.sides, b.sides],
    [a.at, b.at],
  ];
  return pairs.every(([mine = [], theirs = []]) => theirs.length === 0 || isAmong(mine, theirs));
}

/** True if the other report names the place of the count, or has no place and counts about as many. */
function isAt(count: PeopleCount, other: Counted, lexicon: Lexicon): boolean {
  const names = namesIn(textOf(other.report), lexicon);
  if (isAmong(count.places, names) && isAmong(count.at, names)) return true;
  const [fewer = 0, more = 0] = [count.least, other.count.least].sort((a, b) => a - b);
  return other.count.places.length === 0 && more <= MOST_TIMES * fewer;
}

function isAmong(some: readonly string[], others: readonly string[]): boolean {
  return some.length === 0 || some.some((one) => others.includes(one));
}

/** Title and summary as one text. */
export function textOf({ title, summary }: { title: string; summary: string | null }): string {
  return summary === null ? title : `${title}. ${summary}`;
}
