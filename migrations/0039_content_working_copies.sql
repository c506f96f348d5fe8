-- Changes of published articles that no reader sees before they are published.

create table content.working_copy (
  -- No foreign key: with a deleted article it can be restored.
  article_id integer primary key,
  -- The revision of the article that it is meant to change.
  revision integer not null,
  -- As a PATCH of the article takes them.
  changes jsonb not null,
  saved_at timestamptz(3) not null default clock_timestamp(),
  saved_by text collate "C"
);

create or replace function content.forget_articles(ids integer[]) returns void language sql as $$
  delete from content.article_revision where article_id = any (ids);
  delete from content.working_copy where article_id = any (ids);
  delete from content.former_slug where resource = 'article' and id = any (ids);
$$;

create or replace function content.forget_revisions() returns trigger language plpgsql as $$
begin
  truncate content.article_revision, content.working_copy, content.deleted_article;
  return null;
end
$$;
