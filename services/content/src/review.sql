-- Triggers of reviews and assignments; articles.sql has those by which an article changes them.

create or replace trigger audit_changed after insert or update on content.review for each row
  execute function content.audit_row('review.changed', 'state');

-- Not for a review that goes with its article, or ends with its publication.
create or replace trigger audit_withdrawn after delete on content.review for each row
  when (pg_trigger_depth() = 0)
  execute function content.audit_row('review.withdrawn', 'state');

create or replace trigger audit_assigned after insert or update on content.assignment for each row
  execute function content.audit_row('article.assigned', 'author_id');
create or replace trigger audit_unassigned after delete on content.assignment for each row
  when (pg_trigger_depth() = 0)
  execute function content.audit_row('article.unassigned', 'author_id');
