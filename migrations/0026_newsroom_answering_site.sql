-- Which site the answers of a source come from: another one may have the domain to which it redirects.
alter table news.source add column answered_site text;
