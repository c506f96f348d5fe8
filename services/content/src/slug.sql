-- Slugs: each leads to one row of its table, as do those that the row had before.

-- Slugs are made under one lock per table, which is held until the transaction ends, so a free slug stays
-- free until it is taken. Every writer of a slug takes the lock, even in manual SQL, so no writer can lose a
-- race for one.
create or replace function content.lock_slugs() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(tg_relid::integer, 0);
  return null;
end
$$;

-- base for 1, else base-n, with base truncated if the number would not fit. `||` of a text and a number is
-- not immutable: with it the function would be called instead of being part of its callers.
create or replace function content.numbered_slug(base text, n integer, most integer) returns text language sql immutable as $$
  select case when n = 1 then base else rtrim(left(base, most - 1 - length(n::text)), '-') || '-' || n::text end
$$;

-- A former slug is as taken as a current one.
create or replace function content.slug_is_taken(of_table regclass, candidate text, own text) returns boolean
language plpgsql as $$
declare
  found_one boolean;
begin
  if candidate = own then
    return false;
  end if;
  -- One statement, which is planned once for a connection.
  if of_table = 'content.article'::regclass then
    return exists (select from content.article where slug = candidate)
      or exists (select from content.former_slug where resource = 'article' and slug = candidate);
  end if;
  execute format('select exists (select from %s where slug = $1)', of_table) into found_one using candidate;
  return found_one or exists (
    select from content.former_slug
    where resource = (select relname from pg_class where oid = of_table) and slug = candidate);
end
$$;

-- base, base-2, base-3, …: a slug that no other row of the table has, and the next number if none was
-- deleted. The search doubles its stride until a slug is free and then halves it, so the ten-thousandth
-- article with the same title costs only a few look-ups. `own` is the slug of the row being changed, which
-- the row may keep.
create or replace function content.free_slug(of_table regclass, base text, own text default null) returns text
language plpgsql as $$
declare
  most constant integer := 100;
  taken integer := 0;
  free integer := 1;
  middle integer;
begin
  perform pg_advisory_xact_lock(of_table::oid::integer, 0);
  while content.slug_is_taken(of_table, content.numbered_slug(base, free, most), own) loop
    taken := free;
    free := free * 2;
  end loop;
  while free - taken > 1 loop
    middle := (taken + free) / 2;
    if content.slug_is_taken(of_table, content.numbered_slug(base, middle, most), own) then
      taken := middle;
    else
      free := middle;
    end if;
  end loop;
  return content.numbered_slug(base, free, most);
end
$$;

create or replace function content.refuse_former_slug(resource text, slug text) returns void language plpgsql as $$
begin
  raise unique_violation using
    constraint = resource || '_former_slug',
    message = format('the slug "%s" leads to another row of %s, which had it before', slug, resource);
end
$$;

-- Whoever writes slugs holds the lock of lock_slugs by now, so a slug that is not found here cannot appear
-- later.
create or replace function content.refuse_former_slugs() returns trigger language plpgsql as $$
declare
  taken text;
begin
  select slug into taken from added join content.former_slug as former using (slug)
    where former.resource = tg_table_name limit 1;
  if found then
    perform content.refuse_former_slug(tg_table_name, taken);
  end if;
  return null;
end
$$;

create or replace function content.claim_slug() returns trigger language plpgsql as $$
begin
  delete from content.former_slug where resource = tg_table_name and slug = new.slug and id = new.id;
  -- Nothing else announces the slugs of a draft that was published, and the cursors of copies go on.
  if found then
    perform pg_notify('content_changed', 'redirects');
  end if;
  if exists (select from content.former_slug where resource = tg_table_name and slug = new.slug) then
    perform content.refuse_former_slug(tg_table_name, new.slug);
  end if;
  return null;
end
$$;

create or replace function content.keep_former_slug() returns trigger language plpgsql as $$
begin
  insert into content.former_slug (resource, slug, id) values (tg_table_name, old.slug, new.id);
  return null;
end
$$;

-- A deleted row frees its slug, and the former ones that led to it.
create or replace function content.forget_former_slugs() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from content.former_slug where resource = tg_table_name;
  else
    delete from content.former_slug as former using removed
      where former.resource = tg_table_name and former.id = removed.id;
  end if;
  return null;
end
$$;
