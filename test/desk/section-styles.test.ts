import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../../packages/desk/src');
const SECTIONS = [
  'account',
  'articles',
  'home',
  'invitation',
  'media',
  'moving',
  'news',
  'operations',
  'organise',
  'people',
];

/** The text of a section's files whose names end like this. */
function textOf(section: string, ending: string): string {
  const files = globSync(`${section}/**/*${ending}`, { cwd: SOURCES });
  return files.map((file) => readFileSync(join(SOURCES, file), 'utf8')).join('\n');
}

/** The classes that a section gives to elements, with what else stands on the lines that compose them. */
function classesOf(section: string): Set<string> {
  const given = textOf(section, '.tsx').match(/\bclass=(?:"[^"]*"|\{.*)/g) ?? [];
  return new Set(given.join(' ').match(/[a-z][\w-]*/g));
}

/** The selectors of a section's style sheets that name classes. */
function selectorsOf(section: string): string[] {
  const rules =
    textOf(section, '.css')
      .replaceAll(/\/\*.*?\*\//gs, '')
      .match(/[^{};]+(?=\{)/g) ?? [];
  return rules.flatMap((rule) => rule.trim().split(/,\s*/)).filter((selector) => /\.[a-z]/.test(selector));
}

test.each(SECTIONS)('the style sheets of %s, which stay loaded, style no other section', (section) => {
  const leaks = SECTIONS.filter((other) => other !== section).flatMap((other) => {
    const classes = classesOf(other);
    const styles = (selector: string) =>
      (selector.match(/\.[a-z][\w-]*/g) ?? []).every((name) => classes.has(name.slice(1)));
    return selectorsOf(section)
      .filter(styles)
      .map((selector) => `${other}: ${selector}`);
  });
  expect(leaks).toEqual([]);
});
