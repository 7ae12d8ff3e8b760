/**
 * Records the effects of the load's jobs. No constraint prevents a second effect, because the test must be able to
 * detect one.
 */
import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'

export interface Item {
  id: string
  name: string
  kind: string
  round: number
  steps: number
  key?: string | undefined
}

export async function install(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`create schema chaos`)
  await db.query(sql.typeAlias('void')`
    create table chaos.items (id uuid primary key, name text not null, kind text not null, round integer not null,
      key text, steps integer not null, step integer not null default 0, tries integer not null default 0,
      state text not null default 'open' check (state in ('open', 'done', 'given_up')))`)
  await db.query(sql.typeAlias('void')`create index items_round on chaos.items (round, state)`)
  await db.query(sql.typeAlias('void')`create index items_key on chaos.items (key) where state = 'open'`)
  await db.query(sql.typeAlias('void')`
    create table chaos.effects (id bigserial primary key, item_id uuid not null, step integer not null,
      pid integer not null, run_id uuid, attempt integer, at timestamptz not null default clock_timestamp())`)
  await db.query(sql.typeAlias('void')`create index effects_item on chaos.effects (item_id)`)
}

const Id = z.object({ id: z.string() })

export async function insert(tx: Db, items: readonly Item[]): Promise<ReadonlySet<string>> {
  const rows = items.map(({ id, name, kind, round, steps, key }) => [id, name, kind, round, steps, key ?? null])
  const fresh = await tx.anyFirst(sql.type(Id)`
    insert into chaos.items (id, name, kind, round, steps, key)
    select * from ${sql.unnest(rows, ['uuid', 'text', 'text', 'int4', 'int4', 'text'])}
    on conflict (id) do nothing returning id`)
  return new Set(fresh)
}

export async function findStep(db: Db, id: string): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(z.object({ step: z.number() }))`
    select step from chaos.items where id = ${id} and state = 'open'`)
}

/**
 * Records an effect and advances the item in one statement, only if the item is still at `step`. Returns true if the
 * item was advanced.
 */
export async function advance(tx: Db, id: string, step: number, runId?: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.type(Id)`
    with moved as (
      update chaos.items set step = step + 1, state = case when step + 1 = steps then 'done' else state end
      where id = ${id} and state = 'open' and step = ${step} returning id, step)
    insert into chaos.effects (item_id, step, pid, run_id, attempt)
    select id, step, ${process.pid}, ${runId ?? null}::uuid, (select attempt from jobs.runs where id = ${runId ?? null}::uuid)
    from moved returning item_id as id`)
  return rowCount > 0
}

export async function advanceKey(tx: Db, key: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    with moved as (
      update chaos.items set step = step + 1, state = 'done' where key = ${key} and state = 'open' returning id, step)
    insert into chaos.effects (item_id, step, pid) select id, step, ${process.pid} from moved`)
}

export async function countTry(db: Db, id: string): Promise<number> {
  const tries = await db.maybeOneFirst(sql.type(z.object({ tries: z.number() }))`
    update chaos.items set tries = tries + 1 where id = ${id} returning tries`)
  return (tries ?? 1) - 1
}

export async function markFailed(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update chaos.items set state = 'given_up' where id = ${id} and state = 'open'`)
}
