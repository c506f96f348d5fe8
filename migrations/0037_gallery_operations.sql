-- What the desk says of the site's operation, and no process of the gallery knows by itself.

-- The backups as the backup service found them last; one row at most.
create table gallery.backup_report (
  is_only boolean primary key default true check (is_only),
  reported_at timestamptz(3) not null,
  kept integer not null,
  -- The newest one.
  made_at timestamptz(3),
  bytes double precision,
  encrypted boolean,
  verified_at timestamptz(3),
  -- When the one after it is due.
  due_at timestamptz(3),
  -- Since when each step has failed that failed last.
  failing jsonb not null,
  disk_free double precision,
  disk_size double precision
);

-- What does not answer the gallery, and since when.
create table gallery.outage (
  name text collate "C" primary key check (name in ('content', 'newsroom', 'store')),
  since timestamptz(3) not null default clock_timestamp()
);
