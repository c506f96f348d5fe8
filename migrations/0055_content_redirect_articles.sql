-- The article that an import's redirect leads to, by which an undo finds it whatever its address is by then.
alter table content.redirect add column article_id integer;

create index redirect_by_article on content.redirect (article_id) where article_id is not null;
