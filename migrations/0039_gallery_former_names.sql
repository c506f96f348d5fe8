-- What people were called before they were renamed or removed: nobody names themselves so, as histories and
-- comments know people by their names.
create table gallery.former_name (
  -- In lower case.
  name text not null,
  person_id uuid not null references gallery.person on delete cascade,
  primary key (name, person_id)
);

insert into gallery.former_name (name, person_id)
  select lower(name), id from gallery.person where removed_at is not null;
