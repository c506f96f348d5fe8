-- What the editor of a source reads about it: rules that were switched off, an address that it may have moved
-- to, and what of its feed was left out.
alter table news.source
  -- Rules that took too long to be applied: [{rule, reason}]. Saving the rules begins anew.
  add column stopped_rules jsonb not null default '[]',
  -- The feed that is named by a page that the source answers instead of its own; an editor decides.
  add column offered_url text,
  -- Of the last feed that was read, why entries cannot be items, for the first of them: [{title, reason}].
  add column left_out jsonb not null default '[]',
  -- Entries of the last feed that was read which repeat another one in everything.
  add column repeated_entries integer not null default 0;
