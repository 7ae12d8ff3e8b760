create table account.test_messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  channel text not null check (channel in ('email', 'push', 'whatsapp', 'voice', 'notify')),
  recipient text not null,
  title text not null,
  content jsonb,
  record jsonb,
  bytes integer not null,
  created_at timestamptz not null default now()
);

comment on table account.test_messages is 'What test keys would have sent: nothing else is made of it, no row of the area and no job, so that nothing can deliver it.';
comment on column account.test_messages.id is 'What the area names the message by.';
comment on column account.test_messages.content is 'Null for mail, whose content the email area keeps.';
comment on column account.test_messages.record is 'The message as its area answers with it; null for mail, which has rows of its own that are never delivered.';

create index test_messages_org on account.test_messages (org_id, id desc);
create index test_messages_created_at on account.test_messages (created_at);

insert into account.test_messages (id, org_id, key_id, channel, recipient, title, bytes, created_at)
select id, org_id, key_id, 'email', to_email, left(subject, 1000), 0, created_at
from (
  select m.id, m.org_id, m.key_id, m.to_email, m.subject, s.created_at,
    row_number() over (partition by m.org_id order by m.id desc) as place
  from email.sandbox_messages as s join email.messages as m on m.id = s.message_id
) as newest
where place <= 1000;
