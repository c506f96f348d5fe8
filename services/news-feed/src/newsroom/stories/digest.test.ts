import { expect, test } from 'vitest';
import { digestOf } from './digest.ts';
import { readLexicon } from './lexicon.ts';

test('a digest is in the language of the latest report', () => {
  const report = (title: string, source: string, language: string | null) => {
    return { title, summary: null, source, language, publishedAt: new Date('2026-11-20') };
  };
  const before = report('Sismo faz 11 mortos', 'Gazeta', 'pt-PT');
  const digest = (language: string | null) =>
    digestOf([report('Sismo faz 14 mortos em Arica', 'Jornal', language), before], readLexicon());
  expect(digest('pt-PT')).toContain('Jornal diz «14 mortos», Gazeta dizia «11 mortos».');
  expect(digest(null)).toContain('Jornal has “14 mortos”, Gazeta had “11 mortos”.');
});
