-- Addresses that lead elsewhere: those that imports and people name, beside the former slugs.

-- Redirects and former slugs are one list, in which each has an id.
create sequence content.redirect_id as integer;

create table content.redirect (
  id integer primary key default nextval('content.redirect_id'),
  -- A path of the site with its query, in the one spelling of addresses.ts.
  from_address text collate "C" not null unique check (from_address like '/%' and char_length(from_address) <= 2000),
  -- A path of the site or a web address; null: what was there is gone for good.
  to_address text collate "C" check (char_length(to_address) <= 2000),
  status smallint not null check (status in (301, 302, 410)),
  source text collate "C" not null check (source in ('import', 'manual')),
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  check ((to_address is null) = (status = 410))
);

alter sequence content.redirect_id owned by content.redirect.id;

alter table content.former_slug add column redirect_id integer not null default nextval('content.redirect_id');

create unique index former_slug_by_redirect on content.former_slug (resource, redirect_id);
