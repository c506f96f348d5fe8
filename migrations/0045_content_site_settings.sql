-- What owners have set of the site at the desk, in one row; null is what the environment gives.
create table content.site (
  id boolean primary key default true check (id),
  name text,
  description text,
  language text,
  url text,
  logo text,
  article_path text,
  category_path text,
  author_path text
);
