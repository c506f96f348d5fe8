-- What a site needs of an article besides its members.

alter table content.article add column extra jsonb;
-- Not valid: there is nothing yet to look through while the table is locked.
alter table content.article
  add constraint article_extra_check check (jsonb_typeof(extra) = 'object') not valid;
