-- Why the model's digest of a story was not taken: the editor who reads the digest of the rules sees it.
alter table news.story_model_digest
  add column refused_why text check (refused_why in ('invented', 'form', 'endpoint', 'report')),
  add column refused_detail text;
