-- The worker need not wait for the disk: what a crash takes back, it makes again, because the entries are
-- then pending again. Changes of the selected set still wait, for as much as the server asks of other
-- commits; if its default is `off`, for the local disk. To be called before any change.
create function news.commit_later() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') <> 'off' then
    perform set_config('news.durable_commit', current_setting('synchronous_commit'), true),
      set_config('synchronous_commit', 'off', true);
  end if;
end
$$;

create or replace function news.commit_durably() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config(
      'synchronous_commit',
      coalesce(nullif(current_setting('news.durable_commit', true), ''), 'local'),
      true
    );
  end if;
end
$$;
