-- Rules by which a source's entries are dropped, kept, categorised and scored, in their order.
alter table news.source add column rules text[] not null default '{}';
-- The reads in a row, up to the last one, that found no entry.
alter table news.source add column empty_reads integer not null default 0;
