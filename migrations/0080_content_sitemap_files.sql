-- The files of the sitemap, of 10,000 ids each, and when the newest of the articles of each changed.
create index article_by_sitemap_file on content.article (((id - 1) / 10000), updated_at desc) where is_published;
drop index content.article_by_sitemap;
