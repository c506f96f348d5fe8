-- Search compares texts without accents, quotes and forms of letters (search-text.ts).

alter table content.article_search
  -- What made the texts, which a newer one makes anew while services run; 0 is what came before.
  add column folding integer not null default 0,
  -- The words as written that folding changes and, on a second line, those that it makes of them.
  add column forms text collate "C" not null default '';

create index article_search_by_folding on content.article_search (folding, article_id);
