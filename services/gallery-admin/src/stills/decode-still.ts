import { Failure } from '@pressroom/common/failures/failure';
import { ThreadPool, UnfinishedTask } from '@pressroom/common/threads/thread-pool';
import { tooManyPixels } from '../proxy/image.ts';
import { MAX_STILL_PIXELS, type StillResult, type Unseen } from './formats.ts';
import type { StillTask } from './still-thread.ts';

/** One at a time, because of its memory; the other cores are for files that sharp reads. */
const LIMITS = { startMs: 30_000, cpuMs: 10_000, timeMs: 60_000, memoryMiB: 256, threads: 1 };

/** An image that sharp reads, with the file's EXIF if the image itself lacks it. */
export interface DecodedStill {
  image: Buffer;
  exif: Buffer | undefined;
}

let pool: ThreadPool<StillTask, StillResult> | undefined;

/**
 * Draws a file in its own thread, which is killed after 10 s of computing; owners take turns. Answers with
 * what sharp reads, or why there is none. Fails with `refused` for too many pixels, and with `unavailable`
 * on a machine too busy to tell.
 */
export async function decodeStill(
  task: StillTask,
  owner: 'thumbnails' | 'public',
): Promise<DecodedStill | { unseen: Unseen }> {
  pool ??= new ThreadPool(new URL('./still-thread.ts', import.meta.url), LIMITS);
  const result = await pool.run(owner, () => task).catch(explained);
  if ('image' in result) {
    return { image: asBuffer(result.image), exif: result.exif && asBuffer(result.exif) };
  }
  const { unseen } = result;
  if (unseen === 'too_many_pixels') throw tooManyPixels(MAX_STILL_PIXELS);
  return { unseen };
}

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** The file is to blame for a thread that was killed or has ended; the machine for one that never began. */
function explained(error: unknown): StillResult {
  if (error instanceof Failure) throw error;
  return { unseen: error instanceof UnfinishedTask ? 'too_complex' : 'damaged' };
}
