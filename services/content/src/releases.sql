-- Triggers of releases.

create or replace trigger announce_schedule after insert or update on content.release
  for each row when (new.publish_at is not null) execute function content.announce_schedule();
create or replace trigger audit_created after insert on content.release for each row
  execute function content.audit_row('release.created', 'name', 'publish_at');
create or replace trigger audit_planned after update on content.release for each row
  when (new.publish_at is distinct from old.publish_at)
  execute function content.audit_row('release.planned', 'name', 'publish_at');
create or replace trigger audit_published after update on content.release for each row
  when (new.published_at is not null and old.published_at is null)
  execute function content.audit_row('release.published', 'name', 'publish_at');
create or replace trigger audit_deleted after delete on content.release for each row
  execute function content.audit_row('release.deleted', 'name', 'publish_at', 'published_at');
