import { posix } from 'node:path';
import { type ImportDeclarationSpecifier, parseSync, Visitor } from 'oxc-parser';
import type { Sources } from './sources.ts';

/** One import, re-export, `import()` or `import('…')` type. */
export interface Import {
  readonly specifier: string;
  /** The imported file, relative to the repository's root, or the specifier itself if it names a package. */
  readonly target: string;
  /** False for types alone, which Node strips: nothing of `target` runs for this import. */
  readonly runs: boolean;
}

/** The imports of each file, including types. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>;

/** Builds the import graph of `sources`. Throws on a file that cannot be parsed. */
export function importGraph(sources: Sources): ImportGraph {
  const directories = workspaceDirectories(sources);
  const graph = new Map<string, Import[]>();
  for (const [file, source] of sources) {
    const imports = importsOf(file, source).map((written) => ({
      ...written,
      target: resolve(file, written.specifier, directories),
    }));
    graph.set(file, imports);
  }
  return graph;
}

function importsOf(file: string, source: string): Pick<Import, 'specifier' | 'runs'>[] {
  const { program, errors } = parseSync(file, source);
  const [error] = errors;
  if (error) throw new Error(`${file}: ${error.message}`);
  const imports: Pick<Import, 'specifier' | 'runs'>[] = [];
  const add = (node: { source: { type: string; value?: unknown } | null }, runs: boolean): void => {
    if (typeof node.source?.value === 'string') imports.push({ specifier: node.source.value, runs });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node, node.importKind !== 'type' && !namesTypesOnly(node.specifiers)),
    ExportNamedDeclaration: (node) => add(node, node.exportKind !== 'type'),
    ExportAllDeclaration: (node) => add(node, node.exportKind !== 'type'),
    ImportExpression: (node) => add(node, true),
    TSImportType: (node) => add(node, false),
  }).visit(program);
  return imports;
}

function namesTypesOnly(specifiers: readonly ImportDeclarationSpecifier[]): boolean {
  return (
    specifiers.length > 0 && specifiers.every((named) => 'importKind' in named && named.importKind === 'type')
  );
}

/** `@pressroom/NAME` is the workspace folder of that name: `packages/NAME` or `services/NAME`. */
function workspaceDirectories(sources: Sources): ReadonlyMap<string, string> {
  const directories = new Map<string, string>();
  for (const file of sources.keys()) {
    const [kind, name] = file.split('/');
    directories.set(`@pressroom/${name}`, `${kind}/${name}`);
  }
  return directories;
}

function resolve(file: string, specifier: string, directories: ReadonlyMap<string, string>): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  const [scope, name, ...rest] = specifier.split('/');
  const directory = directories.get(`${scope}/${name}`);
  if (directory === undefined) return specifier;
  return rest.length === 0 ? directory : `${directory}/src/${rest.join('/')}.ts`;
}
