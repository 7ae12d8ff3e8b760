import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

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

export interface Subscriber {
  push_user_id: string
  installation_id: string | null
}

export interface Topic {
  org_id: string
  app_id: string
  topic: string
}

/** Subscribes users or devices to a topic. Existing subscriptions are kept. */
export async function insertMany(tx: Db, topic: Topic, subscribers: readonly Subscriber[]): Promise<void> {
  if (subscribers.length === 0) return
  const rows = subscribers.map((one) => ({ id: newId(), ...topic, ...one }))
  await tx.query(sql.typeAlias('void')`${table.insertMany(rows)} on conflict do nothing`)
}

/** Ends subscriptions of users, by the customer’s IDs, and of devices. Returns the number of ended subscriptions. */
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

/** Returns devices of an app with their users, locked until the commit so that they cannot move. */
export async function lockDevices(tx: Db, appId: string, ids: readonly string[]): Promise<readonly Subscriber[]> {
  const Row = z.object({ push_user_id: Id, installation_id: Id })
  return await tx.any(sql.type(Row)`
    select push_user_id, id as installation_id from push.installations
    where app_id = ${appId} and id = any(${sql.array([...ids], 'uuid')}) order by id for no key update`)
}

/** Moves the subscriptions of devices to their new users. */
export async function moveToUsers(
  tx: Db,
  moved: readonly { installation_id: string; push_user_id: string }[],
): Promise<void> {
  if (moved.length === 0) return
  await tx.query(sql.typeAlias('void')`
    with moved as (
      select * from ${sql.unnest(
        moved.map(({ installation_id, push_user_id }) => [installation_id, push_user_id]),
        ['uuid', 'uuid'],
      )} as m (installation_id, push_user_id)
    )
    update push.subscriptions as s set push_user_id = m.push_user_id
    from moved as m where ${byKey('s.installation_id', 'm.installation_id', allOf('installation_id', 'moved'))}`)
}

export async function removeForDevices(tx: Db, installationIds: readonly string[]): Promise<void> {
  if (installationIds.length === 0) return
  await tx.query(sql.typeAlias('void')`
    delete from push.subscriptions where installation_id = any(${sql.array([...installationIds], 'uuid')})`)
}

export interface TopicDevice extends Omit<Topic, 'org_id'> {
  push_user_id: string
  installation_id: string
}

/**
 * Returns the indexes of the devices that are subscribed now. Each device is looked up among the subscriptions of its
 * user. `|| ''` prevents the planner from reading the whole topic.
 */
export async function findSubscribed(db: Db, devices: readonly TopicDevice[]): Promise<ReadonlySet<number>> {
  if (devices.length === 0) return new Set()
  const places = await db.anyFirst(sql.type(z.object({ n: z.number() }))`
    select w.n from json_to_recordset(${JSON.stringify(devices.map((one, n) => ({ n, ...one })))}::json)
      as w (n integer, app_id uuid, topic text, push_user_id uuid, installation_id uuid)
    where exists (
      select from push.subscriptions as s
      where s.push_user_id = any(array[w.push_user_id]) and s.topic || '' = w.topic and (s.installation_id is null or s.installation_id = w.installation_id))`)
  return new Set(places)
}

export const SubscriptionView = table.Row.extend({ user_id: z.string().nullable() })

export type SubscriptionView = z.infer<typeof SubscriptionView>

export async function list(
  db: Db,
  { app_id, topic }: Omit<Topic, 'org_id'>,
  { before, limit }: Part,
): Promise<readonly SubscriptionView[]> {
  return await db.any(sql.type(SubscriptionView)`
    select ${table.columns('s')}, u.user_id
    from push.subscriptions as s join push.users as u on u.id = s.push_user_id
    where s.app_id = ${app_id} and s.topic = ${topic} and (${before ?? null}::uuid is null or s.id < ${before ?? null})
    order by s.id desc limit ${limit}`)
}

/**
 * Lists topics of an app by name, after a given name. Each topic is found from the previous topic, for any number of
 * subscriptions.
 */
export async function listTopics(db: Db, appId: string, { before, limit }: Part): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ topic: z.string() }))`
    with recursive found as (
      (select topic, 1 as n from push.subscriptions
        where app_id = ${appId} and topic > ${before ?? ''} order by topic limit 1)
      union all
      select next.topic, f.n + 1 from found as f cross join lateral (
        select topic from push.subscriptions where app_id = ${appId} and topic > f.topic order by topic limit 1
      ) as next where f.n < ${limit}
    ) select topic from found`)
}
