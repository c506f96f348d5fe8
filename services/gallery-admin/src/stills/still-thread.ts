import { threadTask } from '@pressroom/common/threads/thread-task';
import { MAX_LIBRARY_BYTES, type StillFormat, type StillResult } from './formats.ts';

export interface StillTask {
  file: Uint8Array;
  format: StillFormat;
  /** The longer side of the picture that is needed, in pixels. */
  side: number;
}

const PAGE = 65_536;

let isOutOfMemory = false;

// Libraries ask for memory here, and go on without it as programs do when there is none.
const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  isOutOfMemory = this.buffer.byteLength + pages * PAGE > MAX_LIBRARY_BYTES;
  if (isOutOfMemory) throw new RangeError('no more memory');
  return grow.call(this, pages);
};

// The libraries print messages about broken files that are meant for their authors.
for (const method of ['log', 'warn', 'error'] as const) console[method] = () => undefined;

/** Runs in the threads of `decodeStill`. Each library is loaded with the first file that needs it. */
export default threadTask(async (task: StillTask): Promise<StillResult> => {
  isOutOfMemory = false;
  try {
    return await draw(task);
  } catch (error) {
    // After a trap ImageMagick is in no state to go on: the next file gets another thread.
    const isTrap = !(error instanceof Error) || error instanceof WebAssembly.RuntimeError;
    if (isTrap && task.format !== 'PDF') process.exit(1);
    return { unseen: isOutOfMemory ? 'too_complex' : 'damaged' };
  }
});

async function draw({ file, format, side }: StillTask): Promise<StillResult> {
  if (format === 'PDF') return (await import('./pdf.ts')).drawPage(file, side);
  if (format !== 'RAW') return (await import('./magick.ts')).drawWithMagick(file, format, side);
  const { largestPreview } = await import('./formats.ts');
  const image = await largestPreview(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  return image === undefined ? { unseen: 'no_preview' } : { image };
}
