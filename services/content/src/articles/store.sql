-- Members that follow from other members of an article.

-- The names of these authors in this order, joined; null for none.
create or replace function content.author_names(ids integer[]) returns text language sql stable parallel safe as $$
  select string_agg(author.name, ', ' order by place)
  from unnest(ids) with ordinality as given (id, place) join content.author as author using (id)
$$;

-- The text that such an article is found by (`author=`), and keeps when its authors are taken from it: the
-- names as they were when its authors were written.
create or replace function content.keep_author_text() returns trigger language plpgsql as $$
begin
  new.author := left(coalesce(content.author_names(new.author_ids), new.author), 255);
  return new;
end
$$;

-- The paths of the media that an article shows or leads to. Marks at the end belong to the HTML or CSS around
-- an address. An index takes no more bytes of a path.
create or replace function content.media_in(featured_image text, content text) returns setof text language sql immutable as $$
  select distinct rtrim(address[1], ''',);') collate "C"
  from regexp_matches(concat(featured_image, ' ', content), '/media/(?:v[0-9a-f]{12}/)?([^"<>?#\s]+)', 'g') as address
  where octet_length(address[1]) <= 2000
$$;

create or replace function content.keep_article_media() returns trigger language plpgsql as $$
begin
  delete from content.article_media where article_id = new.id;
  insert into content.article_media (article_id, path)
    select new.id, path from content.media_in(concat_ws(' ', new.featured_image, new.social_image), new.content) as path;
  if new.featured_image is distinct from old.featured_image then
    perform content.know_pictures(array[new.featured_image]);
  end if;
  return null;
end
$$;
