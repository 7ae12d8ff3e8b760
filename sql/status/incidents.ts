import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const Kind = z.enum(['degraded', 'down', 'maintenance', 'notice'])

export type Kind = z.infer<typeof Kind>

export const table = defineTable(
  'status',
  'incidents',
  z.object({
    id: Id,
    areas: z.array(z.string()),
    kind: Kind,
    title: z.string(),
    /** True if a measurement opened the incident. */
    automatic: z.boolean(),
    started_at: z.date(),
    ended_at: z.date().nullable(),
  }),
  { retention: days(100, 'ended_at') },
)

export const updates = defineTable(
  'status',
  'updates',
  z.object({ id: Id, incident_id: Id, at: z.date(), text: z.string() }),
)

const Update = updates.Row.pick({ at: true, text: true })

export const Incident = table.Row.extend({ updates: z.array(Update.extend({ at: z.coerce.date() })) })

export type Incident = z.infer<typeof Incident>

/** Maximum number of incidents on the page and in the feed. */
const most = 100

/** Returns the incidents of the last 90 days, newest first, each with its updates, oldest first. */
export async function list(db: Db): Promise<readonly Incident[]> {
  return await db.any(sql.type(Incident)`
    select ${table.columns('i')}, coalesce((
      select json_agg(json_build_object('at', u.at, 'text', u.text) order by u.at, u.id)
      from status.updates as u where u.incident_id = i.id), '[]'::json) as updates
    from status.incidents as i
    where i.ended_at is null or i.started_at > now() - interval '90 days'
    order by i.started_at desc, i.id desc limit ${most}`)
}

export type NewIncident = Pick<Incident, 'areas' | 'kind' | 'title' | 'automatic'> & { text: string }

/** Opens an incident with its first update. Returns null if the area already has an open incident of a measurement. */
export async function open(tx: Db, { text, ...given }: NewIncident): Promise<string | null> {
  const id = newId()
  const opened = await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    insert into status.incidents (id, areas, kind, title, automatic, started_at)
    values (${id}, ${sql.array(given.areas, 'text')}, ${given.kind}, ${given.title}, ${given.automatic}, now())
    on conflict ((areas[1])) where automatic and ended_at is null do nothing returning id`)
  if (opened) await addUpdate(tx, id, text)
  return opened
}

export async function addUpdate(tx: Db, id: string, text: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into status.updates (id, incident_id, at, text) values (${newId()}, ${id}, now(), ${text})`)
}

/** Returns an incident that has not ended, and locks it. */
export async function lockOpen(tx: Db, id: string): Promise<string | null> {
  return await tx.maybeOneFirst(sql.type(z.object({ id: Id }))`
    select id from status.incidents where id = ${id} and ended_at is null for update`)
}

export async function end(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update status.incidents set ended_at = now() where id = ${id}`)
}

/** Returns the open incident that a measurement of this area opened. */
export async function findMeasured(tx: Db, area: string): Promise<Pick<Incident, 'id' | 'kind'> | null> {
  return await tx.maybeOne(sql.type(table.Row.pick({ id: true, kind: true }))`
    select id, kind from status.incidents where areas[1] = ${area} and automatic and ended_at is null`)
}

export async function setKind(tx: Db, id: string, kind: Kind): Promise<void> {
  await tx.query(sql.typeAlias('void')`update status.incidents set kind = ${kind} where id = ${id}`)
}
