import { chineseNumber, englishNumber, type Lexicon, MAGNITUDE_PATTERN, numberOf, termsOf } from './terms.ts';

/** Phrases by which languages count people; each line is of one language or of a family. */
interface CountWords {
  /** Words behind the number: “11 people were killed”. */
  behind: readonly string[];
  /** Before the number: “killed 11 people”. */
  before: readonly string[];
  /** Names of the count: “the death toll rises to 11”. */
  named: readonly string[];
  /** In Chinese and Japanese, on either side of the number. */
  han: string;
}

/** The counts that reports on one event have in common. */
const COUNT_WORDS: Readonly<Record<string, CountWords>> = {
  dead: {
    behind: [
      'dead|deaths?|fatalities|killed|died|die',
      'muert[oa]s|fallecid[oa]s|murieron|mueren|fallecieron',
      'mortos|mortes|morreram|morrem',
      'tote|todesopfer|getötet|starben|sterben|tot',
      'morts|mortes|tués|morti',
      'погибли|погибших|погибло|умерли',
      'chết|thiệt mạng|tử vong',
    ],
    before: [
      'kill(?:ed|s|ing)?|claim(?:ed|s)',
      'mata|matou|mató|murieron|mueren|morreram|morrem|tuent|tuant',
      'погибли|погибло',
    ],
    named: [
      'death toll|number of (?:dead|deaths|fatalities)',
      'número de (?:muertos|fallecidos|mortos|mortes)',
      'zahl der (?:toten|todesopfer)|nombre de morts',
      'число погибших|số người chết',
    ],
    han: '死亡|遇难|丧生|身亡|罹难|死(?![者亡刑因伤傷])',
  },
  injured: {
    behind: [
      'injured|wounded|hurt|injuries',
      'heridos|feridos|feriti|blessés|verletzte?',
      'пострадали|пострадавших|раненых|ранены|bị thương',
    ],
    before: ['injur(?:ed|es|ing)|wound(?:ed|s|ing)', 'пострадали|ранены'],
    named: [
      'number of (?:injured|wounded)|número de (?:heridos|feridos)',
      'zahl der verletzten|nombre de blessés|число пострадавших',
    ],
    han: '受伤|负伤|負傷|けが|(?<![死重轻])伤(?![者亡势情害愈])',
  },
  missing: {
    behind: [
      'missing|unaccounted for',
      'desaparecid[oa]s|disparus|dispersi|vermisste?',
      'пропали|пропавших|mất tích',
    ],
    before: [],
    named: ['number of missing'],
    han: '失踪|失联|行方不明',
  },
  arrested: {
    behind: [
      'arrested|detained|arrests',
      'detenid[oa]s|detidos|interpellés|arrestati|festgenommen',
      'задержаны',
    ],
    before: ['arrest(?:ed|s|ing)?|detain(?:ed|s)', 'задержали'],
    named: ['number of arrests'],
    han: '被捕|被拘|逮捕',
  },
};

/** The small numbers that news writes out, beside those of `englishNumber`, from two on. */
const SMALL_NUMBERS: readonly string[] = [
  'dos dois duas zwei deux due два двое hai',
  'tres três drei trois tre три трое ba',
  'cuatro quatro vier quatre quattro четыре четверо bốn',
  'cinco fünf cinq cinque пять пятеро năm',
  'seis sechs sei шесть шестеро sáu',
  'siete sete sieben sept sette семь семеро bảy',
  'ocho oito acht huit otto восемь восьмеро tám',
  'nueve nove neun neuf девять chín',
  'diez dez zehn dix dieci десять mười',
];

/** Words that make a number a limit or an estimate. */
const BOUNDS = {
  least:
    'at least|more than|over|no fewer than|not less than|al menos|por lo menos|más de|pelo menos|ao menos|mais de|mindestens|mehr als|über|au moins|plus de|almeno|oltre|più di|не менее|более|свыше|ít nhất|hơn',
  most: "up to|as many as|fewer than|less than|hasta|até|bis zu|jusqu['’]à|fino a|до",
  about:
    'about|around|some|roughly|approximately|nearly|almost|close to|an estimated|unos|unas|cerca de|casi|quase|rund|etwa|fast|knapp|environ|près de|circa|около|почти|gần|khoảng',
};

