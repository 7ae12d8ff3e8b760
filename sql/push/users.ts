import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** People of apps, by the customer's own ids. */
export const table = defineTable(
  'push',
  'users',
  z.object({
    id: Id,
    org_id: Id,
    app_id: Id,
    user_id: z.string(),
    locale: z.string().nullable(),
    created_at: z.date(),
    last_event: z.number(),
  }),
)

export type User = z.infer<typeof table.Row>

const columns = table.columns()

/** Registers a person, or changes the locale of one who is there; undefined leaves it as it is. */
export async function put(
  tx: Db,
  { locale, ...user }: Pick<User, 'org_id' | 'app_id' | 'user_id'> & { locale?: string | null | undefined },
): Promise<User> {
  const kept = locale === undefined ? sql.fragment`users.locale` : sql.fragment`excluded.locale`
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ id: newId(), ...user, locale })}
    on conflict (app_id, user_id) do update set locale = ${kept}
    returning ${columns}`)
}

const UserReach = z.object({ app_id: Id, user_id: z.string(), push_user_id: Id, reachable: z.boolean() })

/** People by app and id, and whether each has a device now; in no order, without those that nobody registered. */
export async function findMany(
  db: Db,
  wanted: readonly Pick<User, 'app_id' | 'user_id'>[],
): Promise<readonly z.infer<typeof UserReach>[]> {
  return await db.any(sql.type(UserReach)`
    select u.app_id, u.user_id, u.id as push_user_id,
      exists (select from push.installations as i where i.push_user_id = u.id and i.status = 'active') as reachable
    from (select distinct * from json_to_recordset(${JSON.stringify(wanted)}::json) as w (app_id uuid, user_id text)) as w
    join push.users as u on u.app_id = w.app_id and u.user_id = w.user_id`)
}

export async function findOne(db: Db, appId: string, userId: string): Promise<User | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from push.users where app_id = ${appId} and user_id = ${userId}`)
}

/** The number of the person's next event; their row is locked until the commit, so that events are seen in their order. */
export async function nextEvent(tx: Db, id: string): Promise<number> {
  return await tx.oneFirst(sql.type(table.Row.pick({ last_event: true }))`
    update push.users set last_event = last_event + 1 where id = ${id} returning last_event`)
}
