import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Who gets what is sent to a topic. */
export const table = defineTable(
  'push',
  'subscriptions',
  z.object({
    id: Id,
    org_id: Id,
    app_id: Id,
    topic: z.string(),
    push_user_id: Id,
    installation_id: Id.nullable(),
    created_at: z.date(),
  }),
)

/** Whose subscription it is: a person's, with all of their devices, or that of one device. */
export interface Subscriber {
  push_user_id: string
  installation_id: string | null
}

/** A topic of an app. */
export interface Topic {
  org_id: string
  app_id: string
  topic: string
}

/** Subscribes to a topic; who is subscribed already stays so. */
export async function insertMany(tx: Db, topic: Topic, subscribers: readonly Subscriber[]): Promise<void> {
  if (subscribers.length === 0) return
  const rows = subscribers.map((one) => ({ id: newId(), ...topic, ...one }))
  await tx.query(sql.typeAlias('void')`${table.insertMany(rows)} on conflict do nothing`)
}

/** Ends subscriptions of people, by the customer's ids, and of devices; returns how many there were. */
export async function removeMany(
  tx: Db,
  { app_id, topic }: Omit<Topic, 'org_id'>,
  { userIds, installationIds }: { userIds: readonly string[]; installationIds: readonly string[] },
): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from push.subscriptions as s where s.app_id = ${app_id} and s.topic = ${topic} and (
      (s.installation_id is null and s.push_user_id = any(array(
        select id from push.users where app_id = ${app_id} and user_id = any(${sql.array([...userIds], 'text')}))))
      or s.installation_id = any(${sql.array([...installationIds], 'uuid')}))`)
  return rowCount
}

/** Devices of an app among these ids, with whom they belong to; locked, so that they stay theirs until the commit. */
export async function lockDevices(tx: Db, appId: string, ids: readonly string[]): Promise<readonly Subscriber[]> {
  const Row = z.object({ push_user_id: Id, installation_id: Id })
  return await tx.any(sql.type(Row)`
    select push_user_id, id as installation_id from push.installations
    where app_id = ${appId} and id = any(${sql.array([...ids], 'uuid')}) order by id for no key update`)
}

/** Gives the subscriptions of a device to the person whom it belongs to from now on. */
export async function hand(tx: Db, installationId: string, pushUserId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update push.subscriptions set push_user_id = ${pushUserId} where installation_id = ${installationId}`)
}

/** Ends the subscriptions of a device. */
export async function dropOf(tx: Db, installationId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from push.subscriptions where installation_id = ${installationId}`)
}

/** A device that a message to a topic is to reach. */
export interface TopicDevice extends Omit<Topic, 'org_id'> {
  push_user_id: string
  installation_id: string
}

/**
 * Which of these are subscribed now, by their places. Each is looked up among the subscriptions of its person, whatever statistics
 * say: `|| ''` keeps the planner from reading all of the topic instead.
 */
export async function placesOfSubscribed(db: Db, devices: readonly TopicDevice[]): Promise<ReadonlySet<number>> {
  if (devices.length === 0) return new Set()
  const places = await db.anyFirst(sql.type(z.object({ n: z.number() }))`
    select w.n from json_to_recordset(${JSON.stringify(devices.map((one, n) => ({ n, ...one })))}::json)
      as w (n integer, app_id uuid, topic text, push_user_id uuid, installation_id uuid)
    where exists (
      select from push.subscriptions as s
      where s.push_user_id = any(array[w.push_user_id]) and s.topic || '' = w.topic and (s.installation_id is null or s.installation_id = w.installation_id))`)
  return new Set(places)
}

/** A subscription and the customer's id of whose it is. */
export const View = table.Row.extend({ user_id: z.string().nullable() })

/** A subscription and the customer's id of whose it is. */
export type View = z.infer<typeof View>

/** Subscriptions of a topic, newest first. */
export async function list(
  db: Db,
  { app_id, topic }: Omit<Topic, 'org_id'>,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<readonly View[]> {
  return await db.any(sql.type(View)`
    select ${table.columns('s')}, u.user_id
    from push.subscriptions as s join push.users as u on u.id = s.push_user_id
    where s.app_id = ${app_id} and s.topic = ${topic} and (${before ?? null}::uuid is null or s.id < ${before ?? null})
    order by s.id desc limit ${limit}`)
}

/** Topics of an app by their names, behind one: each is found by the last, however many are subscribed to it. */
export async function topics(
  db: Db,
  appId: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ topic: z.string() }))`
    with recursive found as (
      (select topic, 1 as n from push.subscriptions
        where app_id = ${appId} and topic > ${after ?? ''} order by topic limit 1)
      union all
      select next.topic, f.n + 1 from found as f cross join lateral (
        select topic from push.subscriptions where app_id = ${appId} and topic > f.topic order by topic limit 1
      ) as next where f.n < ${limit}
    ) select topic from found`)
}
