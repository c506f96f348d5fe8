import { type Comment, type Directive, parseSync, type Statement } from 'oxc-parser';
import type { Sources } from './sources.ts';

type Node = Statement | Directive;

// Others build on these, from outside their own folders: shapes, units and errors are said there.
const DOCUMENTED = /^packages\/(client|common)\//;

/**
 * Finds the exported functions and classes of `common` and `client` without a doc comment right before them,
 * each as `file:line: NAME …`.
 */
export function docCommentFaults(sources: Sources): string[] {
  return [...sources]
    .filter(([file]) => DOCUMENTED.test(file) && !file.endsWith('.test.ts'))
    .flatMap(([file, source]) => faultsOf(file, source));
}

function faultsOf(file: string, source: string): string[] {
  const { program, comments } = parseSync(file, source);
  const exported = new Set<string>();
  for (const node of program.body) for (const name of exportedNames(node)) exported.add(name);

  const faults: string[] = [];
  const seen = new Set<string>();
  for (const node of program.body) {
    for (const name of declaredNames(node)) {
      // The first of a function's overloads has the comment.
      if (!exported.has(name) || seen.has(name)) continue;
      seen.add(name);
      if (hasDocComment(source, comments, node.start)) continue;
      const line = source.slice(0, node.start).split('\n').length;
      faults.push(`${file}:${line}: ${name} is exported without a doc comment`);
    }
  }
  return faults;
}

/** Local names that a statement exports; a re-export is documented where it is declared. */
function exportedNames(node: Node): string[] {
  if (node.type === 'ExportDefaultDeclaration') return declaredNames(node);
  if (node.type !== 'ExportNamedDeclaration' || node.source) return [];
  if (node.declaration) return declaredNames(node.declaration);
  return node.specifiers.map(({ local }) => ('name' in local ? local.name : local.value));
}

function declaredNames(node: Node): string[] {
  switch (node.type) {
    case 'ExportNamedDeclaration':
      return node.declaration ? declaredNames(node.declaration) : [];
    case 'ExportDefaultDeclaration':
      return ['default'];
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'ClassDeclaration':
      return node.id ? [node.id.name] : [];
    default:
      return [];
  }
}

/** True if a non-empty doc comment ends right before `start`; line comments may come between. */
function hasDocComment(source: string, comments: readonly Comment[], start: number): boolean {
  let before = start;
  for (const comment of comments.toReversed()) {
    if (comment.end > before) continue;
    if (source.slice(comment.end, before).trim() !== '') return false;
    if (comment.type === 'Block') return comment.value.startsWith('*') && /\p{L}/u.test(comment.value);
    before = comment.start;
  }
  return false;
}
