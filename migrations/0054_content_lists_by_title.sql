-- Lists of articles by title, in upper or lower case. The collation is PostgreSQL's own: the same order on
-- every machine, and in every version of the libraries of its system.
create index article_by_title
  on content.article (is_published, lower(title collate "pg_unicode_fast") collate "C" desc, id desc);
