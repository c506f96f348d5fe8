import { expect, test } from 'vitest';
import { type DigestReport, digestOf } from './digest.ts';
import { readLexicon } from './terms.ts';

const lexicon = readLexicon();

/** The digest of a report of Jornal after one of Gazeta; each is a title and a summary. */
function digest(now: Text, then: Text, language: string | null = null): string | null {
  const reports = [report('Jornal', now, language), report('Gazeta', then, language)];
  return digestOf(reports, lexicon);
}

type Text = string | [string, string];

function report(source: string, text: Text, language: string | null): DigestReport {
  const [title, summary = null] = [text].flat();
  return { title: title ?? '', summary, source, language, publishedAt: new Date('2026-11-20') };
}

test('a digest is in the language of the latest report', () => {
  const inLanguage = (language: string | null) =>
    digest('Sismo faz 14 mortos em Arica', 'Sismo faz 11 mortos', language);
  expect(inLanguage('pt-PT')).toContain('Jornal diz «14 mortos», Gazeta dizia «11 mortos».');
  expect(inLanguage(null)).toContain('Jornal has “14 mortos”, Gazeta had “11 mortos”.');
});

test.each<[Text, Text, string, string]>([
  ['Quake kills 14 in Arica', 'Eleven dead in Arica quake', 'kills 14', 'Eleven dead'],
  ['Death toll of the Arica quake rises to 1,419', 'Quake: 1.419 Tote und 20 Verletzte', '', ''],
  [
    'Ferry sinks, 14 people were killed',
    'Ferry sinks: at least 16 dead',
    '14 people were killed',
    'at least 16 dead',
  ],
  ['Arica fire: 3 dead and 12 injured', 'Fire in Arica leaves 3 dead, 9 injured', '12 injured', '9 injured'],
  ['Erdbeben in Arica: 14 Tote', 'Erdbeben fordert 11 Todesopfer in Arica', '14 Tote', '11 Todesopfer'],
  ['Un séisme à Arica fait 14 morts', 'Séisme à Arica: 11 morts', '14 morts', '11 morts'],
  [
    'Mueren 14 personas en Arica',
    'Al menos 16 muertos en Arica',
    'Mueren 14 personas',
    'Al menos 16 muertos',
  ],
  [
    'Число погибших при пожаре в Казани возросло до 14',
    'При пожаре в Казани погибли 11 человек',
    'Число погибших при пожаре в Казани возросло до 14',
    'погибли 11 человек',
  ],
  [
    '1 dead, 5 injured and two in custody in Mall of Arica shooting',
    'Search for gunmen after 10 injured in Mall of Arica shooting',
    '5 injured',
    '10 injured',
  ],
  ['天津化工厂爆炸已致3死7伤', '天津化工厂爆炸造成2人死亡', '3死', '2人死亡'],
  ['甘肃地震死亡人数升至14人', '甘肃地震造成11人遇难', '死亡人数升至14人', '11人遇难'],
  ['能登の地震で14人が死亡', '能登の地震で11人死亡', '14人が死亡', '11人死亡'],
])('%j contradicts %j', (now, then, mine, theirs) => {
  const told = digest(now, then) ?? '';
  if (mine === '') expect(told).not.toMatch(/contradicts|不一致|食い違い/u);
  else expect(told).toMatch(new RegExp(`[“「]${mine}[”」].*[“「]${theirs}[”」]`, 'u'));
});

