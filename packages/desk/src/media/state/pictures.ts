import type { Bytes } from '@pressroom/pictures/bytes';
import { isCutOff } from '@pressroom/pictures/cut-off';
import { mayCarryPlace, pictureKind, stripped } from '@pressroom/pictures/strip';
import type { Chosen } from './chosen-files.ts';
import type { Dialogs } from './dialogs.ts';

/** The largest picture that is rewritten, in bytes: it is in memory twice. */
const LARGEST = 256 * 2 ** 20;

/** The first bytes, enough to recognise every kind. */
const START = 16;

const parseXml = (xml: string) => new DOMParser().parseFromString(xml, 'application/xml');

/**
 * The files without the places where they were made; loaded when the first one is uploaded. A person decides
 * on those of which that is unknown: they go as they are, or not at all.
 */
export async function withoutPlaces(chosen: readonly Chosen[], dialogs: Dialogs): Promise<readonly Chosen[]> {
  const unknown = new Set<Chosen>();
  const all: Chosen[] = [];
  for (const one of chosen) {
    const file = await withoutPlace(one.file).catch(() => undefined);
    const clean = { ...one, file: file ?? one.file };
    if (file === undefined) unknown.add(clean);
    all.push(clean);
  }
  if (unknown.size === 0) return all;
  const choice = await dialogs.askFiles(
    'places',
    [...unknown].map(({ path }) => path),
  );
  if (choice === undefined) return [];
  return choice === 'keep' ? all : all.filter((one) => !unknown.has(one));
}

/** The files, without those cut off that a person leaves out; none if that person gives up. */
export async function withoutCutOff(chosen: readonly Chosen[], dialogs: Dialogs): Promise<readonly Chosen[]> {
  const cut = new Set<Chosen>();
  for (const one of chosen) if (await isFileCutOff(one.file)) cut.add(one);
  if (cut.size === 0) return chosen;
  const choice = await dialogs.askFiles(
    'cutOff',
    [...cut].map(({ path }) => path),
  );
  if (choice === undefined) return [];
  return choice === 'keep' ? chosen : chosen.filter((one) => !cut.has(one));
}

/** True if a picture ends before its end; false for one that cannot be looked at. */
export async function isFileCutOff(file: File): Promise<boolean> {
  if (file.size > LARGEST) return false;
  const read = (from: number, length: number) => bytesOf(file.slice(from, from + length));
  return isCutOff(file.size, read).catch(() => false);
}

/** The file without its place; undefined if it may say where it was made and that cannot be taken out. */
export async function withoutPlace(file: File): Promise<File | undefined> {
  const start = await bytesOf(file.slice(0, START));
  if (pictureKind(start) === undefined) {
    return mayCarryPlace(start) || file.type.startsWith('video/') ? undefined : file;
  }
  if (file.size > LARGEST) return undefined;
  const clean = await stripped(await bytesOf(file), parseXml);
  const { name, type, lastModified } = file;
  return clean === undefined ? file : new File([clean], name, { type, lastModified });
}

async function bytesOf(part: Blob): Promise<Bytes> {
  return new Uint8Array(await part.arrayBuffer());
}
