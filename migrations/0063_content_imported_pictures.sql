-- The pictures of imports at the desk. Content says which are wanted; the gallery, which alone has the store,
-- asks for that and takes them in. After an undo it removes those that nothing names any more: what is in the
-- trash still does. No foreign key: the list of imports forgets them earlier.
create table content.imported_picture (
  -- Its place in the public folder of the gallery.
  key text collate "C" primary key check (octet_length(key) <= 1024),
  url text not null,
  -- The last one that wants it.
  import_id integer not null,
  state text collate "C" not null default 'waiting' check (state in ('waiting', 'there', 'refused', 'undone')),
  -- Where readers get it, once it is there.
  path text,
  -- Why it is refused.
  reason text collate "C",
  -- As many as were fetched.
  bytes bigint not null default 0,
  -- Until when the gallery has it in hand, and how often it had.
  lease_until timestamptz,
  attempts integer not null default 0,
  -- When it was last looked whether something names it.
  looked_at timestamptz
);

create index imported_picture_by_import on content.imported_picture (import_id, state);

create index imported_picture_due on content.imported_picture (state, lease_until) where state in ('waiting', 'undone');
