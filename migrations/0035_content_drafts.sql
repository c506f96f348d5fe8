-- Drafts of any length: what readers see, or will see at a time, has a title and a text that is long enough.

alter table content.article add column is_short boolean not null default false;
alter table content.article
  drop constraint article_title_check,
  add constraint article_title_length check (char_length(title) <= 255) not valid,
  add constraint article_titled
    check (title <> '' or not (is_published or publish_at is not null or release is not null)) not valid,
  add constraint article_long_enough
    check (not is_short or not (is_published or publish_at is not null or release is not null)) not valid;
alter table content.article validate constraint article_title_length;
alter table content.article validate constraint article_titled;
alter table content.article validate constraint article_long_enough;
