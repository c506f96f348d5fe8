import { importGraph } from './import-graph.ts';
import type { Sources } from './sources.ts';

/**
 * Finds the files that import each other's values in a circle, each as `a → b → a`: one of them runs before
 * its dependencies are initialized. Types may refer to each other as their subjects do.
 */
export function circleFaults(sources: Sources): string[] {
  const graph = new Map(
    [...importGraph(sources)].map(([file, imports]) => [
      file,
      imports.filter(({ runs }) => runs).map(({ target }) => target),
    ]),
  );
  return circlesOf(graph);
}

type Graph = ReadonlyMap<string, readonly string[]>;

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
