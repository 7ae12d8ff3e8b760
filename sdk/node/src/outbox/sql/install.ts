import { type OutboxOperation, outboxOperations } from '../../generated/outbox.ts'
import { claimFunction } from './claim.ts'
import { enqueueFunctions } from './enqueue.ts'
import { readers } from './readers.ts'
import { installLock, schemaVersion, tables } from './tables.ts'

/** Returns a text as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Returns a name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Returns the names of the parameters of a path. */
export const paramsOf = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

const row = ([name, verb, path, body, maxBytes, alias]: OutboxOperation) =>
  `  (${[name, verb, path, `{${paramsOf(path)}}`, body].map(literal).join(', ')}, ${maxBytes}, ${alias ? literal(alias) : 'null'})`

const operations = `
insert into millrace.operations (name, method, path, params, body, max_bytes, alias) values
${outboxOperations.map(row).join(',\n')}
on conflict (name) do update set method = excluded.method, path = excluded.path, params = excluded.params,
  body = excluded.body, max_bytes = excluded.max_bytes, alias = excluded.alias;
`

/**
 * Waits for another installation. Refuses a schema of this name that belongs to something else: its functions run with
 * the rights of their owner, so objects of another role must not be in it.
 */
const guard = `
set local search_path = pg_catalog, pg_temp;
set local lock_timeout = '10s';
do $$
declare
  owner name;
begin
  perform pg_advisory_xact_lock(${installLock});
  select pg_get_userbyid(nspowner) into owner from pg_namespace where nspname = 'millrace';
  if owner is not null and to_regclass('millrace.installation') is null then
    raise exception 'The schema millrace already exists and is not an outbox. Rename it first.';
  end if;
  if owner <> current_user or exists (
    select from pg_class where relnamespace = to_regnamespace('millrace') and pg_get_userbyid(relowner) <> current_user)
  then
    raise exception 'The schema millrace or an object in it belongs to another role. Connect as the owner, %.', owner;
  end if;
end $$;
`

const versionGuard = `
do $$ begin
  if exists (select from millrace.installation where version > ${schemaVersion}) then
    raise exception 'The outbox has a newer version. Use a newer millrace package.';
  end if;
end $$;
`

const version = `
insert into millrace.installation (version) values (${schemaVersion})
on conflict (only_row) do update set version = excluded.version, updated_at = now();
`

const closed = `
revoke all on all tables in schema millrace from public;
revoke all on all functions in schema millrace from public;
`

/** Statements with which a role can add rows, read failures, retry and discard. */
const grantTo = (role: string) => `
grant usage on schema millrace to ${identifier(role)};
grant execute on function millrace.enqueue(text, jsonb, jsonb, text, timestamptz) to ${identifier(role)};
grant execute on function millrace.retry(uuid), millrace.discard(uuid) to ${identifier(role)};
grant select on millrace.failures, millrace.waiting, millrace.lag, millrace.sent to ${identifier(role)};
`

/** Statements with which a role can run a relay. */
const relayTo = (role: string) => `
grant usage on schema millrace to ${identifier(role)};
grant select on all tables in schema millrace to ${identifier(role)};
grant update, delete on millrace.outbox to ${identifier(role)};
grant insert, delete on millrace.sent to ${identifier(role)};
grant insert, update, delete on millrace.relays to ${identifier(role)};
grant execute on function millrace.claim_rows(uuid, integer, text[], double precision, text, integer, boolean)
  to ${identifier(role)};
`

export interface Grants {
  /** Roles of applications that add rows. */
  grant?: readonly string[]
  /** Roles of relays. */
  relay?: readonly string[]
}

/** Returns the SQL that installs or upgrades the outbox, as one transaction. Repeating it changes nothing. */
export function installSql({ grant = [], relay = [] }: Grants = {}): string {
  const parts = [guard, tables, versionGuard, operations, enqueueFunctions, readers, claimFunction, closed]
  return ['begin;', ...parts, ...grant.map(grantTo), ...relay.map(relayTo), version, 'commit;', ''].join('\n')
}

/** Returns the SQL that removes the outbox. It fails if rows wait, unless `discard` is true. */
export function uninstallSql({ discard = false }: { discard?: boolean } = {}): string {
  const check = `
do $$ begin
  if exists (select from millrace.outbox) then
    raise exception 'The outbox still has rows. Send or discard them, or uninstall with --discard.';
  end if;
end $$;
`
  return `begin;
${discard ? '' : check}
drop view if exists millrace.lag, millrace.waiting, millrace.failures;
drop function if exists millrace.enqueue(text, jsonb, jsonb, text, timestamptz), millrace.retry(uuid),
  millrace.discard(uuid), millrace.wake(), millrace.check_params(text, text[], jsonb),
  millrace.check_body(text, text, integer, jsonb), millrace.nearest_operations(text),
  millrace.claim_rows(uuid, integer, text[], double precision, text, integer, boolean);
drop table if exists millrace.relays, millrace.sent, millrace.outbox, millrace.operations, millrace.installation;
drop schema if exists millrace;
commit;
`
}
