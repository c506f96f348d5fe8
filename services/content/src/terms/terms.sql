-- Triggers of a {term}; articles/indexing.sql has those for its articles.

-- A term that no longer exists has no counts; the trigger's argument is its kind.
create or replace function content.forget_counts() returns trigger language plpgsql as $$
begin
  delete from content.list_count where kind = tg_argv[0] and id = old.id;
  return null;
end
$$;

-- Its slugs.
create or replace trigger lock_slugs before insert or update of slug on content.{term}
  for each statement execute function content.lock_slugs();
create or replace trigger refuse_former_slugs after insert on content.{term}
  referencing new table as added for each statement execute function content.refuse_former_slugs();
create or replace trigger claim_slug after update of slug on content.{term}
  for each row when (old.slug <> new.slug) execute function content.claim_slug();
create or replace trigger keep_former_slug after update of slug on content.{term}
  for each row when (old.slug <> new.slug) execute function content.keep_former_slug();
create or replace trigger forget_former_slugs after delete on content.{term}
  referencing old table as removed for each statement execute function content.forget_former_slugs();
create or replace trigger forget_all_former_slugs after truncate on content.{term}
  for each statement execute function content.forget_former_slugs();

-- The lists of its articles.
create or replace trigger forget_counts after delete on content.{term}
  for each row execute function content.forget_counts('{term}');

-- Announces changes to the trail, replicas, hooks, and copies of what is published, to which all of it
-- belongs; its kind also has an entry in sync.ts.
create or replace trigger audit_created after insert on content.{term} for each row
  execute function content.audit_row('{term}.created', 'id', 'slug', 'name');
create or replace trigger audit_changed after update of name, slug on content.{term} for each row
  when ((old.name, old.slug) is distinct from (new.name, new.slug))
  execute function content.audit_row('{term}.changed', 'id', 'slug', 'name');
create or replace trigger audit_deleted after delete on content.{term} for each row
  execute function content.audit_row('{term}.deleted', 'id', 'slug', 'name');
create or replace trigger announce_change after insert or update or delete or truncate on content.{term}
  for each statement execute function content.announce_change();
create or replace trigger note_inserted after insert on content.{term}
  referencing new table as added for each statement execute function content.note_terms('{terms}');
create or replace trigger note_updated after update on content.{term}
  referencing old table as removed new table as added for each statement execute function content.note_terms('{terms}');
create or replace trigger note_deleted after delete on content.{term}
  referencing old table as removed for each statement execute function content.note_terms('{terms}');
create or replace trigger refuse_new_id before update of id on content.{term}
  for each row when (old.id <> new.id) execute function content.refuse_new_id();
create or replace trigger record_insert after insert on content.{term}
  for each row execute function content.record_change('{term}');
create or replace trigger record_update after update on content.{term}
  for each row when (old.* is distinct from new.*) execute function content.record_change('{term}');
create or replace trigger record_delete after delete on content.{term}
  for each row execute function content.record_change('{term}');
create or replace trigger record_truncation before truncate on content.{term}
  for each statement execute function content.record_truncation('true', '{term}');
