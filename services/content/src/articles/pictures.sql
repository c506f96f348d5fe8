-- What the gallery says of the pictures of articles.

-- Has the gallery look at pictures that no article has had. Sorted, so that two writers do not wait for each
-- other.
create or replace function content.know_pictures(urls text[]) returns void language sql as $$
  insert into content.picture (url)
  select distinct url from unnest(urls) as url where url ~* '^(https?://[^/?#]+)?/media/[^?#]' order by url
  on conflict (url) do nothing
$$;

-- The ids of the articles that have a picture.
create or replace function content.articles_with_picture(picture_url text) returns setof integer language sql stable as $$
  select article.id from content.article_media as media join content.article as article on article.id = media.article_id
  where media.path in (select content.media_in(picture_url, '')) and article.featured_image = picture_url
$$;

-- Answers with pictures are dropped, and sites hear of the articles that look otherwise now. The rows of
-- these are locked, as by every change that writes events of them, in the order of all who lock several.
create or replace function content.announce_picture() returns trigger language plpgsql as $$
declare
  most constant integer := 200;
begin
  perform pg_notify('content_changed', 'pictures');
  if exists (select from content.hook) then
    perform content.add_article_events(state, state) from (
      select (id, slug, category_id, tag_ids, author_ids, is_published, series_id)::content.article_state as state
      from content.article where id = any(array(
        select id from content.article where id in (select content.articles_with_picture(new.url)) and is_published
        order by id desc limit most
      ))
      order by id for no key update
    ) as shown;
  end if;
  return null;
end
$$;

create or replace trigger announce_facts after update of facts, is_proof on content.picture
  for each row when ((old.facts, old.is_proof) is distinct from (new.facts, new.is_proof))
  execute function content.announce_picture();
