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
import { problemsZh } from './shared/text/problems-zh.ts';
import { zh } from './shared/text/zh.ts';

/** Names of the same thing in two places, or of one and of several where a language has one word for both. */
const SAME: readonly (readonly string[])[] = [
  ['name', 'byName'],
  ['type', 'byType'],
  ['size', 'bySize'],
  ['file', 'files'],
  ['buckets', 'bucketName'],
  ['restore', 'restoreItem', 'action_restore'],
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

/** All that the desk says in Chinese, each text with its section. */
const CHINESE = Object.entries({
  ...Object.fromEntries(Object.entries(SECTIONS).filter(([section]) => section.endsWith(' in zh'))),
  problems: problemsZh,
}).flatMap(([section, texts]) =>
  Object.entries(texts).map(([key, text]) => [`${section}: ${key}`, text] as const),
);

test('Chinese has the punctuation of Chinese', () => {
  const beside = /[\p{Script=Han}）”][,:;()!?]|[,:;()!?][\p{Script=Han}（“]/u;
  // What stands for a placeholder is Chinese, too.
  const wrong = CHINESE.filter(([, text]) => beside.test(text.replaceAll(/\{\{\w+\}\}/g, '字')));
  expect(wrong).toEqual([]);
});

/** The name that each thing has in Chinese, and others that it had. */
const NAMES = {
  工作台: ['管理台', '编辑台'],
  媒体库: ['图库'],
  网址: ['链接地址', '图片的地址', '文章的地址', '旧地址', '新地址'],
  恢复: ['还原'],
  恢复码: ['恢复代码'],
  已选择: ['已勾选'],
  您: ['你'],
  Webhook: ['钩子'],
  词库: ['领域包', '词包'],
  邮件服务器: ['发信服务器'],
  已通过: ['已批准'],
  审稿: ['审阅'],
  撤下: ['撤回发布', '撤回时间'],
  发布批次: ['文章组'],
  批注: ['评论'],
  系统: ['编辑部'],
};

test('Chinese has one name for one thing', () => {
  const others = Object.values(NAMES).flat();
  // Readers comment on what is imported.
  const texts = CHINESE.filter(([key]) => key !== 'moving in zh: reason_comment');
  expect(texts.filter(([, text]) => others.some((other) => text.includes(other)))).toEqual([]);
});
