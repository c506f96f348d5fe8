-- What changing the settings of the site sets off.

-- They are in answers of every kind.
create or replace trigger announce_change after insert or update or delete on content.site
  for each row execute function content.announce_change();
create or replace trigger audit_changed after update on content.site
  for each row when (old.* is distinct from new.*) execute function content.audit_row(
    'site.changed', 'name', 'description', 'language', 'zone', 'url', 'logo', 'article_path', 'category_path', 'author_path'
  );
