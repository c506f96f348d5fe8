-- A statement that wrote a million articles sorted a million subjects, only to find that they do not fit into
-- a notification. Now no more rows are looked at than could fit.

create or replace function content.announce_articles() returns trigger language plpgsql as $$
declare
  -- A notification holds 8000 bytes; the subjects of a row take 40 at most.
  most constant integer := 200;
  places jsonb[];
  subjects text;
begin
  -- Only what was or is published can be in a cached answer.
  if tg_op = 'INSERT' then
    places := array(
      select jsonb_build_object('id', id, 'category', category_id) from added where is_published limit most + 1);
  elsif tg_op = 'DELETE' then
    places := array(
      select jsonb_build_object('id', id, 'category', category_id) from removed where is_published limit most + 1);
  else
    places := array(
      select jsonb_build_object('id', id, 'category', category_id) from (
        select id, category_id, is_published from removed union all select id, category_id, is_published from added
      ) as article where is_published limit most + 1);
  end if;
  if cardinality(places) = 0 then
    return null;
  end if;
  if cardinality(places) <= most then
    select string_agg(distinct subject, ' ') into subjects
      from unnest(places) as place
      cross join lateral content.subjects_of((place ->> 'id')::integer, (place ->> 'category')::integer) as subject;
  end if;
  perform pg_notify('content_changed', coalesce(subjects, ''));
  return null;
end
$$;
