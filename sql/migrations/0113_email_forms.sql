create table email.forms (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  sandbox boolean not null,
  name text not null,
  title text not null,
  consent_text text not null,
  text_version text not null,
  topics text[] not null default '{}',
  from_email text not null,
  from_name text,
  subject text not null,
  guard_site_id uuid,
  success_url text,
  active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table email.forms is 'Public forms with which people subscribe. Each sign-up is confirmed by email.';
comment on column email.forms.text_version is 'Version of the consent text, which is part of the evidence.';
comment on column email.forms.guard_site_id is 'Site of the guard area whose token the form requires.';

create index forms_newest on email.forms (org_id, id);

create table email.sign_ups (
  id uuid primary key,
  org_id uuid not null,
  form_id uuid not null references email.forms (id) on delete cascade,
  email text not null,
  written text,
  topics text[] not null default '{}',
  source text not null,
  title text not null,
  consent_text text not null,
  text_version text not null,
  ip text not null,
  network text not null,
  state text not null default 'waiting' check (state in ('waiting', 'asked', 'confirmed', 'skipped')),
  reason text,
  message_id uuid,
  created_at timestamptz not null default now(),
  confirmed_at timestamptz
);

comment on table email.sign_ups is 'What people sent with a form, until they confirm: then it is evidence of their consent.';
comment on column email.sign_ups.consent_text is 'The text that the form showed, which is part of the evidence.';
comment on column email.sign_ups.network is 'Network of the visitor, by which sign-ups are limited.';

create index sign_ups_form on email.sign_ups (form_id, id);
create index sign_ups_state on email.sign_ups (form_id, state, id);
create index sign_ups_email on email.sign_ups (org_id, email, created_at);
create index sign_ups_network on email.sign_ups (network, created_at);
create unique index sign_ups_message on email.sign_ups (message_id) where message_id is not null;
create index sign_ups_created_at on email.sign_ups (created_at);

select account.fence_closed('email.forms', 'email.sign_ups');
select account.let_moves_pass();