/** Words for people of any kind: “11 dead” counts what “11 people dead” does. */
const ANYBODY =
  'people|persons?|lives|victims|souls|personas|pessoas|vidas|menschen|personen|personnes|persone|человека?|người';

/** Words between the number and the count that do not say who is counted. */
const AUXILIARIES =
  'were|was|are|is|have|has|had|been|be|be(?:ing)?|left|now|also|confirmed|reported|found|known|to|have|already|han|fueron|foram|resultaron|resultado|ficaram|wurden|sind|ums|ont|été|sont|sono|были|đã|bị|as';

/** Words that, anywhere in a sentence, show that its numbers are not this event's current count. */
const OF_ANOTHER = new RegExp(
  [
    // Another time.
    String.raw`(?<!\d)(?:1[6-9]|20)\d\d(?!\d)|\b(?:ago|since|previous(?:ly)?|earlier (?:this|attack|quake|earthquake)|last (?:year|month|week|summer|winter|spring|autumn|fall)|past|per|every|annual(?:ly)?|daily|(?:a|in(?: \w+)?) (?:day|week|month|year)|in \d+[ -]hours|history|worst|deadliest|anniversary|desde|depuis)\b`,
    String.raw`去年|前年|上月|上周|此前|曾|以来|历史|每年|每天|年前|今年|昨年|[\d一二三四五六七八九十]年`,
    // Not certain, or not so.
    String.raw`\b(?:feared|presumed|believed|may|might|could|would|will|expected|if|unconfirmed|denied|threat\w*|plot\w*|attempt\w*|no one|nobody|none|not|never|without|puede|pode|podría|könnte|pourrait|может)\b`,
    '可能|恐|疑似|如果|未|没有|否认|将',
    // More than this event.
    String.raw`\b(?:wars?|conflict|insurgency|uprising|genocide|holocaust|outbreak|epidemic|pandemic|covid|coronavirus|virus|disease|average|aftershocks?|nationwide|worldwide|globally)\b`,
    // With who did it, whom others leave out.
    String.raw`\bincluding (?:the |an? |his |her |their )*(?:\w+ )?(?:gunm[ae]n|attackers?|shooters?|bombers?|suspects?|assailants?|perpetrators?|himself|herself|themselves)\b`,
    // One of several events, or all of them.
    String.raw`\b(?:separate|another|second|third|fourth|latest|fresh|new|more|further) (?:\w+ ){0,2}(?:air ?strike|strike|attack|raid|shooting|bombing|blast|explosion|clashe|earthquake|quake|boat)s?\b`,
    '平均|疫情|新冠|病例|确诊|累计|战争|余震|全国|全球|コロナ|感染',
  ].join('|'),
  'iu',
);

/** Words just before a number that make it a part of the count or an addition to it. */
const OF_A_PART =
  /(?:\b(?:including|includes|among (?:them|those|whom)|of|another|other|further|additional|from|half|than|or|entre ellos|incluindo|darunter|dont|в том числе|включая|trong đó|critically|seriously|severely|badly|gravely|slightly)|其中|包括|另有|新增|又有|还有|再有|[另又再新](?:发现|找到|搜救出|增加?)?|うち)\s*$/iu;

/** Words that add a number to others that are not told: “three more”. */
const FURTHER =
  'more|others?|additional|further|another|new|extra|otr[oa]s|outr[oa]s|weitere|andere|autres|altri|más|mais|ещё|еще|khác';

/** People that a report counts as killed, injured, missing or arrested. */
export interface PeopleCount {
  /** The people who are counted, for comparing: `dead`, or `dead children`. */
  of: string;
  /** The range that the report allows: “at least 11” has no upper end. */
  least: number;
  most: number;
  quote: string;
  /** The places with this count, each as the lexicon's term or as it is spelled. */
  places: string[];
  /** Places that stand behind a preposition or a verb: “in Tavira”. */
  at: string[];
  /** True if it is one number for several places. */
  isSum: boolean;
  /** The days that its sentence names, and the sides of a country. */
  days: string[];
  sides: string[];
}

/** Share by which an estimate may be wrong. */
const ABOUT = 0.25;

const SMALL = new Map(
  SMALL_NUMBERS.flatMap((words, index) =>
    words.split(' ').map((word): [string, number] => [word, index + 2]),
  ),
);

