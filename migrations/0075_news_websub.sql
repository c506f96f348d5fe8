-- The newsroom's subscriptions at WebSub hubs, by which sources say at once that they have something new.
-- A new table, so nothing waits.

create table news.websub_subscription (
  -- The last part of the callback's address: whoever does not know it cannot reach the subscription.
  token text collate "C" primary key check (token ~ '^[A-Za-z0-9_-]{43}$'),
  -- Null: its source was removed or names another hub, so the subscription is to be ended at the hub.
  source_id bigint unique references news.source on delete set null,
  hub text not null check (octet_length(hub) between 1 and 2048),
  topic text not null check (octet_length(topic) between 1 and 2048),
  -- The key of the hub's signatures.
  secret text not null,
  -- Until when the hub keeps it; null before the hub has verified it.
  lease_until timestamptz(3),
  -- When the hub is to be asked next: to subscribe, to renew, or to end it.
  ask_at timestamptz(3) not null,
  attempts integer not null default 0,
  last_notified_at timestamptz(3),
  last_error text
);

create index websub_subscription_by_ask on news.websub_subscription (ask_at);

-- A removed source's subscription is ended at once, not at its next renewal.
create function news.end_subscription() returns trigger language plpgsql as $$
begin
  new.ask_at := clock_timestamp();
  new.attempts := 0;
  return new;
end
$$;

create trigger end_subscription before update of source_id on news.websub_subscription
  for each row when (old.source_id is not null and new.source_id is null)
  execute function news.end_subscription();
