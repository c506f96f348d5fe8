-- Workers kept the number of open requests to a host by the jobs of polls alone: what a feed redirects to,
-- and pages, were not counted, and two workers that looked at once could both begin. A request now holds one
-- of the slots of its host. A new table, so nothing waits; a worker of an earlier build holds none.

create table news.host_slot (
  host text collate "C" not null,
  slot smallint not null,
  -- The request that holds it.
  holder uuid not null,
  -- Later than any request may end: the slots of a worker that is gone are free from then on.
  lease_until timestamptz(3) not null,
  primary key (host, slot)
);
