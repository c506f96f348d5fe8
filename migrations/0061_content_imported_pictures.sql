-- The pictures that imports brought into the gallery's bucket. After an undo a picture goes once nothing names it: what
-- is in the trash still does. No foreign key: the list of imports forgets them earlier.
create table content.imported_picture (
  key text collate "C" primary key check (octet_length(key) <= 1024),
  import_id integer not null,
  undone boolean not null default false
);

create index imported_picture_by_import on content.imported_picture (import_id);

create index imported_picture_undone on content.imported_picture (key) where undone;
