-- Which media of the gallery an article shows or leads to: whoever deletes or renames one asks first.

-- A path as the article spells it: what follows /media/ in an address, without a version.
create table content.article_media (
  article_id integer not null references content.article on delete cascade,
  path text collate "C" not null,
  primary key (path, article_id)
);

create index article_media_by_article on content.article_media (article_id);

create function content.keep_article_media() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from content.article_media where article_id = new.id;
  end if;
  -- Marks at the end belong to the HTML or CSS around an address. An index takes no more bytes of a path.
  insert into content.article_media (article_id, path)
    select distinct new.id, rtrim(address[1], ''',);') collate "C"
    from regexp_matches(concat(new.featured_image, ' ', new.content),
      '/media/(?:v[0-9a-f]{12}/)?([^"<>?#\s]+)', 'g') as address
    where octet_length(address[1]) <= 2000;
  return null;
end
$$;

create trigger keep_media_inserted after insert on content.article
  for each row when (new.content like '%/media/%' or new.featured_image like '%/media/%')
  execute function content.keep_article_media();
create trigger keep_media_updated after update of content, featured_image on content.article
  for each row when (
    (old.content, old.featured_image) is distinct from (new.content, new.featured_image)
    and (old.content like '%/media/%' or old.featured_image like '%/media/%'
      or new.content like '%/media/%' or new.featured_image like '%/media/%'))
  execute function content.keep_article_media();
