-- What was wrong in an article and has been put right since: [{"at", "text"}], the newest last. Null without
-- any.
alter table content.article
  add column corrections jsonb check (jsonb_typeof(corrections) = 'array' and corrections <> '[]');
