alter table bots.conversations
  add column language text,
  add column visitor_name text,
  add column visitor_email text,
  add column rateable_at timestamptz;

comment on column bots.conversations.language is 'Language of the visitor. Null if the visitor did not send it.';
comment on column bots.conversations.visitor_name is 'Name that the visitor left.';
comment on column bots.conversations.visitor_email is 'Address at which the visitor wants the reply.';
comment on column bots.conversations.rateable_at is 'Last time that a person ended the handover or the conversation. Null before the first time.';

create index conversations_visitor_email on bots.conversations (org_id, visitor_email) where visitor_email is not null;

alter table bots.handovers
  add column assignee_id uuid,
  add column assigned_at timestamptz,
  add column after_hours boolean not null default false;

comment on column bots.handovers.assignee_id is 'Member who handles the conversation. Null if no member does.';
comment on column bots.handovers.after_hours is 'The handover started outside the office hours of the bot.';

create index handovers_assignee on bots.handovers (org_id, assignee_id, id);
create index handovers_waits on bots.handovers (org_id, waits, id);
create index handovers_after_hours on bots.handovers (org_id, after_hours, id);
create index handovers_bot on bots.handovers (org_id, bot_id, id);

create table bots.assignments (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  conversation_id uuid not null references bots.conversations (id) on delete cascade,
  assignee_id uuid,
  by_kind text not null check (by_kind in ('member', 'key', 'system')),
  by_id uuid,
  reason text not null check (reason in ('assigned', 'replied', 'removed', 'role_changed')),
  created_at timestamptz not null default now()
);

comment on table bots.assignments is 'Members to whom a conversation was assigned, in order.';
comment on column bots.assignments.by_id is 'Member or key that assigned the conversation. Null for the system.';
comment on column bots.assignments.reason is 'replied: the first reply assigned the conversation. removed, role_changed: the assignee lost access.';

create index assignments_conversation on bots.assignments (conversation_id, id);

create function bots.new_id() returns uuid language sql volatile set search_path = pg_catalog as $$
  select (substr(at, 1, 8) || '-' || substr(at, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid
  from lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') as at
$$;

comment on function bots.new_id() is 'Time-ordered ID (RFC 9562, version 7) of a row that a trigger adds.';

-- A member who is removed or becomes a viewer cannot reply, so their conversations have no assignee in the same
-- transaction.
create function bots.unassign_member() returns trigger language plpgsql set search_path = bots, pg_catalog as $$
begin
  -- The rows of a deleted organisation are deleted with it.
  if not exists (select from account.orgs where id = old.org_id) then
    return null;
  end if;
  with freed as (
    update bots.handovers set assignee_id = null, assigned_at = null
    where org_id = old.org_id and assignee_id = old.user_id returning org_id, conversation_id
  )
  insert into bots.assignments (id, org_id, conversation_id, assignee_id, by_kind, by_id, reason)
  select bots.new_id(), org_id, conversation_id, null, 'system', null,
    case when tg_op = 'DELETE' then 'removed' else 'role_changed' end
  from freed;
  return null;
end
$$;

create trigger unassign_removed after delete on account.members
  for each row execute function bots.unassign_member();
create trigger unassign_viewer after update of role on account.members
  for each row when (new.role = 'viewer' and old.role <> 'viewer') execute function bots.unassign_member();

create table bots.labels (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  color text not null check (color in ('grey', 'red', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table bots.labels is 'Labels that an organisation puts on its conversations.';

create unique index labels_name on bots.labels (org_id, lower(name));
create index labels_list on bots.labels (org_id, id);

create table bots.conversation_labels (
  conversation_id uuid not null references bots.conversations (id) on delete cascade,
  label_id uuid not null references bots.labels (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  handover_id uuid,
  created_at timestamptz not null default now(),
  primary key (conversation_id, label_id)
);

comment on column bots.conversation_labels.handover_id is 'ID of the handover in progress, so that the inbox is filtered in its order.';

create index conversation_labels_inbox on bots.conversation_labels (label_id, handover_id);

select account.fence_closed('bots.labels', 'bots.conversation_labels');
select account.let_moves_pass();
