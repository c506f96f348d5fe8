import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the real articles, feeds and images: `REAL_DATA_DIR`, else beside the repository. */
export const REAL_DATA_DIR =
  process.env.REAL_DATA_DIR || fileURLToPath(new URL('../../../shared/data', import.meta.url));

/** The path of a real file. Throws an error that says where it is sought when it is not there. */
export function realFile(...path: string[]): string {
  const file = join(REAL_DATA_DIR, ...path);
  if (existsSync(file)) return file;
  throw new Error(`${file} is not there: the tests with real input read it from REAL_DATA_DIR`);
}

/** An article of the real articles. */
export interface RealArticle {
  source: string;
  title: string;
  byline: string | null;
  excerpt: string | null;
  html: string;
}

/** The real articles, in the order of their lines. */
export function realArticles(): RealArticle[] {
  const lines = readFileSync(realFile('articles', 'articles.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}