test.each<[string, Text, Text]>([
  [
    'another thing',
    'Storm Ada: eight people dead in Arica',
    'Storm Ada leaves 3.3 million people in Arica without power',
  ],
  ['the injured', 'Quake in Arica: 20 injured', 'Quake in Arica: 11 dead'],
  ['others who died', 'Blast in Arica kills two soldiers', 'Blast in Arica kills nine people'],
  ['a part', 'Blast in Arica kills 9, including 3 children', 'Blast in Arica: 3 children dead'],
  ['more of them', 'Three more people died in the Arica fire', 'Nine people died in the Arica fire'],
  ['a lower bound', 'Fire in Arica kills 14', 'Fire in Arica kills at least 11'],
  ['an estimate', 'Arica quake leaves 97 dead', 'About 100 dead after quake in Arica'],
  ['an upper bound', 'Arica quake: eight dead', 'Arica quake: up to ten dead'],
  ['another place', 'Storm kills two in Peru', 'Storm kills 34 in Chile, two in Peru'],
  ['several places', 'Storm kills 18 in Peru', '20 dead as storm hits Peru and Chile'],
  ['a place of many', 'Storm death toll rises to 103', 'Storm: 4 dead in Peru'],
  ['a part of a country', 'Five dead as floods hit northern Iran', '22 dead as floods hit southern Iran'],
  ['a place before the toll', 'US tornado death toll rises to 88', 'Kentucky death toll rises to 80'],
  ['another quake', 'Quake of magnitude 5.2 injures 3', 'Quake of magnitude 6.1 injures 5'],
  ['a part behind a comma', 'Storm Ada death toll is 103', 'Storm Ada death toll rises, 60 dead in Peru'],
  ['another day', 'Quake on Monday injured three people', 'Quake on Sunday injured five people'],
  ['another year', 'Quake kills 14 in Arica', 'Fire in Arica, where the quake of 2010 killed 500 people'],
  ['no certainty', 'Quake kills 14 in Arica', 'Quake in Arica: 40 people feared dead'],
  ['both values', 'Death toll of Arica quake rises from 11 to 14', 'Quake kills 11 in Arica'],
  ['a second one', 'US kills three in second strike on boats', 'US kills five in strike on boats'],
  ['several attacks', 'Strikes on Arica: 7 dead after attacks', 'Attack on Arica: 3 dead in strike'],
  ['two separate ones', 'Six dead in two separate shootings in Arica', 'Four killed in Arica shooting'],
  ['dead or missing', '16 dead in blast at Arica plant', 'Blast at Arica plant: 19 people dead or missing'],
  [
    'an age',
    'Sword attack in Arica school kills 17-year-old girl',
    'One killed in Arica school sword attack',
  ],
  ['those found', '4 bodies found, 6 climbers missing in Arica', '10 climbers missing after Arica avalanche'],
  [
    'some with their attackers',
    'More than 120 dead after gun attacks in Arica',
    'Gun attacks in Arica kill 33 people; 92 assailants also killed',
  ],
  ['another scene', '19 wounded as storm hits Peru', 'Ten wounded as storm hits Arica, Peru'],
  ['死伤', '天津化工厂爆炸致3人死亡', '天津化工厂爆炸致10人死伤'],
  ['only the place', 'Two dead in Arica school shooting', 'Gunman fires rifle in Arica, one dead'],
  [
    'another bomb',
    'Bomb blast in packed mosque kills five',
    'Blast kills three in Arica near site of bombing',
  ],
  ['a toll far below', 'Crane falls on busy road in Arica, 2 dead', 'Crane falls on train in Arica, 32 dead'],
  [
    'another suspicion',
    'Four arrested in Peru on suspicion of aiding Chile',
    'Clerk among 3 arrested in Peru on suspicion of spying for Spain',
  ],
  [
    'another strike of a war',
    'At least 153 dead after strike on school, Iran says',
    'Nine dead in attack on Israel as Iran strikes region',
  ],
  [
    'a sum of hours',
    'Air strikes on Arica kill 41 people in 24 hours',
    'Air strikes on Arica kill 31 people',
  ],
  [
    'more boats',
    'US kills 8 in strike on five more alleged drug boats',
    'US kills 5 in strike on alleged drug boats',
  ],
  ['those badly injured', 'Blast in Arica hotel critically injures 2', 'Blast in Arica hotel injures 3'],
  ['a name', 'President Marques promises aid', 'President Elena Marques visits Tavira'],
  ['dates', 'Woman charged in court on Wednesday (Sep 21)', 'Woman to be charged on Monday (Sep 19)'],
  ['money', 'Alder raises $20 million', 'Alder is valued at $100 million'],
  ['受伤', '化工厂爆炸造成7人受伤', '化工厂爆炸造成3人死亡'],
  ['重伤', '印尼6.2级地震已致600多人伤', '印尼6.2级地震已致35人死亡，另有637人受伤，其中重伤189人。'],
  ['轻伤', '天津化工厂爆炸致600人伤', '天津化工厂爆炸致3人死亡，另有人受伤，其中轻伤189人'],
  [
    'a country of many',
    'Over 1,300 heat deaths linked to record Europe heatwave',
    'Record European heatwave causes 1,000 heat deaths in France',
  ],
  [
    'several scenes',
    '6 dead as storm rips through Peru and floods hit U.S. coast',
    '4 dead as storm hits Peru',
  ],
  [
    'one of several',
    'Avalanches kill 8 skiers in Arica despite warnings',
    '5 skiers killed in a pair of avalanches in Arica',
  ],
  [
    'one with the attacker',
    'Three dead in shooting at Arica mall',
    'Gunman kills two in shooting at Arica mall',
  ],
  ['a bomber', 'Suicide bombing at Arica market kills 15', '14 dead in suicide bombing at Arica market'],
  ['another vehicle', 'Bus crash on Arica road kills 12', 'Train crash on Arica road kills nine'],
  ['another building', 'Fire in Arica hospital kills 12', 'Fire at Arica hotel kills nine'],
  ['another crash of a country', 'Bus crash in Peru kills 12', 'Nine killed in bus crash in Peru'],
  [
    'a side in a war',
    'Air strikes on southern Lebanon kill 19, ministry says',
    'Lebanon says 21 killed in air strikes, ministry adds',
  ],
  ['其中', '地震造成14人死亡，其中3名儿童', '地震致3名儿童死亡'],
  ['至少', '地震造成14人死亡', '地震造成至少11人死亡'],
  ['又发现', '珠海隧道透水事故又发现10名遇难者', '珠海隧道透水事故已致3人遇难'],
  ['数十', '曼谷高楼倒塌致数十人失踪', '曼谷高楼倒塌致43人失踪'],
  ['数百', '曼谷高楼倒塌致数百人失踪', '曼谷高楼倒塌致43人失踪'],
  ['历史', '地震造成14人死亡', '2010年那场地震造成500人死亡'],
])('%s is no contradiction', (_, now, then) => {
  expect(digest(now, then)).not.toMatch(/contradict|不一致/u);
});

