-- The key of an article that is deleted goes to the one that is created in its place. Builds from before
-- deleted articles kept their keys insert it all the same.
create or replace function content.pass_deleted_key() returns trigger language plpgsql as $$
begin
  delete from content.idempotency_key as kept where key = new.key
    and not exists (select from content.article where id = kept.article_id);
  return new;
end
$$;

create or replace trigger pass_deleted_key before insert on content.idempotency_key
  for each row execute function content.pass_deleted_key();
