-- Categories and packs that owners have set of the news at the desk; null is what the environment gives.
alter table news.settings
  add categories jsonb check (jsonb_typeof(categories) = 'array'),
  add packs text[],
  -- Those left out of either that items and sources may still have, with their labels.
  add former_categories jsonb not null default '[]' check (jsonb_typeof(former_categories) = 'array');
