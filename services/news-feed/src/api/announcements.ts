/**
 * How a replica hears of commits (docs/ledger.md, "How replicas hear of a change"): the counterpart of the
 * triggers in migration `0011_ledgers`.
 */
export const ANNOUNCEMENTS = {
  /** The channel on which commits are announced with NOTIFY. */
  channel: 'news_changed',
  /** Changes with every commit that is not announced. */
  watermark: 'select news.change_watermark()',
  /** The number alone: behind it are the transactions that are committing. */
  isSettled: (watermark: unknown) => !String(watermark).includes(' '),
} as const;
