-- The time zone in which the site's readers are told days; null is what the environment gives.
alter table content.site add column zone text;
