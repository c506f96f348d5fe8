-- What `last_error` says in English, as a code, also of hubs and notices.
alter table news.websub_subscription add column last_error_code text;
alter table news.notice add column last_error_code text;
