-- Deliveries that wait for an earlier one of their subject are put aside by the claim that meets them, so
-- that no later one looks at them again: a claim reads few rows, however many events are about one article.

alter table content.delivery
  -- Null while it is put aside: `resume_next` makes it due. Whoever puts aside, or deletes what is the first
  -- of its subject, holds the lock of the hook's row.
  alter column due_at drop not null;

-- What has been waiting longest goes first.
create function content.resume_next() returns trigger language plpgsql as $$
begin
  update content.delivery as next set due_at = event.happened_at
  from removed
  cross join lateral (
    select event_id from content.delivery as later
    where later.hook_id = removed.hook_id and later.subject = removed.subject and later.event_id > removed.event_id
    order by event_id limit 1
  ) as follower
  join content.event on event.id = follower.event_id
  where next.hook_id = removed.hook_id and next.event_id = follower.event_id and next.due_at is null;
  return null;
end
$$;

create trigger resume_next after delete on content.delivery
  referencing old table as removed for each statement execute function content.resume_next();

alter table content.event
  -- A cursor of the changes of what is published, from after the change got its number; set with the first
  -- attempt to deliver the event.
  add column sync_cursor text;

-- What is planned, in the order of time, page by page.
drop index content.article_by_due;
create index article_by_due on content.article ((case when is_published then unpublish_at else publish_at end), id)
  where (case when is_published then unpublish_at else publish_at end) is not null;
