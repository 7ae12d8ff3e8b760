-- Templates with logic: syntax, MJML source, aliases, partials and layouts, test data, drafts.
alter table email.templates
  add column kind text not null default 'email' check (kind in ('email', 'partial', 'layout')),
  add column alias text,
  add column syntax text not null default 'placeholders' check (syntax in ('placeholders', 'liquid')),
  add column mjml text,
  add column uses text[] not null default '{}',
  add column test_data jsonb;

comment on column email.templates.kind is 'Messages are sent from `email`. `partial` and `layout` are parts of other templates.';
comment on column email.templates.alias is 'Name of the template in calls and in other templates, unique in the organisation.';
comment on column email.templates.mjml is 'Source of the HTML. Null if the HTML was written by hand.';
comment on column email.templates.uses is 'Aliases of the partials and layouts that the template uses.';
comment on column email.templates.test_data is 'Example variables for previews and tests.';
comment on column email.templates.variables is 'Names of its variables. A trigger writes them for placeholders, the application for Liquid.';

create unique index if not exists templates_alias on email.templates (org_id, alias) where alias is not null;
create index if not exists templates_uses on email.templates using gin (uses) where uses <> '{}';

alter table email.template_versions
  add column syntax text not null default 'placeholders',
  add column mjml text,
  add column uses text[] not null default '{}',
  add column variables text[];

create or replace function email.write_variables() returns trigger language plpgsql as $$
begin
  if new.syntax = 'placeholders' then
    new.variables := email.placeholders(new.subject, new.html, new.text);
  end if;
  return new;
end
$$;

drop trigger write_variables on email.templates;
create trigger write_variables before insert or update of subject, html, text, syntax on email.templates
for each row execute function email.write_variables();

create or replace function email.keep_version() returns trigger language plpgsql as $$
declare
  latest integer := coalesce((select max(number) from email.template_versions where template_id = new.id), 0);
begin
  insert into email.template_versions (id, template_id, number, name, subject, html, text, syntax, mjml, uses, variables)
  values (gen_random_uuid(), new.id, latest + 1, new.name, new.subject, new.html, new.text, new.syntax, new.mjml, new.uses,
    new.variables);
  delete from email.template_versions where template_id = new.id and number <= latest - 49;
  return null;
end
$$;

drop trigger keep_version on email.templates;
create trigger keep_version after update of name, subject, html, text, syntax, mjml on email.templates
for each row when ((old.name, old.subject, old.html, old.text, old.syntax, old.mjml)
  is distinct from (new.name, new.subject, new.html, new.text, new.syntax, new.mjml))
execute function email.keep_version();

-- The next state of a template, until it is published.
create table email.template_drafts (
  template_id uuid primary key references email.templates (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  subject text not null,
  html text not null,
  text text,
  syntax text not null check (syntax in ('placeholders', 'liquid')),
  mjml text,
  uses text[] not null default '{}',
  variables text[] not null default '{}',
  updated_at timestamptz not null default now()
);

comment on table email.template_drafts is 'Changes of templates that are not published yet.';

create index if not exists template_drafts_org on email.template_drafts (org_id);

select account.fence_closed('email.template_drafts');
select account.let_moves_pass();
