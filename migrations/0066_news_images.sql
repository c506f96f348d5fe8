-- Pictures and languages of items. Both are null where nothing says them.

-- {"url", "width"?, "height"?, "alt"?}: the address is public and https.
alter table news.item add column image jsonb;
-- Of the original article (BCP 47, in its canonical form).
alter table news.item add column language text;
-- Not validated: the rows that are there have neither, and the lock is short.
alter table news.item
  add constraint item_image_check check (jsonb_typeof(image) = 'object' and image ? 'url') not valid,
  add constraint item_language_check check (language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$') not valid;

-- Whether the pictures of its entries are taken.
alter table news.source add column takes_images boolean not null default true;

-- Mirrors show both.
drop trigger record_update on news.item;
create trigger record_update after update on news.item
  for each row when (
    (old.in_selected_set or new.in_selected_set) and (
      old.in_selected_set, old.title, old.original_title, old.summary, old.source_name, old.original_url,
      old.published_at, old.discovered_at, old.category, old.score, old.directions, old.image, old.language
    ) is distinct from (
      new.in_selected_set, new.title, new.original_title, new.summary, new.source_name, new.original_url,
      new.published_at, new.discovered_at, new.category, new.score, new.directions, new.image, new.language
    )
  ) execute function news.record_change();

-- A query can restrict the language, with all that is written in it: `zh` finds `zh-Hant-TW`.
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

drop trigger keep_terms_update on news.item;
create trigger keep_terms_update after update on news.item
  for each row when (
    (
      old.search_text, old.category, old.directions, old.in_selected_set, old.timeline_at, old.published_at,
      old.source_name, old.language
    ) is distinct from (
      new.search_text, new.category, new.directions, new.in_selected_set, new.timeline_at, new.published_at,
      new.source_name, new.language
    )
  ) execute function news.keep_item_terms();
