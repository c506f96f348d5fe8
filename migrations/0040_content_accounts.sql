-- The account of the person at the desk who began an article: a name can be changed, or become another's.
alter table content.article add column begun_account text collate "C";

-- It takes the account since.
drop function if exists content.written_by(text, text, text);