test.each([
  ['Arica quake', 40, true],
  ['Arica quake', 60, false],
  ['drone attack on Arica', 8, true],
  ['drone attack on Arica', 20, false],
  ['Chilean attacks on Peru', 4, true],
  ['Chilean attacks on Peru', 10, false],
  ['Chilean fire in Peru', 10, false],
  ['Chilean fire on Peru aid queue', 10, true],
])('a count of %s may contradict one of %d hours earlier: %s', (what, hours, may) => {
  const then = report('Gazeta', `Eleven dead after ${what}`, null);
  const now = report('Jornal', `14 dead after ${what}`, null);
  now.publishedAt = new Date(then.publishedAt.getTime() + hours * 60 * 60 * 1000);
  expect(digestOf([now, then], lexicon)?.includes('contradicts')).toBe(may);
});

test.each([
  ['Jornal', true],
  ['Gazeta', false],
])('one more dead in a shooting, now in %s: of the same paper %s', (source, isSame) => {
  const then = report('Jornal', 'Shooting at Arica school leaves 2 dead', null);
  const now = report(source, 'Shooting at Arica school leaves 3 dead', null);
  expect(digestOf([now, then], lexicon)?.includes('contradicts')).toBe(isSame);
});

test('what is confirmed by another source is no contradiction any more', () => {
  const reports = ['Jornal', 'Diario', 'Gazeta'].map((source, index) =>
    report(source, index === 2 ? 'Quake kills 11 in Arica' : 'Quake kills 14 in Arica', null),
  );
  expect(digestOf(reports, lexicon)).not.toContain('contradicts');
});

test.each<[Text, Text, string | undefined]>([
  [['Flood', 'The flood took 15 bridges. Page 29 of 40.'], 'Flood', 'New since Gazeta: 15 bridges.'],
  [['Flood', 'The flood cost $2.5 billion.'], 'Flood', 'New since Gazeta: $2.5 billion.'],
  [['Flood', 'It began on Sep 21 in Street 82, and 29 in 15.'], 'Flood', undefined],
  [['Flood', 'The flood took 15 bridges.'], ['Flood', 'Of the bridges, 15 are gone.'], undefined],
  [['Flood', 'President Elena Marques came.'], 'President Marques comes', undefined],
  [['Flood', 'President Elena Marques came.'], 'Flood', 'New since Gazeta: President Elena Marques.'],
  ['洪水冲毁15座桥，影响3个', '洪水', undefined],
  ['洪水影响15个城市', '洪水', '自Gazeta报道以来新增：15个城市。'],
])('what %j has that %j does not: %s', (now, then, told) => {
  const [, added] = digest(now, then)?.split('\n\n') ?? [];
  expect(added).toBe(told);
});
