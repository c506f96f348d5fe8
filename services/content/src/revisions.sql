-- Every commit that changes an article is a revision, also by SQL. Writers say which key they use by
-- `set_config('pressroom.key', …, true)`.

create or replace function content.keep_revision() returns trigger language plpgsql as $$
declare
  -- Columns that follow from others, or are no part of what somebody wrote.
  unkept constant text[] :=
    array['content', 'is_short', 'updated_at', 'title_words', 'slug_is_given', 'series_id', 'series_position',
      'revision', 'revised_at', 'revised_by', 'revised_in'];
  before content.article := old;
  after content.article := new;
  is_now jsonb;
  replaced jsonb;
  body text;
begin
  new.revision := old.revision;
  new.revised_at := old.revised_at;
  new.revised_by := old.revised_by;
  new.revised_in := old.revised_in;
  before.content := '';
  after.content := '';
  is_now := to_jsonb(after);
  select jsonb_object_agg(key, value) into replaced
    from jsonb_each(to_jsonb(before)) where value <> is_now -> key and key <> all (unkept);
  if old.content <> new.content then
    body := old.content;
  end if;
  if replaced is null and body is null then
    return new;
  end if;
  replaced := coalesce(replaced, '{}');
  if old.revised_in = pg_current_xact_id() and old.revised_at = transaction_timestamp() then
    update content.article_revision set members = replaced || members, content = coalesce(content, body)
      where article_id = old.id and number = old.revision - 1;
    return new;
  end if;
  insert into content.article_revision (article_id, number, created_at, created_by, members, content)
    values (old.id, old.revision, old.revised_at, old.revised_by, replaced, body);
  new.revision := old.revision + 1;
  new.revised_at := transaction_timestamp();
  new.revised_by := nullif(current_setting('pressroom.key', true), '');
  new.revised_in := pg_current_xact_id();
  return new;
end
$$;
