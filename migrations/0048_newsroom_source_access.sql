-- How a source is asked for, where it wants more than its address. Null and empty where nothing is set.
alter table news.source
  add column user_agent text,
  add column timeout_seconds integer check (timeout_seconds between 1 and 120),
  -- Of dates that say none (IANA).
  add column time_zone text,
  add column basic_user text,
  add column header_names text[] not null default '{}',
  -- {"password"?, "headers"}, sealed with NEWS_SOURCES_KEY for the source and the origin of its given
  -- address.
  add column secrets text;
