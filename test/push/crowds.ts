import { sql } from '#sql/db.ts'
import type { PushStack } from './stack.ts'

interface Crowd {
  appId: string
  /** People, each with one device of every provider named; ids are `prefix-1` and so on. */
  people: number
  prefix?: string
  providers?: readonly string[]
  topic?: string
  tags?: readonly string[]
}

/** Registers many people, each with devices, at once; to a topic by turns with all of their devices, or with single ones. */
export async function crowd(
  { db }: Pick<PushStack, 'db'>,
  { appId, people, prefix = 'p', providers = ['webpush'], topic, tags = [] }: Crowd,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into push.users (id, org_id, app_id, user_id)
    select gen_random_uuid(), org_id, id, ${prefix} || '-' || n from push.apps, generate_series(1, ${people}) as n
    where id = ${appId}`)
  await db.query(sql.typeAlias('void')`
    insert into push.installations (id, org_id, app_id, push_user_id, provider, token, platform, tags)
    select d.id, u.org_id, u.app_id, u.id, d.provider,
      case when d.provider = 'sse' then d.id::text else u.user_id || '-' || d.provider end, 'test', ${sql.array([...tags], 'text')}
    from push.users as u cross join lateral (
      select gen_random_uuid() as id, provider, u.id as owner from unnest(${sql.array([...providers], 'text')}) as provider
    ) as d where u.app_id = ${appId} and u.user_id like ${`${prefix}-%`}`)
  if (topic === undefined) return
  await db.query(sql.typeAlias('void')`
    insert into push.subscriptions (id, org_id, app_id, topic, push_user_id, installation_id)
    select gen_random_uuid(), i.org_id, i.app_id, ${topic}, i.push_user_id, case when hashtext(i.push_user_id::text) % 2 = 0 then i.id end
    from push.installations as i join push.users as u on u.id = i.push_user_id
    where i.app_id = ${appId} and u.user_id like ${`${prefix}-%`} on conflict do nothing`)
}
