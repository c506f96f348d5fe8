-- The trail of the desk: who did what (trail.ts writes, reads and prunes it).

-- The role of the service may add to the trail and read it, but neither change nor remove it
-- (packages/common/src/database/service-roles.ts): this function removes the oldest rows, and no recent ones.
create or replace function gallery.prune_trail(days integer, most integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  removed integer;
begin
  if days < 30 then
    raise exception 'the last 30 days of the trail stay' using errcode = 'check_violation';
  end if;
  delete from gallery.trail where id in (
    select id from gallery.trail where at < clock_timestamp() - make_interval(days => days) order by at limit most
  );
  get diagnostics removed = row_count;
  return removed;
end
$$;
