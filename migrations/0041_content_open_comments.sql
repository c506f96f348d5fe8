-- How many comments of an article wait, for each row of the desk's list.
create index article_comment_open on content.article_comment (article_id)
  where parent_id is null and resolved_at is null;
