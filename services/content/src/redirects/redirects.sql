-- What writing a redirect sets off.

-- Cached answers about articles do not depend on it.
create or replace function content.announce_redirects() returns trigger language plpgsql as $$
begin
  perform pg_notify('content_changed', 'redirects');
  return null;
end
$$;

create or replace trigger announce_change after insert or update or delete on content.redirect
  for each statement execute function content.announce_redirects();
create or replace trigger audit_created after insert on content.redirect
  for each row when (new.source = 'manual')
  execute function content.audit_row('redirect.created', 'id', 'from_address', 'to_address', 'status');
create or replace trigger audit_changed after update on content.redirect
  for each row when (new.source = 'manual')
  execute function content.audit_row('redirect.changed', 'id', 'from_address', 'to_address', 'status');
create or replace trigger audit_deleted after delete on content.redirect for each row
  execute function content.audit_row('redirect.deleted', 'id', 'from_address', 'to_address', 'status');

-- Copies with redirects follow them, and former slugs; those of articles while readers see the article.
create or replace trigger refuse_new_id before update of id on content.redirect
  for each row when (old.id <> new.id) execute function content.refuse_new_id();
create or replace trigger record_insert after insert on content.redirect
  for each row execute function content.record_change('redirect');
create or replace trigger record_update after update on content.redirect
  for each row when (old.* is distinct from new.*) execute function content.record_change('redirect');
create or replace trigger record_delete after delete on content.redirect
  for each row execute function content.record_change('redirect');
create or replace trigger record_truncation before truncate on content.redirect
  for each statement execute function content.record_truncation('true', 'redirect');

create or replace function content.record_former_slug() returns trigger language plpgsql as $$
begin
  perform content.commit_durably();
  if tg_op <> 'INSERT' then
    insert into content.ledger_change (item_id) values ('former_slug:' || old.redirect_id);
  end if;
  if tg_op <> 'DELETE' then
    insert into content.ledger_change (item_id) values ('former_slug:' || new.redirect_id);
  end if;
  return null;
end
$$;

create or replace trigger record_change after insert or update or delete on content.former_slug
  for each row execute function content.record_former_slug();

create or replace function content.refuse_truncation() returns trigger language plpgsql as $$
begin
  raise exception 'copies follow each row of %.%; use DELETE', tg_table_schema, tg_table_name
    using errcode = 'object_not_in_prerequisite_state';
end
$$;

create or replace trigger refuse_truncation before truncate on content.former_slug
  for each statement execute function content.refuse_truncation();

create or replace function content.record_former_slugs() returns trigger language plpgsql as $$
begin
  perform content.commit_durably();
  insert into content.ledger_change (item_id)
    select 'former_slug:' || redirect_id from content.former_slug where resource = 'article' and id = new.id;
  return null;
end
$$;

create or replace trigger record_former_slugs after update of is_published on content.article
  for each row when (old.is_published <> new.is_published) execute function content.record_former_slugs();

-- Readers no longer see a deleted article, and see a restored one again.
create or replace function content.record_former_slugs_of_deleted() returns trigger language plpgsql as $$
begin
  perform content.commit_durably();
  insert into content.ledger_change (item_id)
    select 'former_slug:' || redirect_id from content.former_slug
    where resource = 'article' and id = coalesce(new.article_id, old.article_id);
  return null;
end
$$;

create or replace trigger record_former_slugs after insert or delete on content.deleted_article
  for each row execute function content.record_former_slugs_of_deleted();

create or replace trigger refuse_new_id before update of id on content.former_pattern
  for each row when (old.id <> new.id) execute function content.refuse_new_id();
create or replace trigger record_change after insert or delete on content.former_pattern
  for each row execute function content.record_change('former_pattern');
create or replace trigger refuse_truncation before truncate on content.former_pattern
  for each statement execute function content.refuse_truncation();
