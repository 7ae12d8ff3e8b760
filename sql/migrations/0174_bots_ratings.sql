create table bots.ratings (
  conversation_id uuid primary key references bots.conversations (id) on delete cascade,
  id uuid not null unique,
  org_id uuid not null references account.orgs (id) on delete cascade,
  bot_id uuid not null,
  assignee_id uuid,
  score smallint not null check (score between 1 and 5),
  comment text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table bots.ratings is 'Ratings of conversations by visitors and users.';
comment on column bots.ratings.assignee_id is 'Last member to whom the conversation was assigned. Null if there was none.';

create index ratings_list on bots.ratings (org_id, id);
create index ratings_bot on bots.ratings (org_id, bot_id, id);
create index ratings_assignee on bots.ratings (org_id, assignee_id, id);
create index ratings_score on bots.ratings (org_id, score, id);

select account.fence_closed('bots.ratings');
select account.let_moves_pass();
