-- The terms by which items are found, and all triggers of `news.item`.

-- The terms that a query can restrict. Terms that are not pieces of text begin with a space, so they are not
-- mistaken. A language comes with all that is written in it: `zh` finds `zh-Hant-TW`.
create or replace function news.item_terms(item news.item) returns text[]
language sql immutable parallel safe as $$
  select news.text_pieces(item.search_text)
    || case when item.category is not null then array[' category ' || item.category] end
    || case when item.in_selected_set then array[' selected'] end
    || array(select ' direction ' || direction from unnest(item.directions) as direction)
    || array(
      select ' language ' || array_to_string(subtags[:last], '-')
      from (select string_to_array(item.language, '-') as subtags) as tag, generate_subscripts(subtags, 1) as last
    )
$$;

create or replace function news.archived_terms(published_at timestamptz, source_name text, terms text[]) returns text[]
language sql stable strict parallel safe as $$
  select array_agg(to_char(published_at at time zone 'UTC', 'YYYYMM') || term)
  from unnest(terms || array[' source ' || source_name]) as term
$$;

-- Items up to this time have left every window, a day longer than they are shown, so that the clocks of
-- services may differ from the database's. If all news is older, its last 8 days are kept: a service may be
-- shown as it was then.
create or replace function news.recent_since() returns timestamptz language sql stable as $$
  select case when max(latest_at) is null then '-infinity' else least(clock_timestamp(), max(latest_at)) - interval '8 days' end
  from news.item_terms where not archived
$$;

-- An item is written with the terms of a window or of the archive. Time alone brings no item back into a
-- window; `archiveLeftItems` archives what has left.
create or replace function news.keep_item_terms() returns trigger language plpgsql as $$
declare
  latest constant timestamptz := greatest(new.timeline_at, new.published_at);
  is_archived constant boolean := latest <= news.recent_since();
begin
  insert into news.item_terms as kept (item_id, latest_at, archived, terms)
  values (new.id, latest, is_archived, case when is_archived
    then news.archived_terms(new.published_at, new.source_name, news.item_terms(new))
    else news.item_terms(new)
  end)
  on conflict (item_id) do update
  set latest_at = excluded.latest_at, archived = excluded.archived, terms = excluded.terms;
  return null;
end
$$;

-- The time of a correction is that of its note, however it is written; the argument is its column, if it is
-- another than `corrected_at`.
create or replace function news.date_correction() returns trigger language plpgsql as $$
begin
  return jsonb_populate_record(new, jsonb_build_object(
    coalesce(tg_argv[0], 'corrected_at'), case when new.correction is not null then clock_timestamp() end
  ));
end
$$;

create or replace trigger date_correction_insert before insert on news.item
  for each row when (new.correction is not null) execute function news.date_correction();
create or replace trigger date_correction_update before update of correction on news.item
  for each row when (old.correction is distinct from new.correction) execute function news.date_correction();

-- Of every write.
create or replace trigger announce_change after insert or update or delete or truncate on news.item
  for each statement execute function news.announce_change();

create or replace trigger refuse_new_id before update of id on news.item
  for each row when (old.id <> new.id) execute function news.refuse_new_id();

-- The terms that find it.

create or replace trigger keep_terms_insert after insert on news.item
  for each row execute function news.keep_item_terms();
create or replace trigger keep_terms_update after update on news.item
  for each row when (
    (
      old.search_text, old.category, old.directions, old.in_selected_set, old.timeline_at, old.published_at,
      old.source_name, old.language
    ) is distinct from (
      new.search_text, new.category, new.directions, new.in_selected_set, new.timeline_at, new.published_at,
      new.source_name, new.language
    )
  ) execute function news.keep_item_terms();

-- The ledger of the selected set.

create or replace trigger record_insert after insert on news.item
  for each row when (new.in_selected_set) execute function news.record_change();

-- Every column that items in snapshots and changes show is compared here.
create or replace trigger record_update after update on news.item
  for each row when (
    (old.in_selected_set or new.in_selected_set) and (
      old.in_selected_set, old.title, old.original_title, old.summary, old.source_name, old.original_url,
      old.published_at, old.discovered_at, old.category, old.score, old.directions, old.image, old.language,
      old.authors, old.tags, old.enclosures, old.correction, old.corrected_at
    ) is distinct from (
      new.in_selected_set, new.title, new.original_title, new.summary, new.source_name, new.original_url,
      new.published_at, new.discovered_at, new.category, new.score, new.directions, new.image, new.language,
      new.authors, new.tags, new.enclosures, new.correction, new.corrected_at
    )
  ) execute function news.record_change();
create or replace trigger record_delete after delete on news.item
  for each row when (old.in_selected_set) execute function news.record_change();
create or replace trigger record_truncation before truncate on news.item
  for each statement execute function news.record_truncation('in_selected_set');

-- The history of edits.

create or replace trigger keep_edit after update on news.item
  for each row when (news.is_edit()) execute function news.keep_edit(
    'id', 'title', 'original_title', 'summary', 'source_name', 'source_first_party', 'original_url', 'canonical_url',
    'published_at', 'discovered_at', 'category', 'score', 'selected', 'reason', 'directions', 'image', 'language',
    'authors', 'tags', 'enclosures', 'correction', 'story', 'withdrawn_at'
  );
