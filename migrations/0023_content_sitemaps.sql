-- The files of the sitemap, each of 50,000 ids whatever comes and goes, and when the newest of its articles
-- changed.
create index article_by_sitemap on content.article (((id - 1) / 50000), updated_at desc) where is_published;
