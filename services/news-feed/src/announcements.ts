/**
 * How a replica hears of commits (docs/ledger.md, "How replicas hear of a change"): what the triggers of
 * migration `0008_news_announcing` do on the other side.
 */
export const ANNOUNCEMENTS = {
  /** The channel of the commits that are announced with NOTIFY. */
  channel: 'news_changed',
  /** Changes with every commit that is not. */
  watermark: 'select news.change_watermark()',
} as const;
