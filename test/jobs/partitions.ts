import { firstIdAt, newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { type Family, families } from '#sql/partitions/families.ts'
import { list, split } from '#sql/partitions/list.ts'

export const family = (name: string): Family => families.find(({ members }) => members[0].name === name) as Family

export const idAt = (at: Date): string => `${firstIdAt(at).slice(0, 13)}${newId().slice(13)}`

/** Makes the first partition of a family end at a time. It must have no rows from then on. */
export async function endFirstAt(db: DatabasePool, { members }: Family, at: Date): Promise<void> {
  for (const { name } of members) {
    const [area] = split(name)
    const first = sql.identifier([area, `${split(name)[1]}_first`])
    const table = sql.identifier(split(name))
    for (const part of await list(db, name)) {
      if (part.from === null && !part.rest) {
        await db.query(sql.unsafe`alter table ${table} detach partition ${first}`)
        await db.query(sql.unsafe`
          alter table ${table} attach partition ${first} for values from (minvalue) to (${sql.literalValue(firstIdAt(at))})`)
      }
    }
  }
}

/** Adds a message created at a time, with one attempt. Returns its ID. */
export async function addMail(db: DatabasePool, orgId: string, at: Date): Promise<string> {
  const id = idAt(at)
  await db.query(sql.typeAlias('void')`
    insert into email.messages (id, org_id, sandbox, stream, domain_id, from_email, to_email, subject, content_id, message_id, status, created_at)
    values (${id}, ${orgId}, false, 'transactional', ${newId()}, 'a@a.example', 'b@b.example', 'Hello', ${newId()}, ${id}, 'delivered',
      ${at.toISOString()})`)
  await db.query(sql.typeAlias('void')`
    insert into email.attempts (id, org_id, message_id, number, outcome, pool, started_at, ended_at)
    values (${newId()}, ${orgId}, ${id}, 1, 'delivered', 'transactional', now(), now())`)
  return id
}

/** Adds an event at a time, with a delivery to a new endpoint. Returns both IDs. */
export async function addEvent(
  db: DatabasePool,
  orgId: string,
  at: Date,
  status: 'pending' | 'delivered',
): Promise<{ event: string; delivery: string }> {
  const [event, delivery, endpoint] = [idAt(at), newId(), newId()]
  await db.query(sql.typeAlias('void')`
    insert into webhooks.endpoints (id, org_id, url, events, secret)
    values (${endpoint}, ${orgId}, 'https://a.example/', '{*}', 'secret')`)
  await db.query(sql.typeAlias('void')`
    insert into webhooks.events (id, org_id, type, data, created_at)
    values (${event}, ${orgId}, 'email.delivered', '{}', ${at.toISOString()})`)
  await db.query(sql.typeAlias('void')`
    insert into webhooks.deliveries (id, org_id, event_id, endpoint_id, status)
    values (${delivery}, ${orgId}, ${event}, ${endpoint}, ${status})`)
  return { event, delivery }
}

/** Adds a push accepted at a time, with one attempt. Returns its ID. */
export async function addPush(db: DatabasePool, orgId: string, at: Date, status: 'sending' | 'sent'): Promise<string> {
  const [id, app] = [idAt(at), newId()]
  await db.query(sql.typeAlias('void')`insert into push.apps (id, org_id, name) values (${app}, ${orgId}, ${app})`)
  await db.query(sql.typeAlias('void')`
    insert into push.messages (id, org_id, app_id, user_id, content, priority, status, created_at, expires_at)
    values (${id}, ${orgId}, ${app}, 'ann', '{}', 1, ${status}, ${at.toISOString()}, now())`)
  await db.query(sql.typeAlias('void')`
    insert into push.attempts (id, org_id, message_id, delivery_id, number, outcome)
    values (${newId()}, ${orgId}, ${id}, ${newId()}, 1, 'sent')`)
  if (status === 'sending') {
    await db.query(sql.typeAlias('void')`
      insert into push.deliveries (id, org_id, app_id, message_id, installation_id, push_user_id, provider, environment)
      values (${newId()}, ${orgId}, ${app}, ${id}, ${newId()}, ${newId()}, 'fcm', 'production')`)
  }
  return id
}

/** Adds a view of a new asset in a session created at a time. Returns the session’s ID. */
export async function addView(db: DatabasePool, orgId: string, at: Date): Promise<string> {
  const [session, asset] = [idAt(at), newId()]
  await db.query(sql.typeAlias('void')`
    insert into video.assets (id, org_id, bytes, status) values (${asset}, ${orgId}, 1, 'ready')`)
  await db.query(sql.typeAlias('void')`
    insert into video.views (session_id, view_id, asset_id, sequence, counted) values (${session}, 'view', ${asset}, 1, '{}')`)
  return session
}
