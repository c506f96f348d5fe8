-- The index of stories forgets what came first, by number, not what was published first.
drop index news.report_terms_by_publication;
