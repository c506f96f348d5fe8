-- Keys of sites: the rate of keys, and what readers see.
alter table content.api_key drop constraint api_key_scope_check;
alter table content.api_key add constraint api_key_scope_check
  check (scope in ('published', 'read', 'write', 'publish', 'full'));
