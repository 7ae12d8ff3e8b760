-- The end of an organisation: asked for, waited for, done in batches. What stays is a receipt without personal data.
create table account.closures (
  id uuid primary key,
  org_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'cancelled')),
  requested_by_kind text not null check (requested_by_kind in ('user', 'operator')),
  requested_by text,
  created_at timestamptz not null default now(),
  due_at timestamptz not null,
  cancelled_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  step text,
  block bigint not null default 0,
  receipt jsonb not null default '{"rows": {}, "jobs": 0, "objects": 0, "bytes": 0}'
);

comment on table account.closures is 'The row outlives its organisation: as the receipt of what was deleted.';
comment on column account.closures.requested_by is 'Who asked, by name; taken out when all is deleted.';
comment on column account.closures.step is 'The table that is being deleted from; the block of it that comes next.';

create unique index closures_open on account.closures (org_id) where state in ('waiting', 'running');
create index closures_org on account.closures (org_id, id desc);

create table account.exports (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  state text not null default 'waiting' check (state in ('waiting', 'ready', 'failed')),
  requested_by text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  expires_at timestamptz,
  object_key text,
  bytes bigint,
  counts jsonb not null default '{}',
  error text
);

comment on table account.exports is 'Archives of all that an organisation has; each is there for days, then it goes with its row.';

create unique index exports_open on account.exports (org_id) where state = 'waiting';
create index exports_org on account.exports (org_id, id desc);
create index exports_expires on account.exports (expires_at) where expires_at is not null;

-- Organisations that have moved to another cell. These rows stay when all others of the organisation are gone: by them its requests are passed on.
create table account.moved (
  org_id uuid primary key,
  cell text not null check (cell ~ '^[a-z][a-z0-9]{0,15}$'),
  moved_at timestamptz not null default now()
);

comment on table account.moved is 'Which cell an organisation lives in that lived in this one.';

create table account.moved_references (
  kind text not null check (kind in ('key', 'host', 'id', 'token')),
  value text not null check (value <> ''),
  org_id uuid not null references account.moved (org_id) on delete cascade,
  primary key (kind, value)
);

comment on table account.moved_references is 'What requests of an organisation that has moved are known by.';
comment on column account.moved_references.value is 'Of a key and of a token the hash that account.key_secrets has of keys; a host name; an id in small letters.';

create index moved_references_org on account.moved_references (org_id);

-- Moves of organisations between cells: the same move, by its id, in both of them.
create table account.moves (
  id uuid primary key,
  org_id uuid not null,
  cell text not null check (cell ~ '^[a-z][a-z0-9]{0,15}$'),
  state text not null check (state in (
    'copying', 'paused', 'switching', 'moved', 'over', 'incoming', 'aborting', 'arrived', 'aborted')),
  pass integer not null default 0,
  tables jsonb not null default '{}',
  objects text check (objects in ('shared', 'copied')),
  error text,
  started_by text not null,
  started_at timestamptz not null default now(),
  paused_at timestamptz,
  ended_at timestamptz
);

comment on table account.moves is 'In the cell that is left: copying, paused, switching, moved, over. In the other one: incoming, arrived. The row there decides whether an organisation has moved.';
comment on column account.moves.cell is 'The other cell.';
comment on column account.moves.tables is 'Rows by table, as they were counted alike in both cells.';
comment on column account.moves.objects is 'Whether both cells have one bucket: then the objects of rows that have moved are not deleted with them.';

create unique index moves_open on account.moves (org_id)
  where state in ('copying', 'paused', 'switching', 'moved', 'incoming', 'aborting');
create index moves_org on account.moves (org_id, id desc);

-- Whether an organisation is held here because it moves: the rows that count are in the other cell, or will be.
create function account.is_moving(org uuid) returns boolean language sql stable as $$
  select exists (select from account.moves
    where org_id = org and state in ('paused', 'switching', 'moved', 'incoming', 'aborting'))
$$;

-- Whether nothing of an organisation goes out, comes in or runs.
create function account.is_closing(org uuid) returns boolean language sql stable as $$
  select exists (select from account.closures where org_id = org and state in ('waiting', 'running'))
    or account.is_moving(org)
$$;

-- A row that moves was counted, noted and checked where it was made: its triggers sleep in transactions that set millrace.move.
-- That of the audit log does not. Asked for again by migrations that add triggers.
create function account.let_moves_pass() returns void language plpgsql as $$
declare
  statement text;
begin
  for statement in
    select case when definition like '% WHEN (%'
      then regexp_replace(definition, ' WHEN \(',
        ' WHEN (coalesce(current_setting(''millrace.move'', true), '''') <> ''on'' and ')
      else regexp_replace(definition, ' EXECUTE FUNCTION ',
        ' WHEN (coalesce(current_setting(''millrace.move'', true), '''') <> ''on'') EXECUTE FUNCTION ')
      end
    from (
      select regexp_replace(pg_get_triggerdef(t.oid), '^CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER') as definition
      from pg_trigger as t join pg_class as c on c.oid = t.tgrelid join pg_namespace as n on n.oid = c.relnamespace
      where not t.tgisinternal and t.tgparentid = 0 and t.tgname <> 'keep_audit' and t.tgname not like 'fence%'
        and n.nspname !~ '^(jobs|pg_|information_schema)') as triggers
    where definition not like '%millrace.move%'
  loop
    execute statement;
  end loop;
end
$$;

-- Keeps what was compared as it was: from the pause on nothing of the organisation is written in the cell that it leaves, whoever
-- began before. Arguments: the move, the organisation, a query for what has no org_id, and `skip` where one statement writes rows
-- of many organisations. What is forgotten of all organisations (millrace.move is `forget`) is not of this one. When the move is done,
-- sweeps of all organisations pass over its rows.
create function account.fence() returns trigger language plpgsql as $$
declare
  ours boolean;
  at_state text;
begin
  if tg_table_schema like 'jobs\_%' then
    ours := new.payload ->> 'org' = tg_argv[1];
  elsif tg_argv[2] = '' then
    ours := case when tg_op = 'INSERT' then new.org_id else old.org_id end = tg_argv[1]::uuid;
  elsif tg_op = 'INSERT' then
    execute tg_argv[2] into ours using new;
  else
    execute tg_argv[2] into ours using old;
  end if;
  if ours and coalesce(current_setting('millrace.move', true), '') <> 'on' then
    select state into at_state from account.moves where id = tg_argv[0]::uuid;
    if at_state in ('paused', 'switching') or (at_state = 'moved' and tg_op = 'INSERT') then
      if tg_argv[3] = 'skip' or (tg_op = 'DELETE' and current_setting('millrace.move', true) = 'forget') then
        return null;
      end if;
      raise exception 'organisation % is being moved to another cell', tg_argv[1] using errcode = 'MR001';
    elsif at_state = 'moved' then
      return null;
    end if;
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

-- Puts the fence of a move before a table, or takes it away. As long as it waits for the table's writers, all who come after it wait,
-- too: it gives up soon, and is asked again.
create function account.set_fence(target text, name text, events text, arguments text[]) returns void language plpgsql
set lock_timeout = '300ms' as $$
begin
  if events is null then
    execute format('drop trigger if exists %I on %s', name, target);
  else
    execute format('create or replace trigger %I before %s on %s for each row execute function account.fence(%s)', name, events,
      target, (select string_agg(quote_literal(argument), ', ' order by place)
        from unnest(arguments) with ordinality as given (argument, place)));
  end if;
end
$$;
