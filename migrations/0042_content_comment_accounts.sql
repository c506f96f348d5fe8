-- The account of who wrote a comment: a name can be changed, or become another's.
alter table content.article_comment add column created_account text collate "C";
