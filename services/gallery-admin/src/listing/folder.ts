import type { Bucket } from '../buckets/bucket.ts';
import { RENDITIONS } from '../names.ts';
import { TRASH } from '../trash-path.ts';
import type { Looks } from './looks.ts';
import { mediaKindOf, mediaTypeOf } from './media-type.ts';
import { naturalOrder } from './natural-order.ts';
import { listPage, type ObjectPage, type StoredObject } from './object-page.ts';
import type { OriginalDates } from './original-dates.ts';
import type { ListedFolder, ListingQuery } from './schema.ts';
import { signObjectUrls } from './signed-urls.ts';

type FileEntry = ListedFolder['files'][number];
type FolderEntry = ListedFolder['folders'][number];

/** Pages that one folders-only request may read before it returns what it has found. */
const MAX_PAGES = 50;

/** The part of a listing's query that identifies the page, and what it shows. */
export type FolderPage = Pick<
  ListingQuery,
  'path' | 'continuationToken' | 'maxKeys' | 'foldersOnly' | 'thumbhash'
>;

/** What is known of files besides what the store says. */
export interface FileFacts {
  dates: OriginalDates;
  looks: Pick<Looks, 'of'>;
  /** The path at which anybody may read an object for good; undefined if it is not public. */
  publicPath: (object: StoredObject) => string | undefined;
}

/**
 * Reads a page of the folder `path`: its folders and files, each in natural order. The markers that some
 * tools create for empty folders (keys ending with `/`) are not files, and the trash is not a folder. A
 * folders-only request searches up to 50 pages, so that folders are found among a hundred thousand files.
 */
export async function readFolder(
  bucket: Bucket,
  query: FolderPage,
  { dates, looks, publicPath }: FileFacts,
): Promise<ListedFolder> {
  const page = query.foldersOnly ? await findFolders(bucket, query) : await listPage(bucket, request(query));
  const compare = naturalOrder();
  const byName = (a: { name: string }, b: { name: string }) => compare(a.name, b.name);
  const objects = query.foldersOnly ? [] : page.objects.filter(({ key }) => !key.endsWith('/'));
  const keys = objects.map(({ key }) => key);
  const [urls, modified, seen] = await Promise.all([
    signObjectUrls(bucket, keys),
    dates.of(bucket, objects),
    query.thumbhash ? looks.of(bucket, objects) : [],
  ]);
  const files = objects.map((object, index) => {
    const lastModified = modified[index] ?? object.lastModified;
    const entry = fileEntry({ ...object, lastModified }, urls[index] ?? '', query.path);
    return { ...entry, publicPath: publicPath(object), thumbhash: seen[index] };
  });
  return {
    folders: page.prefixes
      .filter((prefix) => prefix !== TRASH && prefix !== RENDITIONS)
      .map((prefix) => folderEntry(prefix, query.path))
      .sort(byName),
    files: files.sort(byName),
    currentPath: query.path,
    continuationToken: page.continuationToken,
  };
}

function request({ path, maxKeys, continuationToken }: FolderPage) {
  return { prefix: path, delimiter: '/', maxKeys, continuationToken };
}

async function findFolders(bucket: Bucket, query: FolderPage): Promise<ObjectPage> {
  let found = await listPage(bucket, request(query));
  for (let pages = 1; pages < MAX_PAGES; pages += 1) {
    const maxKeys = query.maxKeys - found.prefixes.length;
    if (found.continuationToken === null || maxKeys === 0) break;
    const { continuationToken } = found;
    const page = await listPage(bucket, request({ ...query, maxKeys, continuationToken }));
    found = { ...page, prefixes: [...found.prefixes, ...page.prefixes] };
  }
  return found;
}

/** A folder as listings show it, in the folder `parent`. */
export function folderEntry(prefix: string, parent: string): FolderEntry {
  return { name: prefix.slice(parent.length, -1), path: prefix, type: 'folder' };
}

/** A file as listings show it, in the folder `parent`. */
export function fileEntry(object: StoredObject, url: string, parent: string): FileEntry {
  const contentType = mediaTypeOf(object.key);
  return {
    name: object.key.slice(parent.length),
    path: object.key,
    url,
    size: object.size,
    lastModified: object.lastModified.toISOString(),
    contentType,
    type: mediaKindOf(contentType),
  };
}
