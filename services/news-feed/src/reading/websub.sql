-- Triggers of subscriptions.

-- A removed source's subscription is ended at once, not at its next renewal.
create or replace function news.end_subscription() returns trigger language plpgsql as $$
begin
  new.ask_at := clock_timestamp();
  new.attempts := 0;
  return new;
end
$$;

create or replace trigger end_subscription before update of source_id on news.websub_subscription
  for each row when (old.source_id is not null and new.source_id is null)
  execute function news.end_subscription();
