-- The reports that quote an item, for its page. There is one report a day at most, so this holds no lock
-- for long.
create index daily_by_item on news.daily using gin (item_ids);
create index weekly_by_item on news.weekly using gin (item_ids);
create index monthly_by_item on news.monthly using gin (item_ids);
