-- What the cards of networks show of an article instead of its title, summary and picture. Null: those.
alter table content.article
  add column social_title text check (char_length(social_title) <= 255),
  add column social_description text check (char_length(social_description) <= 500),
  add column social_image text check (char_length(social_image) <= 500);
