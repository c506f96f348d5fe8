import { PDFiumLibrary } from '@hyzyla/pdfium';
import sharp from 'sharp';
import type { StillResult } from './formats.ts';

/** Draws the first page of a PDF, `side` pixels on its longer side. */
export async function drawPage(file: Uint8Array, side: number): Promise<StillResult> {
  // A new one for each file: what a file leaves behind goes with it.
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(file).catch((error: Error) => {
    if (/^Password/.test(error.message)) return undefined;
    throw error;
  });
  if (document === undefined) return { unseen: 'locked' };
  const page = document.getPage(0);
  const { originalWidth, originalHeight } = page.getOriginalSize();
  if (originalWidth <= 0 || originalHeight <= 0) return { unseen: 'damaged' };
  const scale = side / Math.max(originalWidth, originalHeight);
  const size = {
    width: Math.max(1, Math.round(originalWidth * scale)),
    height: Math.max(1, Math.round(originalHeight * scale)),
  };
  const { data, width, height } = await page.render({ ...size, render: 'bitmap' });
  const image = await sharp(data, { raw: { width, height, channels: 4 } })
    .tiff({ compression: 'none' })
    .toBuffer();
  return { image };
}
