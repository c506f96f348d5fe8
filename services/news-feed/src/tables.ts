import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { Image } from './fields.ts';

/** A time that the database sets when a row is created. */
type DefaultedTime = ColumnType<Date, Date | undefined>;

/**
 * A calendar date; send and read it as `YYYY-MM-DD` (read it with `to_char`: the driver would turn it into a
 * local time).
 */
type Day = ColumnType<Date, string>;

/** `news.story` */
interface StoryTable {
  public_id: string;
  title: string;
  status: Generated<'active' | 'settled'>;
  digest: string | null;
  digest_updated_at: Date | null;
  /** Who wrote the digest; null is a person, whose text the newsroom leaves alone. */
  digest_by: 'rules' | 'model' | null;
  merged_into: string | null;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

/** `news.story_reference` */
interface StoryReferenceTable {
  story: string;
  kind: 'storyline' | 'related';
  neighbor: string;
  relation: string;
  position: number;
}

/** `news.item` */
export interface ItemTable {
  id: Generated<string>;
  title: string;
  original_title: string | null;
  summary: string | null;
  source_name: string;
  source_first_party: Generated<boolean>;
  original_url: string;
  canonical_url: string;
  published_at: Date;
  discovered_at: DefaultedTime;
  timeline_at: GeneratedAlways<Date>;
  category: string | null;
  score: number | null;
  selected: Generated<boolean>;
  reason: string | null;
  directions: Generated<string[]>;
  /** Null where nothing shows it. */
  image: JSONColumnType<Image | null, string | null | undefined, string | null>;
  /** Of the original article (BCP 47, canonical); null where it is not known. */
  language: string | null;
  story: string | null;
  withdrawn_at: Date | null;
  /** Selected and not withdrawn. */
  in_selected_set: GeneratedAlways<boolean>;
  /**
   * Title, original title and summary, one line each, normalized by `news.fold`; compare with a folded word.
   */
  search_text: GeneratedAlways<string>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

/** `news.item_terms`: maintained by triggers. */
interface ItemTermsTable {
  item_id: string;
  latest_at: ColumnType<Date, never, never>;
  /** Whether it has left every window; its terms begin with a month then. */
  archived: boolean;
  terms: ColumnType<string[], never, never>;
}

/** `news.ranking` */
interface RankingTable {
  id: GeneratedAlways<number>;
  published_at: DefaultedTime;
  parameters: JSONColumnType<object, string | undefined>;
}

/** `news.ranking_entry` */
interface RankingEntryTable {
  ranking_id: number;
  /** Null: the list of all directions. */
  direction: string | null;
  rank: number;
  item_id: string;
  source_count: number;
  signal_count: number;
  participant_count: number | null;
  source_names: string[];
  latest_at: Date;
  inputs: JSONColumnType<object>;
}

/** `news.daily`, `news.weekly` and `news.monthly` */
interface ReportTable {
  date: Day;
  generated_at: Date;
  window_start: Date;
  window_end: Date;
  report: JSONColumnType<object>;
  item_ids: string[];
  corrected_at: Date | null;
}

/** `news.edit`: maintained by triggers. */
interface EditTable {
  id: GeneratedAlways<number>;
  number: ColumnType<number, never, never>;
  at: ColumnType<Date, never, never>;
  /** Who; null if unknown. */
  actor: string | null;
  program: string;
  action: string;
  undoes: number | null;
  kind: 'item' | 'story' | 'daily' | 'weekly' | 'monthly';
  subject: string;
  before: JSONColumnType<Record<string, unknown>>;
  after: JSONColumnType<Record<string, unknown>>;
}

/** `news.notice` */
interface NoticeTable {
  id: GeneratedAlways<number>;
  type: string;
  /** What tells the event from others. */
  key: string;
  at: DefaultedTime;
  data: JSONColumnType<object>;
  attempts: Generated<number>;
  /** When it is to be sent; null: it was sent, or given up. */
  due_at: DefaultedTime | null;
  sent_at: Date | null;
  last_error: string | null;
}

/** `news.reset_event` */
interface ResetEventTable {
  id: string;
  type: 'direct_reset' | 'reset_credit';
  label: '全员重置' | '发重置卡';
  display_label: string;
  status: 'announced' | 'confirmed';
  title: string;
  scope: string;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  confirmed_at: Date | null;
  occurred_on: ColumnType<Date | null, string | null, string | null>;
  confirmation_basis: 'source_post' | 'receipt_review' | null;
  schedule: JSONColumnType<object | null, string | null, string | null>;
  presentation: JSONColumnType<object | null, string | null, string | null>;
  estimate: JSONColumnType<object | null, string | null, string | null>;
  url: string;
}

/** `news.reset_post` */
export interface ResetPostTable {
  event_id: string;
  id: string;
  published_at: Date;
  stage: string;
  text: string;
  original_text: string;
  full_text: string | null;
  full_original_text: string | null;
  context: JSONColumnType<object[], string | undefined>;
  url: string;
}

/** `news.reset_activity` */
interface ResetActivityTable {
  id: string;
  published_at: Date;
  event_ids: Generated<string[]>;
  kind: 'event_update' | 'related';
  text: string | null;
  original_text: string;
  context: JSONColumnType<object[], string | undefined>;
  status_changed: boolean;
  action: 'announce' | 'confirm' | 'amend' | 'withdraw' | null;
  url: string;
}

/** `news.reset_outage` */
interface ResetOutageTable {
  post_id: string;
  published_at: Date;
  text: string | null;
  original_text: string;
  recovered_at: Date | null;
  reset_event_id: string | null;
  url: string;
}

/** `news.reset_monitor`: one row once there is a monitor. */
interface ResetMonitorTable {
  status: Generated<'healthy' | 'delayed' | 'attention' | 'unknown'>;
  checked_at: Date | null;
  last_attempt_at: Date | null;
  last_collected_at: Date | null;
  last_verified_at: Date | null;
  held_window_count: Generated<number>;
  pending_count: Generated<number>;
  review_count: Generated<number>;
}

/** What the newsroom compares of an item: terms in short, as there is one for each item. */
export interface StoredReport {
  /** The place of its kind in a list that the newsroom keeps, and its weight, by term. */
  terms: Record<string, [kind: number, weight: number]>;
  marks: Record<string, string[]>;
  chinese: boolean;
  /** Whether it belongs to no story but its own. */
  alone?: boolean;
  /** Its title as a model embeds it: the model, the vector, and its mean cosine with other titles. */
  title?: [model: string, vector: string, ground: number];
}

/** `news.report_terms` */
interface ReportTermsTable {
  number: GeneratedAlways<number>;
  item_id: string;
  published_at: Date;
  report: JSONColumnType<StoredReport>;
  terms: string[];
}

/** `news.term_report`: the items of a term, kept by triggers. */
interface TermReportTable {
  term: string;
  number: number;
}

/** `news.story_split`: stories that a person has split. */
interface StorySplitTable {
  story: string;
  other: string;
}

/** `news.item_judgement`: why an item has its score. */
interface ItemJudgementTable {
  item_id: string;
  judged_at: Date;
  category: string | null;
  score: number | null;
  selected: boolean;
  reason: string | null;
  terms: JSONColumnType<object[]>;
}

/** `news.editorial_slot`: articles that took a place in a day's quota. */
interface EditorialSlotTable {
  day: Day;
  article: string;
  source: number;
}

/** `news.editorial_share`: parts of the budget, by who has used them. */
interface EditorialShareTable {
  day: Day;
  spender: string;
  requests: number;
  tokens: number;
}

/** `news.editorial_answer`: valid answers of a model, by what it was asked. */
interface EditorialAnswerTable {
  hash: Buffer;
  answer: JSONColumnType<object>;
  answered_at: Date;
}

/** `news.source` */
export interface SourceTable {
  id: GeneratedAlways<number>;
  url: string;
  given_url: string;
  name: string;
  is_named: Generated<boolean>;
  category: string | null;
  directions: Generated<string[]>;
  first_party: Generated<boolean>;
  weight: Generated<number>;
  select_rule: Generated<string>;
  reads_pages: Generated<boolean>;
  /** Whether the pictures of its entries are taken. */
  takes_images: Generated<boolean>;
  rules: Generated<string[]>;
  /** Those that were switched off, each with its reason. */
  stopped_rules: ColumnType<{ rule: string; reason: string }[], string | undefined, string>;
  /** Those of the list that its page is, or `auto`; null: it is a feed or a sitemap. */
  list_selectors: string | null;
  /** The reads in a row, up to the last one, that found no entry. */
  empty_reads: Generated<number>;
  /** Also `removed`, for sources that are never shown. */
  state: Generated<'active' | 'paused' | 'gone'>;
  /** What a removed one was, to be brought back. */
  removed: JSONColumnType<{
    at: string;
    url: string;
    given_url: string;
    state: 'active' | 'paused' | 'gone';
  }> | null;
  created_at: DefaultedTime;
  etag: string | null;
  last_modified: string | null;
  body_hash: Buffer | null;
  next_poll_at: Date;
  /** Until when a worker has it in hand. */
  lease_until: Date | null;
  /** The worker that has, or had, it in hand. */
  holder: string | null;
  interval_seconds: Generated<number>;
  update_seconds: number | null;
  last_polled_at: Date | null;
  last_success_at: Date | null;
  last_change_at: Date | null;
  failures: Generated<number>;
  failing_since: Date | null;
  last_error: string | null;
  /** The feed that a page names which it answers instead of its own. */
  offered_url: string | null;
  /** The site whose answers are read, after redirects; null until one was. */
  answered_site: string | null;
  /** When the day began in which `taken` new entries and `taken_changes` changed ones were kept. */
  taken_since: Date | null;
  taken: Generated<number>;
  taken_changes: Generated<number>;
  /** Entries of the last feed that was read which cannot be items. */
  unusable_entries: Generated<number>;
  /** Its entries beyond the most that are read. */
  unread_entries: Generated<number>;
  /** Its entries that repeat another one in everything. */
  repeated_entries: Generated<number>;
  /** The first of all these, by name. */
  left_out: ColumnType<{ title: string; reason: string }[], string | undefined, string>;
}

/** `news.source_sitemap` */
interface SourceSitemapTable {
  source_id: number;
  known: Buffer;
}

/** `news.source_entry` */
interface SourceEntryTable {
  source_id: number;
  key: string;
  hash: Buffer;
  entry: JSONColumnType<object>;
  state: Generated<'pending' | 'done' | 'refused'>;
  reason: string | null;
  attempts: Generated<number>;
  retry_at: Date;
  discovered_at: Date;
  last_seen_at: Date;
  item_id: string | null;
  owns_item: Generated<boolean>;
  written: JSONColumnType<object | null, string | null | undefined, string | null>;
}

/** `news.websub_subscription` */
interface WebsubSubscriptionTable {
  token: string;
  source_id: number | null;
  hub: string;
  topic: string;
  secret: string;
  lease_until: Date | null;
  ask_at: Date;
  attempts: Generated<number>;
  last_notified_at: Date | null;
  last_error: string | null;
}

/** `news.host_turn` */
interface HostTurnTable {
  host: string;
  next_at: Date;
}

/** `news.host_slot` */
interface HostSlotTable {
  host: string;
  slot: number;
  holder: string;
  lease_until: Date;
}

/** `news.schedule` */
interface ScheduleTable {
  name: string;
  done_through: Date | null;
  last_run_at: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  failures: Generated<number>;
  retry_at: Date | null;
  /** Until when a worker has it in hand. */
  lease_until: Date | null;
  /** The worker that has, or had, it in hand. */
  holder: string | null;
}

/** `news.worker` */
interface WorkerTable {
  id: string;
  host: string;
  pid: number;
  started_at: DefaultedTime;
  seen_at: DefaultedTime;
}

/** The tables of the news feed, as the migrations `…_news_…` make them. */
export interface NewsTables {
  'news.story': StoryTable;
  'news.story_reference': StoryReferenceTable;
  'news.item': ItemTable;
  'news.item_terms': ItemTermsTable;
  'news.ranking': RankingTable;
  'news.ranking_entry': RankingEntryTable;
  'news.daily': ReportTable;
  'news.weekly': ReportTable;
  'news.monthly': ReportTable;
  'news.edit': EditTable;
  'news.notice': NoticeTable;
  'news.reset_event': ResetEventTable;
  'news.reset_post': ResetPostTable;
  'news.reset_activity': ResetActivityTable;
  'news.reset_outage': ResetOutageTable;
  'news.reset_monitor': ResetMonitorTable;
  'news.report_terms': ReportTermsTable;
  'news.term_report': TermReportTable;
  'news.story_split': StorySplitTable;
  'news.item_judgement': ItemJudgementTable;
  'news.editorial_slot': EditorialSlotTable;
  'news.editorial_share': EditorialShareTable;
  'news.editorial_answer': EditorialAnswerTable;
  'news.source': SourceTable;
  'news.source_entry': SourceEntryTable;
  'news.source_sitemap': SourceSitemapTable;
  'news.websub_subscription': WebsubSubscriptionTable;
  'news.host_turn': HostTurnTable;
  'news.host_slot': HostSlotTable;
  'news.schedule': ScheduleTable;
  'news.worker': WorkerTable;
}
