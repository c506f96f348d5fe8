/** What {@link atOnce} begins: it has to end soon after the signal. */
export type Part<Result> = (signal: AbortSignal) => Promise<Result>;

/**
 * Begins all parts at once and returns their results. The first that fails ends the others, and its error is
 * thrown when all have ended; so is the reason of `signal` if that ends them.
 */
export async function atOnce<Results extends readonly unknown[]>(
  signal: AbortSignal,
  parts: { readonly [Index in keyof Results]: Part<Results[Index]> },
): Promise<Results> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const running = parts.map((part) =>
    part(either).catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(running);
  either.throwIfAborted();
  return Promise.all(running) as unknown as Promise<Results>;
}
