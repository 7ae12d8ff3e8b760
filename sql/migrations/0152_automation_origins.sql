-- Finds the workflow run that sent a message, so that rules can see that their own action led to an event.
create index if not exists run_steps_message on notify.run_steps (message_id) where message_id is not null;
