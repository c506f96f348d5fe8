-- Which worker has a row in hand: one that was slow ends no lease but its own.
alter table news.source add column holder uuid;
alter table news.schedule add column holder uuid;
