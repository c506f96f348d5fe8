-- Where an editor says that the text of its articles' pages is (CSS); null: it is found without.
alter table news.source
  add column text_selector text,
  -- The pages in a row, up to the last one that was read, on which it has found no text.
  add column unmatched_pages integer not null default 0;
