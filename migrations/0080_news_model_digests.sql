-- What a model has made of a story's reports: it writes the next digest from its previous one and the new
-- reports only. A new table, and an index on few rows, so nothing waits for long.

create table news.story_model_digest (
  story text collate "C" primary key references news.story on delete cascade,
  -- The last digest of the model that was kept; null if none was.
  digest text,
  -- The reports that this digest knows.
  item_ids text[] collate "C" not null default '{}',
  -- The time of the rules' digest for which the model was last asked.
  asked_for timestamptz(3) not null
);

-- The stories whose digest the rules have written last, which a model may rewrite.
create index story_by_rules_digest on news.story (digest_updated_at) where digest_by = 'rules';
