-- What the gallery says of the pictures that articles have as their own, so that no list asks it. Content
-- keeps which addresses are to be looked at, and hands them to the gallery, which asks for work.
create table content.picture (
  -- As articles have it.
  url text collate "C" primary key,
  -- Where it is: an address that only looks like one of the gallery may be another site's.
  origin text collate "C" not null
    generated always as (coalesce(lower(substring(url from '^[^/]*//[^/?#]*')), '')) stored,
  -- Null for what is no public picture of the gallery.
  facts jsonb,
  -- Whether its version, which only the gallery knows, has shown that the origin is the gallery's.
  is_proof boolean not null default false,
  looked_at timestamptz,
  -- Until when a gallery has it in hand, and how often one had.
  lease_until timestamptz,
  attempts integer not null default 0
);

create index picture_to_look_at on content.picture (looked_at nulls first, lease_until nulls first);

create index picture_proof on content.picture (origin) where is_proof;

-- The articles written until now; none is written meanwhile by the functions that know of no pictures.
lock table content.article in share row exclusive mode;

insert into content.picture (url)
select distinct featured_image from content.article
where featured_image ~* '^(https?://[^/?#]+)?/media/[^?#]';
