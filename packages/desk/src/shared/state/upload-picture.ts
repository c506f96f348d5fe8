import { galleryClient } from '@pressroom/client';
import type { GalleryApi } from '../../media/api/gallery.ts';
import { freeNames } from '../../media/state/free-names.ts';
import { shownAddress } from '../../media/state/shown-address.ts';
import { ApiProblem, asked } from '../api/problem.ts';
import type { Service } from '../api/service.ts';

/** A picture of the gallery, at the address at which readers see it. */
export interface ChosenPicture {
  readonly src: string;
  readonly alt: string;
  /** In px, where it is known. */
  readonly width?: number;
  readonly height?: number;
  /** True if its file ends before its end. */
  readonly isCutOff?: boolean;
  /** Takes the file back out of the gallery, if it was uploaded for this place. */
  readonly takeBack?: () => void;
}

/** Why a picture was not uploaded. */
export type PictureFault = 'noPublicFolder' | 'placeKnown' | 'notUploaded';

/** A picture that was not uploaded. */
export class PictureError extends Error {
  readonly fault: PictureFault;

  constructor(fault: PictureFault) {
    super(fault);
    this.name = 'PictureError';
    this.fault = fault;
  }
}

/** The address at which anybody sees a picture of a public folder. */
export function publicPicture(base: URL, key: string, contentType: string): string {
  const path = `media/${key.split('/').map(encodeURIComponent).join('/')}`;
  return shownAddress(new URL(path, base).href, contentType);
}

/** Uploads a picture to the gallery's public folder, under a name that is free. */
export async function uploadPicture(
  service: Service,
  gallery: GalleryApi,
  { base, folder }: { base: URL; folder: string | undefined },
  file: File,
): Promise<ChosenPicture> {
  if (folder === undefined) throw new PictureError('noPublicFolder');
  const { isFileCutOff, withoutPlace } = await import('../../media/state/pictures.ts');
  const clean = await withoutPlace(file).catch(() => undefined);
  if (clean === undefined) throw new PictureError('placeKnown');
  const [filename = file.name] = await freeNames(gallery, folder, [{ name: file.name, isFolder: false }]);
  const contentType = file.type;
  // Another file that gets the name meanwhile is not replaced.
  const body = { filename, path: folder, contentType, trash: true };
  const signed = await asked(galleryClient(service).post('/api/upload', { body }));
  const { url, key, headers = { 'content-type': contentType } } = signed;
  const stored = await fetch(url, { method: 'PUT', headers, body: clean });
  if (!stored.ok) throw new PictureError('notUploaded');
  const takeBack = () => {
    void gallery.start({ action: 'delete', paths: [key], trash: true }, crypto.randomUUID());
  };
  const [size, isCutOff] = await Promise.all([sizeOf(clean), isFileCutOff(file)]);
  return { src: publicPicture(base, key, contentType), alt: '', takeBack, isCutOff, ...size };
}

/** The pause between looks at a copy that is being made, in ms. */
const COPY_MS = 300;

/** Copies a picture to a public folder, under a name that is free, and returns where it is then. */
export async function copyPicture(gallery: GalleryApi, path: string, folder: string): Promise<string> {
  const own = path.slice(path.lastIndexOf('/') + 1);
  const [name = own] = await freeNames(gallery, folder, [{ name: own, isFolder: false }]);
  const step = { action: 'copy', paths: [path], dest: folder, names: [{ path, name }] } as const;
  let batch = await gallery.start(step, crypto.randomUUID());
  while (batch.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, COPY_MS));
    ({ batch } = await gallery.readBatch(batch.id));
  }
  if (batch.state !== 'done') throw new ApiProblem(500, batch.code ?? 'unknown', batch.message ?? '');
  return `${folder}${name}`;
}

async function sizeOf(file: File): Promise<{ width?: number; height?: number }> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return {};
  const { width, height } = bitmap;
  bitmap.close();
  return { width, height };
}