const BOUND = `${BOUNDS.least}|${BOUNDS.most}|${BOUNDS.about}`;
const WRITTEN = `one(?!\\s+(?:was|is|has|had)\\b)|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|${[...SMALL.keys()].join('|')}`;
const NUMBER = String.raw`(?:(?<!\p{L})(?<bound>${BOUND})\s+)?(?<![\p{L}\d$€£¥.,:/–-])(?<digits>\d+(?:[.,]\d+)*|${WRITTEN})(?<magnitude>${MAGNITUDE_PATTERN})?(?![\p{L}\d%]|[.,:/–-]\d|-\p{L})`;
const LINKS =
  'and|or|as|after|when|while|for|on|in|at|by|near|with|of|from|across|during|e|y|en|em|und|et|в|на|и|và|ở|tại';
const WORD = String.raw`\p{L}[\p{L}’'-]*`;
const HAN_DIGITS = '[一二两三四五六七八九十百千]';
const HAN_NUMBER = String.raw`(?<bound>至少|超过|超|逾|多达|最多|约|近)?(?:已?有|共)?(?<![\d.数几上])(?<digits>\d+(?:,\d{3})*(?:\.\d+)?|${HAN_DIGITS}+)(?<magnitude>[千万])?(?<plus>[多余])?`;

/** Words that join two counts in one number: “19 dead or missing”. */
const OF_BOTH = String.raw`,?\s+(?:or|and|y|o|ou|e|et|und|oder|и|или)\s+(?:presumed |feared )?(?:${Object.values(
  COUNT_WORDS,
)
  .flatMap(({ behind }) => behind)
  .join('|')})(?!\p{L})`;

const PATTERNS = Object.entries(COUNT_WORDS).map(([of, { behind, before, named, han }]) => ({
  of,
  patterns: [
    String.raw`${NUMBER}(?<who>(?:\s+(?!(?:${LINKS}|${AUXILIARIES})(?!\p{L}))${WORD}){0,2}?)(?:,[^,.;:]{1,60},)?(?:\s+(?:${AUXILIARIES})(?!\p{L})){0,4}\s+(?:${behind.join('|')})(?!\p{L}|${OF_BOTH})`,
    String.raw`(?<!\p{L})(?:${[...before, '(?!)'].join('|')})\s+${NUMBER}(?<who>(?:\s+(?!(?:${LINKS}|${AUXILIARIES})(?!\p{L}))${WORD}){0,2})`,
    String.raw`(?<!\p{L})(?:${named.join('|')})(?!\p{L})(?:(?!\bfrom\b)[^.;:,]){0,40}?\s(?:to|at|is|was|a|en|em|de|auf|bei|à|до)\s+${NUMBER}(?<who>)`,
    String.raw`${HAN_NUMBER}[人名位]?(?<who>[\p{Script=Han}が]{0,6}?)(?:${han})`,
    `(?:${han})(?:者|人数|人员)?已?(?:上?升|增加?|达)?[至到为は達]?${HAN_NUMBER}[人名位](?<who>)`,
  ].map((pattern) => new RegExp(pattern, 'giu')),
}));

/** A cheap first test: most texts have no count, and are not read further. */
const TELLS_OF_ONE = new RegExp(
  Object.values(COUNT_WORDS)
    .flatMap(({ behind, before, named, han }) => [...behind, ...before, ...named, han])
    .join('|'),
  'iu',
);

/**
 * The counts that a report leads with, in its title or the first sentence of its summary, without those of
 * which it gives another value anywhere.
 */
export function peopleCountsOf(
  { title, summary }: { title: string; summary: string | null },
  lexicon: Lexicon,
): PeopleCount[] {
  if (!TELLS_OF_ONE.test(`${title} ${summary}`)) return [];
  const [lead = '', ...rest] = sentencesOf(summary ?? '');
  const read = (sentences: readonly string[]) =>
    sentences.flatMap((sentence) => [...countsIn(sentence, lexicon)]);
  const leading = read([...sentencesOf(title), lead]);
  const others = read(rest);
  return leading.filter((one) =>
    [...leading, ...others].every((other) =>
      one.of === other.of ? areOne(one, other) : !one.of.startsWith('dead') || !other.of.startsWith('dead'),
    ),
  );
}

