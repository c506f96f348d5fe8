-- A search looks at the head of each article that it looks through: kept apart from its row, as 128 had it,
-- that took two more reads. Long texts stay apart. Rows change when they are next written.
alter table content.article_search reset (toast_tuple_target);
