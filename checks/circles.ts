import { dirname } from 'node:path/posix';
import { type ImportGraph, importGraph } from './import-graph.ts';
import type { Sources } from './sources.ts';

/**
 * Finds the files that import each other in a circle, imports of types included, each as `a → b → a`, and the
 * folders of a service that do. What is in a circle cannot be read in order, and a file in one may run before
 * its dependencies are initialized.
 */
export function circleFaults(sources: Sources): string[] {
  const graph = importGraph(sources);
  const files = new Map([...graph].map(([file, imports]) => [file, imports.map(({ target }) => target)]));
  return [...circlesOf(files), ...circlesOf(foldersOf(graph))];
}

/** What each thing imports. */
type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * The folders of the services with what they import. Files that lie next to folders are left out: they hold
 * these together, or are what they share.
 */
function foldersOf(graph: ImportGraph): Graph {
  const parents = new Set([...graph.keys()].map((file) => dirname(dirname(file))));
  const folders = new Map<string, string[]>();
  for (const [file, imports] of graph) {
    const folder = dirname(file);
    if (!file.startsWith('services/') || parents.has(folder)) continue;
    const others = imports.map(({ target }) => dirname(target));
    const known = folders.get(folder) ?? [];
    folders.set(folder, [...known, ...others.filter((other) => other !== folder && !parents.has(other))]);
  }
  return folders;
}

function circlesOf(graph: Graph): string[] {
  const faults: string[] = [];
  const done = new Set<string>();
  for (const one of graph.keys()) visit(graph, one, [], done, faults);
  return faults;
}

/** Follows what `one` imports, to which `path` has led; each is followed once. */
function visit(
  graph: Graph,
  one: string,
  path: readonly string[],
  done: Set<string>,
  faults: string[],
): void {
  const begin = path.indexOf(one);
  if (begin !== -1) {
    faults.push([...path.slice(begin), one].join(' → '));
    return;
  }
  if (done.has(one)) return;
  for (const target of graph.get(one) ?? []) visit(graph, target, [...path, one], done, faults);
  done.add(one);
}
