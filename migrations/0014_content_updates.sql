-- Lists by sort=updated and updated_since: of the whole site, and of a category.
create index article_by_update on content.article (is_published, updated_at desc, id desc);
create index article_by_category_and_update on content.article (category_id, is_published, updated_at desc, id desc);

-- Lists of all states merge the ordered lists of each state, so nothing reads these any more.
drop index content.article_by_date;
drop index content.article_by_category;
