-- The trail of a publication has two members of the article: the whole row as JSON, its body included, took
-- longer than the entry.
create function content.audit_publication() returns trigger language plpgsql as $$
begin
  insert into content.audit (action, article_id, detail) values (
    'article.published', new.id, jsonb_build_object('slug', new.slug, 'published_at', new.published_at)
  );
  return null;
end
$$;

create or replace trigger audit_created after insert on content.article for each row
  when (new.is_published and current_setting('pressroom.import', true) is distinct from 'on')
  execute function content.audit_publication();
create or replace trigger audit_published after update on content.article for each row
  when (new.is_published and not old.is_published)
  execute function content.audit_publication();
