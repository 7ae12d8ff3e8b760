create table email.template_versions (
  id uuid primary key,
  template_id uuid not null references email.templates (id) on delete cascade,
  number integer not null,
  name text not null,
  subject text not null,
  html text not null,
  text text,
  created_at timestamptz not null default now(),
  unique (template_id, number)
);

comment on table email.template_versions is 'What a template was after each change. A trigger writes them; the oldest of more than 50 are deleted.';
comment on column email.template_versions.number is 'From 1. The highest one is the present state of the template.';

insert into email.template_versions (id, template_id, number, name, subject, html, text, created_at)
select gen_random_uuid(), id, 1, name, subject, html, text, updated_at from email.templates;

create function email.keep_version() returns trigger language plpgsql as $$
declare
  latest integer := coalesce((select max(number) from email.template_versions where template_id = new.id), 0);
begin
  insert into email.template_versions (id, template_id, number, name, subject, html, text)
  values (gen_random_uuid(), new.id, latest + 1, new.name, new.subject, new.html, new.text);
  delete from email.template_versions where template_id = new.id and number <= latest - 49;
  return null;
end
$$;

comment on function email.keep_version is 'Keeps each state of a template. The row lock of its update keeps the numbers apart.';

create trigger keep_first_version after insert on email.templates
for each row execute function email.keep_version();

create trigger keep_version after update of name, subject, html, text on email.templates
for each row when ((old.name, old.subject, old.html, old.text) is distinct from (new.name, new.subject, new.html, new.text))
execute function email.keep_version();

select account.let_moves_pass();