const COUNTING = new RegExp(
  String.raw`(?<!\p{L})(?:${Object.values(COUNT_WORDS)
    .flatMap(({ behind, before, named }) => [...named, ...behind, ...before])
    .join(
      '|',
    )}|${ANYBODY}|${BOUND}|toll|suspicion|suspected|police|officials?|authorities|sa(?:y|ys|id)|rises?|climbs?|lea?ves?|left|live|updates?)(?!\p{L})|${Object.values(
    COUNT_WORDS,
  )
    .map(({ han }) => han)
    .join('|')}|人数|造成`,
  'giu',
);

/** A text without the words that reports on any deaths have in common. */
function withoutCounts(text: string): string {
  return text.replaceAll(COUNTING, ' ');
}

/** True if two counts allow the same value. */
export function areOne(a: PeopleCount, b: PeopleCount): boolean {
  return a.least <= b.most && b.least <= a.most;
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?]["”’»]?)\s+(?=\P{Ll})|(?<=[。！？；;])/u);
}

/** Words before a place; in titles they may have a capital. */
const AT =
  'in|at|near|of|across|through|into|off|hits?|batters?|lash(?:es)?|pounds?|ravages?|strikes?|jolts?|shakes?|rocks?|em|en|à|bei|в'
    .split('|')
    .map((word) => `[${word.charAt(0).toUpperCase()}${word.charAt(0)}]${word.slice(1)}`)
    .join('|');
const PLACE = new RegExp(
  String.raw`(?<!\p{L})(?:${AT})\s+(?:[Tt]he\s+)?(?:(?:[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est)\w*\s+|[Cc]entral\s+)?(?<name>\p{Lu}[\p{L}’'-]+|(?:\p{Lu}\.){2,})|(?<of>\p{Lu}[\p{L}’'-]+)\s+(?:\p{L}+\s+)?(?:[Dd]eath\s+)?[Tt]oll`,
  'gu',
);
const SCENE = PLACE.source.replaceAll(/\?<\w+>/gu, '');
/** “Through Arica and over Tavira”. */
const SCENES_JOINED = new RegExp(String.raw`(?:${SCENE}).*\s(?:and|y|e|et|und)\s.*(?:${SCENE})`, 'u');
const SIDE = /\b(?:north|south|east|west)(?:ern)?\b|[东南西北]部/giu;
const DAY =
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.? \d{1,2}\b|(?:周|星期|礼拜)[一二三四五六日天]|\d{1,2}日/giu;

/** The places that a text names: those of the lexicon, and names where a place stands. */
function placesIn(text: string, lexicon: Lexicon): string[] {
  const inLexicon = namesIn(text, lexicon).filter((name) => name.startsWith('='));
  return [...new Set([...inLexicon, ...scenesIn(text, lexicon)])];
}

function scenesIn(text: string, lexicon: Lexicon): string[] {
  const named = Array.from(text.matchAll(PLACE), ({ groups }) => groups?.name ?? groups?.of ?? '');
  return named.map((name) => keyOf(name, lexicon));
}

/** The names of a text, each as the lexicon's term of the place or as it is spelled. */
function namesIn(text: string, lexicon: Lexicon): string[] {
  const latin = (text.match(/\p{Lu}[\p{L}’'-]*(?:\s\p{Lu}[\p{L}’'-]*)?/gu) ?? [])
    .flatMap((name) => [name, ...name.split(/\s/u)])
    .map((name) => keyOf(name, lexicon));
  const han = [...lexicon.chinese].flatMap(([spelling, { kind, term }]) =>
    kind === 'place' && text.includes(spelling) ? [term] : [],
  );
  return [...latin, ...han];
}

