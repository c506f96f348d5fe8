import { type ImportGraph, importGraph } from './import-graph.ts';
import type { Sources } from './sources.ts';

/**
 * Finds the files that import each other in a circle, imports of types included, each as `a → b → a`. Files
 * in a circle cannot be read in order, and one may run before its dependencies are initialized.
 */
export function circleFaults(sources: Sources): string[] {
  const graph = importGraph(sources);
  const faults: string[] = [];
  const done = new Set<string>();
  for (const file of graph.keys()) visit(graph, file, [], done, faults);
  return faults;
}

/** Follows the imports of `file`, to which `path` has led; each file is followed once. */
function visit(
  graph: ImportGraph,
  file: string,
  path: readonly string[],
  done: Set<string>,
  faults: string[],
): void {
  const begin = path.indexOf(file);
  if (begin !== -1) {
    faults.push([...path.slice(begin), file].join(' → '));
    return;
  }
  if (done.has(file)) return;
  for (const { target } of graph.get(file) ?? []) visit(graph, target, [...path, file], done, faults);
  done.add(file);
}
