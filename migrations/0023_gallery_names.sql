-- Histories name people: two of one name would be one person there.
create unique index person_name_key on gallery.person (lower(name)) where removed_at is null;
