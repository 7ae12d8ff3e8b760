-- Emails of notifications: templates of the email area, and a brand per product for emails without a template.
alter table notify.texts add column template_id text;

comment on column notify.texts.template_id is 'Email template for the channel email: an ID or an alias. Null if emails use title and body.';

create table notify.brands (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  product_key text not null,
  name text not null,
  logo_url text,
  color text,
  footer text,
  layout_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, product_key)
);

comment on table notify.brands is 'How the emails of a product look that have no template.';
comment on column notify.brands.color is 'Colour of buttons and lines, such as #1a73e8.';
comment on column notify.brands.layout_id is 'Layout of the email area: an ID or an alias. Null for the built-in layout.';

create index if not exists brands_newest on notify.brands (org_id, id);

select account.fence_closed('notify.brands');
select account.let_moves_pass();
