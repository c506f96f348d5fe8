-- Triggers of stories.

create or replace function news.refuse_merge_circle() returns trigger language plpgsql as $$
declare
  survivor text := new.merged_into;
begin
  update news.story_merge set merges = merges + 1;
  while survivor is not null loop
    if survivor = new.public_id then
      raise exception 'merging story % into % would form a cycle', new.public_id, new.merged_into
        using errcode = 'check_violation', schema = 'news', table = 'story', constraint = 'story_merge_circle';
    end if;
    select merged_into into survivor from news.story where public_id = survivor;
  end loop;
  return new;
end
$$;

create or replace trigger refuse_merge_circle before insert or update of merged_into, public_id on news.story
  for each row when (new.merged_into is not null) execute function news.refuse_merge_circle();

create or replace trigger date_correction before update of correction on news.story
  for each row when (old.correction is distinct from new.correction) execute function news.date_correction();

create or replace trigger announce_change after insert or update or delete or truncate on news.story
  for each statement execute function news.announce_change();

create or replace trigger keep_edit after update on news.story
  for each row when (news.is_edit()) execute function news.keep_edit(
    'public_id', 'title', 'status', 'digest', 'digest_updated_at', 'digest_by', 'correction', 'merged_into',
    'hot_place'
  );
