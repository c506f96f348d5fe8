import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const BUILT = fileURLToPath(new URL('../../dist', import.meta.url));

/** The folder of the hashed files, in the build as in their URLs. */
export const ASSETS = 'assets';

/** The file that is written last. */
export const MANIFEST = 'page.json';

/** The build's results besides the assets. */
export interface Manifest {
  /** A hash of everything the page was built from. */
  readonly inputs: string;
  /**
   * The HTML of each section; `{store}` stands for the origin of the active bucket, `{base}` for the way
   * from the document to the root of the service.
   */
  readonly documents: Readonly<Record<string, string>>;
}

/** A file of the page; its name contains a hash of its bytes. */
export interface Asset {
  readonly mediaType: string;
  /** The bytes as they are, and compressed, by content coding. */
  readonly bytes: { readonly identity: Buffer; readonly br: Buffer; readonly gzip: Buffer };
}

export interface BuiltPage {
  /**
   * The HTML of a section for a bucket whose objects browsers read from `store`, an origin; undefined if
   * there is no such section.
   *
   * @param base the way from the document to the root of the service, such as `../`
   */
  document(section: string, base: string, store: string): string | undefined;
  asset(name: string): Asset | undefined;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Reads the page; undefined if it has not been built. */
export async function readBuiltPage(): Promise<BuiltPage | undefined> {
  const text = await readFile(path.join(BUILT, MANIFEST), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { documents }: Manifest = JSON.parse(text);
  const folder = path.join(BUILT, ASSETS);
  const names = (await readdir(folder)).filter((name) => MEDIA_TYPES[path.extname(name)] !== undefined);
  const assets = new Map(
    await Promise.all(names.map(async (name) => [name, await readAsset(path.join(folder, name))] as const)),
  );
  return {
    document: (section, base, store) =>
      Object.hasOwn(documents, section)
        ? documents[section]?.replaceAll('{base}', base).replaceAll('{store}', escaped(store))
        : undefined,
    asset: (name) => assets.get(name),
  };
}

async function readAsset(file: string): Promise<Asset> {
  const [identity, br, gzip] = await Promise.all([
    readFile(file),
    readFile(`${file}.br`),
    readFile(`${file}.gz`),
  ]);
  return { mediaType: MEDIA_TYPES[path.extname(file)] ?? '', bytes: { identity, br, gzip } };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
