import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { readReports } from '@pressroom/news-feed/grouping/story-renewal';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { contradictionsOf, peopleCountsOf, readLexicon } from '@pressroom/stories';
import type { Kysely } from 'kysely';
import { hashOf } from './headline-archives.ts';
import type { LabelledReport } from './labelled-set.ts';
import { assignReport } from './quality.ts';

/** A contradiction that a digest states, and what a reader says of it. */
export interface Claim {
  key: string;
  text: string;
  verdict: 'real' | 'false' | 'unlabelled';
}

/** Every contradiction that digests state while reports that count people arrive, in their order. */
export async function claimsOf(
  db: Kysely<NewsTables>,
  reports: readonly LabelledReport[],
): Promise<{ counting: number; claims: Claim[] }> {
  await db.deleteFrom('news.item').execute();
  await db.deleteFrom('news.story').execute();
  const lexicon = readLexicon();
  const verdicts = readVerdicts();
  const assigner = new RulesAssigner(new StorySearch(lexicon));
  const counting = reports.filter((report) => peopleCountsOf(report, lexicon).length > 0);
  const claims = new Map<string, Claim>();
  for (const report of counting) {
    await assignReport(db, assigner, report, report.publishedAt);
    const { story } = await db
      .selectFrom('news.item')
      .select('story')
      .where('id', '=', report.id)
      .executeTakeFirstOrThrow();
    if (story === null) continue;
    const [latest, ...earlier] = (await readReports(db, [story])).get(story) ?? [];
    if (latest === undefined) continue;
    for (const { now, then, report: other } of contradictionsOf(latest, earlier, lexicon)) {
      const text = [latest, other]
        .map(({ publishedAt, source, title, summary }) =>
          [publishedAt.toISOString().slice(0, 16), source, title, summary ?? ''].join(' | '),
        )
        .join('\n    ');
      const key = hashOf([latest.title, now.quote, other.title, then.quote].join('\n'));
      const shown = `“${now.quote}” against “${then.quote}”\n    ${text}`;
      claims.set(key, { key, text: shown, verdict: verdicts.get(key) ?? 'unlabelled' });
    }
  }
  return { counting: counting.length, claims: [...claims.values()] };
}

const LINE = /^(?<key>[0-9a-f]{12}) (?<verdict>real|false)\b/u;

/** The verdicts of a reader on claims, by their keys; the texts belong to others. */
function readVerdicts(): Map<string, 'real' | 'false'> {
  const lines = readFileSync(fileURLToPath(new URL('verdicts.txt', import.meta.url)), 'utf8').split('\n');
  return new Map(
    lines.flatMap((line): [string, 'real' | 'false'][] => {
      const { key, verdict } = LINE.exec(line)?.groups ?? {};
      return key === undefined ? [] : [[key, verdict === 'real' ? 'real' : 'false']];
    }),
  );
}
