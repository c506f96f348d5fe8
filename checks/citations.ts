import { existsSync } from 'node:fs';
import { glob, readFile, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A text to check, with its path relative to the repository's root. */
type Text = readonly [file: string, text: string];

/**
 * A Markdown file by its path from the root, and perhaps the heading in it: `docs/spec/wire.md`, "Session".
 */
const CITATION = /(?<![\w./-])([\w./-]+\.md)\b`?(?:, "([^"]+)")?/g;

/** A link of Markdown to another file of the repository, or to a heading. */
const LINK = /\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

/**
 * Finds citations of missing targets: Markdown files and headings named in comments of code, SQL and
 * configuration, and files and anchors that Markdown links to. Each fault is `file: …`.
 */
export async function citationFaults(root: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [file, text] of await commentsBelow(root)) {
    for (const [, path = '', heading] of text.matchAll(CITATION)) {
      const fault = await headingFault(root, path, heading);
      if (fault !== undefined) faults.push(`${file}: ${fault}`);
    }
  }
  for (const [file, text] of await textsOf(
    root,
    '{*.md,docs/**/*.md,bench/**/*.md,deploy/**/*.md,packages/*/*.md}',
  )) {
    for (const [, path = '', anchor] of withoutCode(text).matchAll(LINK)) {
      const target = path === '' ? file : posix.join(posix.dirname(file), path);
      const fault = await anchorFault(root, target, anchor);
      if (fault !== undefined) faults.push(`${file}: ${fault}`);
    }
  }
  return faults;
}

/** The comments of files other than Markdown, joined into one text per file. */
async function commentsBelow(root: string): Promise<Text[]> {
  const code = await textsOf(
    root,
    '{{packages,services}/*/src,test,bench,checks,conformance}/**/*.{ts,mjs}',
    (file, source) => parseSync(file, source).comments.map(({ value }) => asOneLine(value)),
  );
  const lines = await textsOf(
    root,
    '{migrations/*.sql,{packages,services}/*/src/**/*.sql,*.yml,*.yaml,deploy/**/*,.ci/run,.env.example}',
    (_file, source) => [...source.matchAll(/(?:^|\s)(?:--|#)\s(.*)$/gm)].map(([, comment = '']) => comment),
  );
  return [...code, ...lines];
}

async function textsOf(
  root: string,
  pattern: string,
  parts: (file: string, source: string) => string[] = (_file, source) => [source],
): Promise<Text[]> {
  const texts: Text[] = [];
  for await (const path of glob(pattern, { cwd: root, exclude: ['**/node_modules/**'] })) {
    if ((await stat(join(root, path))).isDirectory()) continue;
    const file = path.replaceAll('\\', '/');
    const source = await readFile(join(root, path), 'utf8');
    texts.push([file, parts(file, source).join('\n')]);
  }
  return texts.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A citation may continue on the next line, after the asterisk of a doc comment. */
function asOneLine(part: string): string {
  return part.replace(/\s*\n\s*\*?\s*/g, ' ');
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
}

async function headingFault(root: string, path: string, heading: string | undefined) {
  if (!existsSync(join(root, path))) return `cites ${path}, which does not exist`;
  if (heading === undefined) return undefined;
  // The comment may have continued on the next line.
  const cited = heading.replace(/\s+/g, ' ').toLowerCase();
  const headings = headingsOf(await readFile(join(root, path), 'utf8'));
  const found = headings.some((text) => text.replace(/ \(.*\)$/, '') === cited);
  return found ? undefined : `cites "${heading}", which is not a heading of ${path}`;
}

async function anchorFault(root: string, path: string, anchor: string | undefined) {
  if (!existsSync(join(root, path))) return `links to ${path}, which does not exist`;
  if (anchor === undefined) return undefined;
  const anchors = headingsOf(await readFile(join(root, path), 'utf8')).map(anchorOf);
  return anchors.includes(anchor) ? undefined : `links to #${anchor}, which is not a heading of ${path}`;
}

/** The names that a citation may use: headings, and the bold words that lead a text. */
function headingsOf(markdown: string): string[] {
  const headings = [...markdown.matchAll(/^#{1,6} +(.+?)\s*$/gm)].map(([, text = '']) => text);
  const leads = [...markdown.matchAll(/^(?:- |\d+\. )?\*\*(.+?)\*\*/gm)].map(([, text = '']) => text);
  return [...headings, ...leads].map((text) =>
    text
      .replaceAll('`', '')
      .replace(/ \(.*\)$|[.:]$/, '')
      .toLowerCase(),
  );
}

/** The anchor of a heading as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}
