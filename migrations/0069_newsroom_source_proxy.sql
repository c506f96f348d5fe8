-- The name of the proxy, of those that the settings list, through which a source is asked; null: none.
alter table news.source add column proxy text;
