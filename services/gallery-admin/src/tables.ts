import type { ColumnType, Generated } from 'kysely';
import type { Role } from './people/people-store.ts';

/** A time that the database sets when a row is created. */
type DefaultedTime = ColumnType<Date, never, Date | undefined>;

/** `gallery.session` */
interface SessionTable {
  token_hash: Buffer;
  account: Buffer;
  created_at: DefaultedTime;
  last_used_at: DefaultedTime;
  id: Generated<string>;
  person_id: string | null;
  address: string | null;
  device: string | null;
}

/** `gallery.person` */
interface PersonTable {
  id: Generated<string>;
  name: string;
  email: string;
  role: Role;
  language: string | null;
  time_zone: string | null;
  active: Generated<boolean>;
  password_hash: string | null;
  stamp: Buffer;
  author_id: number | null;
  created_at: DefaultedTime;
  removed_at: Date | null;
}

/** `gallery.trail`: objects are JSON documents. */
interface TrailTable {
  id: Generated<number>;
  at: DefaultedTime;
  person: string | null;
  person_id: string | null;
  action: string;
  object: ColumnType<unknown, string, never>;
  address: string | null;
  request_id: string | null;
}

/** `gallery.invitation` */
interface InvitationTable {
  person_id: string;
  token_hash: Buffer;
  expires_at: Date;
}

/** `gallery.login_failure` */
interface LoginFailureTable {
  source: Buffer;
  failures: number;
  window_started_at: DefaultedTime;
}

/** `gallery.known_address` */
interface KnownAddressTable {
  address: Buffer;
  last_login_at: DefaultedTime;
}

/** `gallery.setting`: values are JSON documents. */
interface SettingTable {
  key: string;
  value: ColumnType<unknown, string, string>;
  updated_at: DefaultedTime;
}

/** `gallery.completed_upload` */
interface CompletedUploadTable {
  id: Buffer;
  etag: string;
  size: number;
  begun_at: DefaultedTime;
}

/** `gallery.completing_upload` */
interface CompletingUploadTable {
  id: Buffer;
  upload_id: string;
  leased_until: ColumnType<Date, Date | string, Date | string>;
}

/** `gallery.announced_upload` */
interface AnnouncedUploadTable {
  id: Buffer;
  size: number;
  part_size: number;
  begun_at: DefaultedTime;
}

/** `gallery.batch`: requests, outcomes and transfers are JSON documents. */
export interface BatchTable {
  id: string;
  bucket_id: string;
  bucket_name: string;
  request: ColumnType<unknown, string, never>;
  background: boolean;
  delivered: Generated<boolean>;
  fingerprint: Buffer;
  idempotency_key: Buffer | null;
  state: ColumnType<'running' | 'done' | 'failed', never, 'running' | 'done' | 'failed'>;
  run: string | null;
  leased_until: Date | null;
  steps_done: ColumnType<number, never, number>;
  steps_total: ColumnType<number | null, never, number | null>;
  outcome: ColumnType<unknown, never, string | null>;
  transfers: ColumnType<unknown, never, string | null>;
  started_at: DefaultedTime;
  changed_at: DefaultedTime;
  ended_at: ColumnType<Date | null, never, Date | null>;
}

/** `gallery.archive`: paths are a JSON document. */
interface ArchiveTable {
  id: string;
  bucket_id: string;
  bucket_name: string;
  paths: ColumnType<readonly string[], string, never>;
  created_at: DefaultedTime;
}

/** `gallery.look` */
interface LookTable {
  id: Buffer;
  thumbhash: Buffer;
  seen_at: DefaultedTime;
}

/** `gallery.original_date` */
interface OriginalDateTable {
  id: Buffer;
  stored_at: Date;
  modified_at: Date;
}

/** The tables of the gallery administration, created by the migrations `…_gallery_…`. */
export interface GalleryTables {
  'gallery.announced_upload': AnnouncedUploadTable;
  'gallery.archive': ArchiveTable;
  'gallery.batch': BatchTable;
  'gallery.invitation': InvitationTable;
  'gallery.person': PersonTable;
  'gallery.session': SessionTable;
  'gallery.trail': TrailTable;
  'gallery.login_failure': LoginFailureTable;
  'gallery.known_address': KnownAddressTable;
  'gallery.setting': SettingTable;
  'gallery.completed_upload': CompletedUploadTable;
  'gallery.completing_upload': CompletingUploadTable;
  'gallery.look': LookTable;
  'gallery.original_date': OriginalDateTable;
}
