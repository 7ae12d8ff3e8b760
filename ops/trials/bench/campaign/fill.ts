import { type DatabasePool, sql } from '#sql/db.ts'

/** Rows per statement. */
const batch = 50_000

async function inBatches(total: number, insert: (from: number, to: number) => Promise<unknown>): Promise<void> {
  for (let from = 1; from <= total; from += batch) await insert(from, Math.min(total, from + batch - 1))
}

/** Adds confirmed contacts `c1@…`, `c2@…` at 500 domains. */
export async function addContacts(db: DatabasePool, orgId: string, count: number): Promise<void> {
  await inBatches(count, (from, to) =>
    db.query(sql.typeAlias('void')`
      insert into email.contacts (id, org_id, email, status, confirmed_at)
      select gen_random_uuid(), ${orgId}, 'c' || n || '@d' || n % 500 || '.example', 'confirmed', now()
      from generate_series(${from}::integer, ${to}::integer) as n`),
  )
}

/** Adds users with one iPhone each, who subscribe to a topic. */
export async function addSubscribers(db: DatabasePool, appId: string, topic: string, count: number): Promise<void> {
  await inBatches(count, (from, to) =>
    db.query(sql.typeAlias('void')`
      with users as (
        insert into push.users (id, org_id, app_id, user_id)
        select gen_random_uuid(), a.org_id, a.id, 'user-' || n
        from push.apps as a, generate_series(${from}::integer, ${to}::integer) as n where a.id = ${appId}
        returning id, org_id, app_id),
      devices as (
        insert into push.installations (id, org_id, app_id, push_user_id, provider, token, platform)
        select gen_random_uuid(), org_id, app_id, id, 'apns', encode(sha256(id::text::bytea), 'hex'), 'ios' from users)
      insert into push.subscriptions (id, org_id, app_id, topic, push_user_id)
      select gen_random_uuid(), org_id, app_id, ${topic}, id from users`),
  )
}

export async function analyze(db: DatabasePool): Promise<void> {
  for (const table of ['email.contacts', 'push.users', 'push.installations', 'push.subscriptions'])
    await db.query(sql.unsafe`vacuum analyze ${sql.identifier(table.split('.'))}`)
}