function keyOf(name: string, { latin }: Lexicon): string {
  const spelling = name.toLowerCase().replace(/['’]s$|\.$/u, '');
  const meaning = latin.get(spelling);
  return meaning?.kind === 'place' ? meaning.term : spelling;
}

/** The end of the part of a sentence that tells one thing. */
const CLAUSE_END = /[;:：；，]|,(?=\s*[\p{Ll}\d])|\s[–—-]\s/gu;

/** Words for the missing who were found. */
const FOUND = /\b(?:bod(?:y|ies)|found|recover\w*|rescued?)\b|找到|获救|発見/iu;

function* countsIn(sentence: string, lexicon: Lexicon): Generator<PeopleCount> {
  if (OF_ANOTHER.test(sentence)) return;
  const days = Array.from(sentence.matchAll(DAY), ([day]) => day.toLowerCase());
  const ends = Array.from(sentence.matchAll(CLAUSE_END), ({ index }) => index);
  for (const { of, patterns } of PATTERNS) {
    if (of === 'missing' && FOUND.test(sentence)) continue;
    for (const pattern of patterns) {
      for (const match of sentence.matchAll(pattern)) {
        const before = sentence.slice(Math.max(0, match.index - 30), match.index);
        const count = isPart(before) ? undefined : peopleCountOf(of, match);
        if (count === undefined) continue;
        const [start, end] = [match.index, match.index + match[0].length];
        const from = ends.findLast((at) => at < start) ?? 0;
        const clause = sentence.slice(
          from,
          ends.find((at) => at >= end),
        );
        const own = placesIn(clause, lexicon);
        const sides = Array.from(clause.matchAll(SIDE), ([side]) => side.toLowerCase().replace(/ern$/u, ''));
        const isSum =
          own.length > 0 &&
          (/\p{Lu}\p{L}+ (?:and|y|e|et|und) (?:in )?\p{Lu}|[和与及、]/u.test(clause) ||
            SCENES_JOINED.test(clause));
        const places = own.length > 0 ? own : placesIn(sentence, lexicon);
        yield { ...count, places, at: scenesIn(sentence, lexicon), isSum, days, sides };
      }
    }
  }
}

const LISTED = new RegExp(
  String.raw`(?<![\p{L}\d])(?:\d+|a|an|${WRITTEN})\s+(?<what>\p{L}+),?\s+(?:and|y|e|et|und|и|và)\s+$`,
  'iu',
);
const COUNT = new RegExp(
  `^(?:${Object.values(COUNT_WORDS)
    .flatMap(({ behind }) => behind)
    .join('|')})$`,
  'iu',
);

/** True if a count is part of another, or of a list such as “two women and one man died”. */
function isPart(before: string): boolean {
  const listed = LISTED.exec(before)?.groups?.what;
  return OF_A_PART.test(before) || (listed !== undefined && !COUNT.test(listed));
}

const NOBODY_ELSE = new RegExp(`^(?:${ANYBODY}|不幸|当场|已|确认|被|因灾|经?抢救无效|人员|が|)*$`, 'iu');

function peopleCountOf(
  of: string,
  { 0: quote, groups = {} }: RegExpMatchArray,
): Pick<PeopleCount, 'of' | 'least' | 'most' | 'quote'> | undefined {
  const { bound = '', digits = '', magnitude, plus, who = '' } = groups;
  const value = numberIn(digits.toLowerCase(), magnitude);
  const whom = who.trim().toLowerCase();
  if (value === undefined || whom.split(/\s+/u).some((word) => FURTHER_WORD.test(word))) return undefined;
  const counted = NOBODY_ELSE.test(whom.replaceAll(' ', '')) ? of : `${of} ${whom}`;
  return { of: counted, ...rangeOf(value, plus === undefined ? bound : 'over'), quote: quote.trim() };
}

const FURTHER_WORD = new RegExp(`^(?:${FURTHER})$`, 'iu');
const LEAST = new RegExp(`^(?:${BOUNDS.least}|至少|超过|超|逾)$`, 'iu');
const MOST = new RegExp(`^(?:${BOUNDS.most}|多达|最多)$`, 'iu');

function rangeOf(value: number, bound: string): Pick<PeopleCount, 'least' | 'most'> {
  if (bound === '') return { least: value, most: value };
  if (LEAST.test(bound)) return { least: value, most: Number.POSITIVE_INFINITY };
  if (MOST.test(bound)) return { least: 0, most: value };
  return { least: value * (1 - ABOUT), most: value * (1 + ABOUT) };
}

function numberIn(digits: string, magnitude: string | undefined): number | undefined {
  if (!/\d/u.test(digits)) {
    if (digits === 'one') return 1;
    return englishNumber(digits) ?? SMALL.get(digits) ?? chineseNumber(digits);
  }
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/u.test(digits);
  return numberOf(isGrouped ? digits.replaceAll(/[.,]/gu, '') : digits.replace(',', '.'), magnitude);
}

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
