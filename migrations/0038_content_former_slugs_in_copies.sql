-- Copies read former slugs by the id that they share with redirects, which each has alone.
create index former_slug_by_redirect_id on content.former_slug (redirect_id);
