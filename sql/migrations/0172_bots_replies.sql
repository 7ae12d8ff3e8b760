create table bots.canned_replies (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  shortcut text not null,
  language text,
  title text not null,
  text text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table bots.canned_replies is 'Texts that members insert into their replies.';
comment on column bots.canned_replies.shortcut is 'Word that finds the text in the reply box.';
comment on column bots.canned_replies.language is 'Language tag. Null for conversations in every language.';

create unique index canned_replies_shortcut
  on bots.canned_replies (org_id, shortcut collate "C", (coalesce(language, '')));
create index canned_replies_list on bots.canned_replies (org_id, id);
create index canned_replies_language on bots.canned_replies (org_id, language, id);

select account.fence_closed('bots.canned_replies');
select account.let_moves_pass();
