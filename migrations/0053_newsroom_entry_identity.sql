-- What tells the entries of a source apart, where an editor knows better than the rules for all sources.
alter table news.source
  add column identity text not null default 'auto'
    check (identity in ('auto', 'guid', 'link', 'both', 'content'));
