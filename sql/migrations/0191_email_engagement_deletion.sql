-- Engagements are deleted before their message, because 0196 counts them by its properties and tags. This is a separate
-- migration, because 0196 reads all engagements, and messages are written meanwhile.
create function email.delete_engagements() returns trigger language plpgsql as $$
begin
  delete from email.engagements where message_id = old.id;
  return old;
end
$$;

create trigger delete_engagements before delete on email.messages
  for each row when (not old.sandbox) execute function email.delete_engagements();

select account.let_moves_pass();
