create table if not exists merchants (
  id text primary key,
  hook_url text
);

create table if not exists items (
  name text primary key,
  merchant text not null references merchants,
  cents integer not null check (cents > 0),
  stock integer not null check (stock >= 0)
);

create table if not exists orders (
  id uuid primary key default gen_random_uuid(),
  item text not null references items,
  quantity integer not null check (quantity > 0),
  cents integer not null,
  email text not null,
  state text not null default 'placed' check (state in ('placed', 'paid', 'declined')),
  placed_at timestamptz not null default now(),
  paid_at timestamptz
);

create table if not exists reports (
  scheduled_for timestamptz primary key,
  orders integer not null,
  cents bigint not null
);

insert into merchants (id) values ('acme'), ('globex') on conflict do nothing;

insert into items (name, merchant, cents, stock) values
  ('lamp', 'acme', 4900, 10),
  ('chair', 'globex', 12900, 3)
on conflict do nothing;
