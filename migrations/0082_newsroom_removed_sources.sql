-- A source that was removed can be brought back for a while, with its settings and what it has read: without
-- that, old entries of its feed would come as news. It gives its address away, so that another one may have
-- it.

-- What it was: {at, url, given_url, state}.
alter table news.source add column removed jsonb;

alter table news.source drop constraint source_state_check;
alter table news.source add constraint source_state_check
  check (state in ('active', 'paused', 'gone', 'removed') and (state = 'removed') = (removed is not null));
