-- The slugs that articles and categories had before: they go on leading to them, and to nothing else.

-- A slug that somebody gave stays, whatever the title becomes.
alter table content.article add column slug_is_given boolean not null default false;

create table content.former_slug (
  -- The table of the row that had the slug, and the row's id.
  resource text not null,
  slug text not null,
  id integer not null,
  primary key (resource, slug)
);

create index former_slug_by_id on content.former_slug (resource, id);

-- A former slug is as taken as a current one.
create or replace function content.slug_is_taken(of_table regclass, candidate text, own text) returns boolean
language plpgsql as $$
declare
  found_one boolean;
begin
  if candidate = own then
    return false;
  end if;
  execute format('select exists (select from %s where slug = $1)', of_table) into found_one using candidate;
  return found_one or exists (
    select from content.former_slug
    where resource = (select relname from pg_class where oid = of_table) and slug = candidate);
end
$$;

-- Whoever writes slugs holds the lock of lock_slugs by now, so what is looked for here cannot appear later.
create function content.refuse_former_slugs() returns trigger language plpgsql as $$
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

create function content.refuse_former_slug(resource text, slug text) returns void language plpgsql as $$
begin
  raise unique_violation using
    constraint = resource || '_former_slug',
    message = format('the slug "%s" leads to another row of %s, which had it before', slug, resource);
end
$$;

create function content.claim_slug() returns trigger language plpgsql as $$
begin
  delete from content.former_slug where resource = tg_table_name and slug = new.slug and id = new.id;
  if exists (select from content.former_slug where resource = tg_table_name and slug = new.slug) then
    perform content.refuse_former_slug(tg_table_name, new.slug);
  end if;
  return null;
end
$$;

create function content.keep_former_slug() returns trigger language plpgsql as $$
begin
  insert into content.former_slug (resource, slug, id) values (tg_table_name, old.slug, new.id);
  return null;
end
$$;

-- With its row, a slug and what led to it are free again.
create function content.forget_former_slugs() returns trigger language plpgsql as $$
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

create trigger refuse_former_slugs after insert on content.article
  referencing new table as added for each statement execute function content.refuse_former_slugs();
create trigger claim_slug after update of slug on content.article
  for each row when (old.slug <> new.slug) execute function content.claim_slug();
-- Nobody knows the slug of what was never published.
create trigger keep_former_slug after update of slug on content.article
  for each row when (old.slug <> new.slug and old.published_at is not null)
  execute function content.keep_former_slug();
create trigger forget_former_slugs after delete on content.article
  referencing old table as removed for each statement execute function content.forget_former_slugs();
create trigger forget_all_former_slugs after truncate on content.article
  for each statement execute function content.forget_former_slugs();

create trigger refuse_former_slugs after insert on content.category
  referencing new table as added for each statement execute function content.refuse_former_slugs();
create trigger claim_slug after update of slug on content.category
  for each row when (old.slug <> new.slug) execute function content.claim_slug();
create trigger keep_former_slug after update of slug on content.category
  for each row when (old.slug <> new.slug) execute function content.keep_former_slug();
create trigger forget_former_slugs after delete on content.category
  referencing old table as removed for each statement execute function content.forget_former_slugs();
create trigger forget_all_former_slugs after truncate on content.category
  for each statement execute function content.forget_former_slugs();
