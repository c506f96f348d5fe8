-- What a site shows a category with, and in which order.
alter table content.category
  add column picture text check (char_length(picture) <= 500),
  add column position integer check (position > 0);
