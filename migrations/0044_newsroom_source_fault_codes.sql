-- What `last_error` says in English, as a code: the desk has a sentence for each, in each language.
alter table news.source add column last_error_code text;
