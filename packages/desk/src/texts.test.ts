import { describe, expect, test } from 'vitest';
import { en as accountEn } from './account/text/en.ts';
import { zh as accountZh } from './account/text/zh.ts';
import { en as articlesEn } from './articles/text/en.ts';
import { zh as articlesZh } from './articles/text/zh.ts';
import { en as homeEn } from './home/text/en.ts';
import { zh as homeZh } from './home/text/zh.ts';
import { en as invitationEn } from './invitation/text/en.ts';
import { zh as invitationZh } from './invitation/text/zh.ts';
import { en as mediaEn } from './media/text/en.ts';
import { zh as mediaZh } from './media/text/zh.ts';
import { en as movingEn } from './moving/text/en.ts';
import { zh as movingZh } from './moving/text/zh.ts';
import { en as newsEn } from './news/text/en.ts';
import { zh as newsZh } from './news/text/zh.ts';
import { en as operationsEn } from './operations/text/en.ts';
import { zh as operationsZh } from './operations/text/zh.ts';
import { en as organiseEn } from './organise/text/en.ts';
import { zh as organiseZh } from './organise/text/zh.ts';
import { en as peopleEn } from './people/text/en.ts';
import { zh as peopleZh } from './people/text/zh.ts';
import { en } from './shared/text/en.ts';
import { zh } from './shared/text/zh.ts';

/** Names of the same thing in two places, or of one and of several where a language has one word for both. */
const SAME: readonly (readonly string[])[] = [
  ['name', 'byName'],
  ['type', 'byType'],
  ['size', 'bySize'],
  ['file', 'files'],
  ['buckets', 'bucketName'],
];

/** The names of texts that read the same, without those in {@link SAME}. */
function collisions(texts: Readonly<Record<string, string>>): string[][] {
  // The forms of a count may be the same.
  const named = Object.entries(texts).map(([key, text]) => [key.replace(/_(one|other)$/, ''), text] as const);
  const keys = Map.groupBy(named, ([, text]) => text);
  return [...keys.values()]
    .map((same) => [...new Set(same.map(([key]) => key))])
    .filter((same) => same.length > 1 && !SAME.some((known) => same.every((key) => known.includes(key))));
}

const SECTIONS = {
  'the start page in en': { ...en, ...homeEn },
  'the start page in zh': { ...zh, ...homeZh },
  'the media in en': { ...en, ...mediaEn },
  'the media in zh': { ...zh, ...mediaZh },
  'the articles in en': { ...en, ...articlesEn },
  'the articles in zh': { ...zh, ...articlesZh },
  'the news in en': { ...en, ...newsEn },
  'the news in zh': { ...zh, ...newsZh },
  'moving in en': { ...en, ...movingEn },
  'moving in zh': { ...zh, ...movingZh },
  'the operations in en': { ...en, ...operationsEn },
  'the operations in zh': { ...zh, ...operationsZh },
  'organising in en': { ...en, ...organiseEn },
  'organising in zh': { ...zh, ...organiseZh },
  'the people in en': { ...en, ...peopleEn },
  'the people in zh': { ...zh, ...peopleZh },
  'the account in en': { ...en, ...accountEn },
  'the account in zh': { ...zh, ...accountZh },
  'the invitation in en': { ...en, ...invitationEn },
  'the invitation in zh': { ...zh, ...invitationZh },
};

describe.each(Object.entries(SECTIONS))('%s', (_section, texts) => {
  test('have their own words for every action', () => {
    expect(collisions(texts)).toEqual([]);
  });
});
