-- Triggers of comments.

-- Not one's own, and not what goes with its thread or its article.
create or replace trigger audit_deleted after delete on content.article_comment for each row
  when (pg_trigger_depth() = 0 and coalesce(
    old.created_account <> nullif(current_setting('pressroom.account', true), ''),
    old.created_by is distinct from current_setting('pressroom.key', true)))
  execute function content.audit_row('comment.deleted', 'id', 'created_by');
