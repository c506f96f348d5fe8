-- Triggers of previews.

create or replace trigger audit_created after insert on content.preview for each row
  execute function content.audit_row('preview.created', 'id', 'expires_at');

-- Not for a preview that has expired, or goes with its article.
create or replace trigger audit_revoked after delete on content.preview for each row
  when (old.expires_at > clock_timestamp() and pg_trigger_depth() = 0)
  execute function content.audit_row('preview.revoked', 'id', 'expires_at');
