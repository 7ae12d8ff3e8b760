import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import type { Table } from '../table.ts'

export const State = z.enum(['connecting', 'live', 'failed'])

export type State = z.infer<typeof State>

/** Reason why a target does not receive the broadcast, or did not receive it before the current retry. */
export const Reason = z.enum([
  'address_refused',
  'unresolved',
  'connection_failed',
  'tls_failed',
  'timed_out',
  'refused',
  'ended',
  'too_slow',
  'protocol',
  'key_unreadable',
  'publisher_away',
])

export type Reason = z.infer<typeof Reason>

/** Columns of a table of targets, except the one with the ID of their owner. */
export const targetColumns = {
  name: z.string(),
  url: z.string(),
  stream_key: z.string(),
  enabled: z.boolean(),
  state: State.nullable(),
  reason: Reason.nullable(),
  told_at: z.date().nullable(),
  created_at: z.date(),
}

/** A target with its effective state: `idle` while its owner has no worker, or while it is turned off. */
const View = z.object({ id: Id, org_id: Id, owner_id: Id, ...targetColumns, shown: z.enum(['idle', ...State.options]) })

export type RestreamView = z.infer<typeof View>

export const Target = View.pick({ id: true, url: true, stream_key: true })

export type Target = z.infer<typeof Target>

type Setting = 'name' | 'url' | 'stream_key' | 'enabled'

/** Describes the owner of restream targets: a live channel or a room. */
interface TargetsOf {
  table: Table<z.ZodObject>
  limit: 'live.restreams' | 'rooms.restreams'
  ownerColumn: 'channel_id' | 'room_id'
  /** Table of the workers’ sessions `s`, with one row for each owner that a worker has. */
  sessions: FragmentSqlToken
  /** Column of `s`: the start of the session. Earlier states are ignored. */
  startedAt: FragmentSqlToken
  /** Condition that the session `s` is valid. */
  hasWorker: FragmentSqlToken
}

export type Restreams = ReturnType<typeof restreamQueries>

export function restreamQueries({ table, limit: kind, ownerColumn, sessions, startedAt, hasWorker }: TargetsOf) {
  const ownerId = sql.fragment`r.${sql.identifier([ownerColumn])}`
  const sessionOf = sql.fragment`s.${sql.identifier([ownerColumn])} = ${ownerId}`
  const columns = sql.join(
    ['id', 'org_id', ...Object.keys(targetColumns)].map((column) => sql.identifier(['r', column])),
    sql.fragment`, `,
  )
  const view = sql.fragment`
    select ${columns}, ${ownerId} as owner_id,
      case when ${startedAt} is null or not r.enabled then 'idle'
        when r.told_at >= ${startedAt} and r.state is not null then r.state else 'connecting' end as shown
    from ${table.name} as r left join ${sessions} as s on ${sessionOf} and ${hasWorker}`

  async function lockCount(tx: Db, orgId: string, owner: string): Promise<number> {
    await lockOrgLimit(tx, orgId, kind)
    return await tx.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count(*)::integer as count from ${table.name} as r where ${ownerId} = ${owner}`)
  }

  async function insert(tx: Db, { owner_id, ...target }: Pick<RestreamView, 'id' | 'org_id' | 'owner_id' | Setting>) {
    await tx.query(sql.typeAlias('void')`${table.insert({ ...target, [ownerColumn]: owner_id })}`)
  }

  async function find(db: Db, owner: string, id: string): Promise<RestreamView | null> {
    return await db.maybeOne(sql.type(View)`${view} where r.id = ${id} and ${ownerId} = ${owner}`)
  }

  async function list(db: Db, owner: string, { before, limit }: Part): Promise<readonly RestreamView[]> {
    return await db.any(sql.type(View)`
      ${view} where ${ownerId} = ${owner} and (${before ?? null}::uuid is null or r.id < ${before ?? null})
      order by r.id desc limit ${limit}`)
  }

  async function listEnabled(db: Db, owner: string): Promise<readonly Target[]> {
    return await db.any(sql.type(Target)`
      select id, url, stream_key from ${table.name} as r where ${ownerId} = ${owner} and enabled order by id`)
  }

  /** Updates a target, if it exists. Resets its state, which belongs to the previous URL or key. */
  async function update(
    tx: Db,
    owner: string,
    id: string,
    changes: { [K in Setting]?: RestreamView[K] | undefined },
  ): Promise<void> {
    const isNew = changes.url !== undefined || changes.stream_key !== undefined || changes.enabled !== undefined
    const untold = isNew ? sql.fragment`, state = null, reason = null, told_at = null` : sql.fragment``
    await tx.query(sql.typeAlias('void')`
      update ${table.name} as r set ${table.set(changes)} ${untold} where id = ${id} and ${ownerId} = ${owner}`)
  }

  async function remove(tx: Db, owner: string, id: string): Promise<boolean> {
    const removed = await tx.query(sql.typeAlias('void')`
      delete from ${table.name} as r where id = ${id} and ${ownerId} = ${owner}`)
    return removed.rowCount === 1
  }

  /**
   * Stores the state that the worker of the owner reports. Does nothing if another worker has the owner, or if the
   * target was changed.
   */
  async function setState(
    db: Db,
    workerId: string,
    { id, url, stream_key }: Target,
    { state, reason }: { state: State; reason: Reason | null },
  ): Promise<void> {
    await db.query(sql.typeAlias('void')`
      update ${table.name} as r set state = ${state}, reason = ${reason}, told_at = clock_timestamp()
      from ${sessions} as s
      where r.id = ${id} and r.url = ${url} and r.stream_key = ${stream_key} and r.enabled
        and ${sessionOf} and s.worker_id = ${workerId}`)
  }

  return { lockCount, insert, find, list, listEnabled, update, remove, setState }
}
