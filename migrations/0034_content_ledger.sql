-- What is published is a set that clients copy: published articles, categories, tags and authors.
-- docs/ledger.md explains why nothing is lost.

create trigger refuse_new_id before update of id on content.article
  for each row when (old.id <> new.id) execute function content.refuse_new_id();
-- Drafts cost nothing.
create trigger record_insert after insert on content.article
  for each row when (new.is_published) execute function content.record_change('article');
-- Every column that copies show is compared here; content comes last, because it is read only if all others
-- are the same.
create trigger record_update after update on content.article
  for each row when (
    (old.is_published or new.is_published) and (
      old.updated_at, old.is_published, old.published_at, old.created_at, old.category_id, old.tag_ids, old.author_ids,
      old.title, old.slug, old.excerpt, old.featured_image, old.alt_text, old.author, old.meta_title,
      old.meta_description, old.canonical_url, old.extra, old.content
    ) is distinct from (
      new.updated_at, new.is_published, new.published_at, new.created_at, new.category_id, new.tag_ids, new.author_ids,
      new.title, new.slug, new.excerpt, new.featured_image, new.alt_text, new.author, new.meta_title,
      new.meta_description, new.canonical_url, new.extra, new.content
    )
  ) execute function content.record_change('article');
create trigger record_delete after delete on content.article
  for each row when (old.is_published) execute function content.record_change('article');
create trigger record_truncation before truncate on content.article
  for each statement execute function content.record_truncation('is_published', 'article');

-- Records every change of a table whose rows are all published. Its kind also has an entry in
-- services/content/src/sync/kinds.ts.
create procedure content.record_all(of_table regclass, kind text) language plpgsql as $do$
begin
  execute format($triggers$
    create trigger refuse_new_id before update of id on %1$s
      for each row when (old.id <> new.id) execute function content.refuse_new_id();
    create trigger record_insert after insert on %1$s
      for each row execute function content.record_change(%2$L);
    create trigger record_update after update on %1$s
      for each row when (old.* is distinct from new.*) execute function content.record_change(%2$L);
    create trigger record_delete after delete on %1$s
      for each row execute function content.record_change(%2$L);
    create trigger record_truncation before truncate on %1$s
      for each statement execute function content.record_truncation('true', %2$L);
  $triggers$, of_table, kind);
end
$do$;

call content.record_all('content.category', 'category');
call content.record_all('content.tag', 'tag');
call content.record_all('content.author', 'author');

-- Cached answers have cursors, which end with their epoch. Numbering a change needs no announcement: the
-- change was announced itself.
create trigger announce_change after update of epoch on content.ledger
  for each statement execute function content.announce_change();
