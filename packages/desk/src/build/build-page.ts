import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { ASSETS, BUILT, MANIFEST, type Manifest } from './built-page.ts';
import { pageDocument } from './document.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

/** Everything that the result depends on, relative to the package; the lockfile stands for the libraries. */
const INPUTS = ['{.,../client,../pictures}/src/**', 'package.json', 'tsconfig.json', '../../pnpm-lock.yaml'];

/** The time that assets of earlier builds stay for pages that are still open, in ms. */
const KEEP_MS = 7 * 24 * 3_600_000;

const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
};

/**
 * Builds the page into `dist`, unless it is already there for these sources. Several builds may run at once:
 * the names of assets are hashes of what is in them, and the manifest is replaced last, in one step.
 *
 * @returns false if there was nothing to do
 */
export async function buildPage(): Promise<boolean> {
  const files = (await Array.fromAsync(glob(INPUTS, { cwd: PACKAGE }))).sort();
  const inputs = await hashOf(files);
  if ((await builtInputs()) === inputs) return false;
  const assets = path.join(BUILT, ASSETS);
  await mkdir(assets, { recursive: true });
  // Styles are separate entries: those of a script would hold all that it may ever load.
  const styles = await Array.fromAsync(glob('src/*/styles.css', { cwd: PACKAGE }));
  const { metafile, outputFiles } = await build({
    absWorkingDir: PACKAGE,
    entryPoints: ['src/main.tsx', 'src/icon.svg', ...styles],
    outdir: assets,
    write: false,
    bundle: true,
    splitting: true,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const others = Object.keys(metafile.inputs).filter(
    (file) => !file.includes('node_modules/') && !files.includes(file),
  );
  if (others.length > 0) throw new Error(`the page would not be built again for ${others.join(', ')}`);
  await Promise.all(outputFiles.map(async ({ path: file, contents }) => writeAsset(file, contents)));
  const manifest: Manifest = { inputs, documents: documents(metafile) };
  await writeWhole(path.join(BUILT, MANIFEST), JSON.stringify(manifest));
  await removeOld(assets, new Set(outputFiles.map(({ path: file }) => path.basename(file))));
  return true;
}

async function hashOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const full = path.join(PACKAGE, file);
    if (!(await stat(full)).isFile()) continue;
    hash.update(`${file}\0`).update(await readFile(full));
  }
  return hash.digest('hex');
}

async function builtInputs(): Promise<string | undefined> {
  try {
    const manifest: Manifest = JSON.parse(await readFile(path.join(BUILT, MANIFEST), 'utf8'));
    return manifest.inputs;
  } catch {
    return undefined;
  }
}

function documents({ outputs }: Metafile): Record<string, string> {
  const built = new Map(Object.entries(outputs).map(([file, { entryPoint }]) => [entryPoint, file]));
  const fileOf = (source: string) => {
    const file = built.get(source);
    if (file === undefined) throw new Error(`the build lacks ${source}`);
    return file;
  };
  const shell = fileOf('src/main.tsx');
  const icon = Object.keys(outputs).find((file) => path.basename(file).startsWith('icon-')) ?? '';
  const sections = [...built.keys()].flatMap(
    (source) => /^src\/(\w+)\/\1\.tsx$/.exec(source ?? '')?.[1] ?? [],
  );
  const styles = sections.map((name) => ({ name, file: path.basename(fileOf(`src/${name}/styles.css`)) }));
  return Object.fromEntries(
    sections.map((section) => {
      const script = fileOf(`src/${section}/${section}.tsx`);
      const preloaded = new Set([script, ...imported(outputs, script), ...imported(outputs, shell)]);
      preloaded.delete(shell);
      const html = pageDocument({
        section,
        script: path.basename(shell),
        style: path.basename(fileOf('src/shared/styles.css')),
        styles,
        icon: path.basename(icon),
        preloaded: [...preloaded].map((file) => path.basename(file)),
      });
      return [section, html] as const;
    }),
  );
}

/** The scripts that a script cannot run without. */
function imported(outputs: Metafile['outputs'], file: string, found = new Set<string>()): Set<string> {
  for (const { path: other, kind } of outputs[file]?.imports ?? []) {
    if (kind !== 'import-statement' || found.has(other)) continue;
    found.add(other);
    imported(outputs, other, found);
  }
  return found;
}

async function writeAsset(file: string, contents: Uint8Array): Promise<void> {
  const bytes = Buffer.from(contents);
  const variants = Object.entries(compressors).map(async ([ending, compress]) =>
    writeWhole(`${file}.${ending}`, await compress(bytes)),
  );
  await Promise.all([...variants, writeWhole(file, bytes)]);
}

/** Others see the file only when it is whole. */
async function writeWhole(file: string, contents: Uint8Array | string): Promise<void> {
  const partial = `${file}.${process.pid}.tmp`;
  await writeFile(partial, contents);
  await rename(partial, file);
}

async function removeOld(assets: string, current: ReadonlySet<string>): Promise<void> {
  for await (const file of glob('*', { cwd: assets })) {
    if (current.has(file.replace(/\.(br|gz)$/, ''))) continue;
    const full = path.join(assets, file);
    const { mtimeMs } = await stat(full).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > KEEP_MS) await rm(full, { force: true });
  }
}
