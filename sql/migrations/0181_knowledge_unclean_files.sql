-- The text of a file that is no longer clean is found no more. A version that was never clean has no text here, and
-- the text of a newer clean version stays.
create function knowledge.forget_unclean_object() returns trigger language plpgsql as $$
begin
  with failed as (
    update knowledge.store_files as f set status = 'failed', usage_bytes = 0, error = jsonb_build_object(
      'code', 'invalid_file', 'message', format('The file is no longer clean: the result of the virus scan is “%s”.', new.scan_status))
    where f.file_id = coalesce(new.version_of, new.id) and f.status in ('in_progress', 'completed')
      and f.requested_at >= coalesce(new.uploaded_at, new.created_at)
      and not exists (
        select from files.objects as n
        where (n.id = f.file_id or n.version_of = f.file_id) and n.version > new.version and n.scan_status = 'clean'
          and n.deleted_at is null and n.uploaded_at <= f.requested_at)
    returning f.id
  ) delete from knowledge.sources where id in (select id from failed);
  return null;
end
$$;

create trigger forget_unclean_in_stores after update on files.objects for each row
  when (old.scanned_at is not null and old.scan_status <> new.scan_status
    and new.scan_status in ('infected', 'suspicious', 'unscannable'))
  execute function knowledge.forget_unclean_object();

select account.let_moves_pass();
