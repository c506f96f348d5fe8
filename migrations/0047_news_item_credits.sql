-- Who wrote an item, what its source files it under, and the recordings that come with it. Null where the
-- source says nothing.
alter table news.item
  add column authors text[] check (cardinality(authors) > 0),
  add column tags text[] check (cardinality(tags) > 0),
  -- [{"url", "type", "length"?, "duration"?}]: in bytes and seconds.
  add column enclosures jsonb check (jsonb_typeof(enclosures) = 'array' and enclosures <> '[]');
