-- Why a hook is paused and why a schedule has failed, as codes: the desk has a sentence for each.
alter table content.hook add column pause_code text;
update content.hook set pause_code = 'by_operator' where pause_reason = 'by an operator';
alter table news.schedule add column last_error_code text;
