-- A search for a common word finds in the index what has it and was published in the last months, in place of
-- reading all that has it and sorting that for the newest.

-- First, so that nothing is written that is not queued.
create or replace trigger queue_updated_for_search after update on content.article
  for each row when (
    (old.title, old.excerpt, old.content, old.category_id, old.tag_ids, old.author_ids, old.extra, old.published_at)
      is distinct from
      (new.title, new.excerpt, new.content, new.category_id, new.tag_ids, new.author_ids, new.extra, new.published_at)
  ) execute function content.queue_for_search();

-- The list of the articles of a month, in UTC. Drafts have no day, and count as newest.
create function content.month_list(day date) returns text language sql immutable as $$
  select 'month:' || case when isfinite(day) then to_char(day, 'YYYY-MM') else 'none' end
$$;

-- The lists of drafts, and of the last months in which so many articles were published together.
create function content.last_months(articles bigint) returns text[] language sql stable as $$
  select content.month_list(null) || array_agg(content.month_list(since)) from (
    select since, sum(month.articles) over (order by since desc) - month.articles as later
    from (
      select since, sum(articles)::bigint as articles from content.list_count
      where kind = 'all' and id = 0 and period = 'month' and isfinite(since) group by since
    ) as month
  ) as counted where later < last_months.articles
$$;

create or replace function content.index_article(indexed integer, searched text default null) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock('content.article_search'::regclass::oid::integer, indexed);
  -- If the server fails, it is taken from the queue again.
  perform set_config('synchronous_commit', 'off', true);
  insert into content.article_search as kept (article_id, title, head, body, plain, lists)
  select id, pressroom.fold(title), pressroom.fold(concat_ws(E'\n', title, excerpt, (
      select string_agg(tag.name, E'\n' order by place)
      from unnest(tag_ids) with ordinality as given (tag_id, place) join content.tag as tag on tag.id = given.tag_id
    ), content.author_names(author_ids))), pressroom.fold(concat_ws(E'\n', plain, nullif(searched, ''))), plain,
    array(
      select content.month_list(content.publication_day(published_at))
      union all select 'category:' || category_id where category_id is not null
      union all select 'tag:' || tag_id from unnest(tag_ids) as tag_id
      union all select 'author:' || author_id from unnest(author_ids) as author_id
    )
  from content.article cross join lateral content.text_of_html(content) as plain
  where id = indexed
  on conflict (article_id) do update
    set title = excluded.title, head = excluded.head, body = excluded.body, plain = excluded.plain, lists = excluded.lists
    where (kept.title, kept.head, kept.body, kept.plain, kept.lists)
      is distinct from (excluded.title, excluded.head, excluded.body, excluded.plain, excluded.lists);
  if found then
    perform pg_notify('content_changed', 'searches') from content.article where id = indexed and is_published;
  end if;
exception when foreign_key_violation then
  -- It has been deleted meanwhile.
  null;
end
$$;

-- All articles get their months in the background, the newest first. Until then common words may miss some.
insert into content.unsearchable_article (article_id) select id from content.article order by id;
