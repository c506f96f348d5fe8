-- Where an editor has put a story in the hot list: above what is hotter, or not in it at all.
alter table news.story add column hot_place text check (hot_place in ('pinned', 'hidden'));
create index story_with_hot_place on news.story (public_id) where hot_place is not null;
