-- Triggers of API keys.

create or replace trigger audit_created after insert on content.api_key for each row
  execute function content.audit_row('key.created', 'prefix', 'name', 'scope', 'category_id', 'expires_at');
create or replace trigger audit_revoked after update on content.api_key for each row
  when (new.revoked_at is not null and old.revoked_at is null)
  execute function content.audit_row('key.revoked', 'prefix', 'name');
create or replace trigger audit_changed after update on content.api_key for each row
  when ((new.name, new.scope, new.category_id, new.expires_at, new.secret_hash)
    is distinct from (old.name, old.scope, old.category_id, old.expires_at, old.secret_hash))
  execute function content.audit_row('key.changed', 'prefix', 'name', 'scope', 'category_id', 'expires_at');
create or replace trigger audit_deleted after delete on content.api_key for each row
  execute function content.audit_row('key.deleted', 'prefix', 'name');
create or replace trigger audit_truncated after truncate on content.api_key
  for each statement execute function content.audit_truncation();
