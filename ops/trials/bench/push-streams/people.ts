import { newId } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type DatabasePool, type Db, sql } from '#sql/db.ts'
import * as apps from '#sql/push/apps.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import * as installations from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import * as users from '#sql/push/users.ts'
import { notifyStreams } from '#tasks/push/rules/stream-channel.ts'

export interface StreamUsers {
  keyId: string
  orgId: string
  appId: string
  streams: readonly { installationId: string; user: users.User }[]
}

export async function createStreamUsers(db: DatabasePool, streams: number, persons: number): Promise<StreamUsers> {
  const org = (await orgs.findByName(db, 'bench')) ?? (await orgs.insert(db, { name: 'bench', plan: 'unlimited' }))
  const app = await apps.insert(db, { id: newId(), org_id: org.id, name: 'bench' })
  const key = await keys.create(db, { orgId: org.id, prefix: 'bt_live_', name: 'bench', scopes: ['push:send'] })
  const all: users.User[] = []
  for (let i = 0; i < persons; i++) {
    all.push(await users.put(db, { org_id: org.id, app_id: app.id, user_id: `person-${i}` }))
  }
  const made = Array.from({ length: streams }, (_, i) => ({ id: newId(), user: all[i % persons] as users.User }))
  await db.query(
    sql.typeAlias('void')`${installations.table.insertMany(
      made.map(({ id, user }) => ({
        id,
        org_id: org.id,
        app_id: app.id,
        push_user_id: user.id,
        provider: 'sse' as const,
        token: id,
        environment: 'production' as const,
        status: 'active' as const,
        registered_at: new Date().toISOString(),
        created_at: new Date().toISOString(),
      })),
    )}`,
  )
  return {
    keyId: key.id,
    orgId: org.id,
    appId: app.id,
    streams: made.map(({ id, user }) => ({ installationId: id, user })),
  }
}

export async function sendToAll(db: DatabasePool, { orgId, appId, streams }: StreamUsers): Promise<void> {
  const byUser = Map.groupBy(streams, ({ user }) => user.id)
  await db.transaction(async (tx) => {
    const sent = [...byUser].map(([userId, own]) => ({ id: newId(), userId, own }))
    const [now, later] = [new Date().toISOString(), new Date(Date.now() + 3_600_000).toISOString()]
    await messages.insertMany(
      tx,
      sent.map(({ id, userId, own }) => ({
        id,
        org_id: orgId,
        app_id: appId,
        push_user_id: userId,
        user_id: own[0]?.user.user_id ?? '',
        content: { title: 'A message', body: 'x'.repeat(300), data: { order: '4711' } },
        priority: 5,
        collapse_key: null,
        dry_run: false,
        target: 'user' as const,
        audience: null,
        rate: null,
        quiet_hours: null,
        status: 'sent' as const,
        send_at: now,
        expires_at: later,
        ended_at: now,
      })),
    )
    const events = await nextEvents(tx, [...byUser.keys()])
    await deliveries.insertMany(
      tx,
      sent.flatMap(({ id, userId, own }) =>
        own.map(({ installationId }) => ({
          id: newId(),
          org_id: orgId,
          app_id: appId,
          message_id: id,
          installation_id: installationId,
          push_user_id: userId,
          provider: 'sse' as const,
          environment: 'production' as const,
          platform: null,
          status: 'sent' as const,
          reason: null,
          event: events.get(userId) ?? null,
          sent_at: now,
          attempts: 1,
        })),
      ),
    )
    await notifyStreams(
      tx,
      streams.map(({ installationId }) => installationId),
    )
  })
}

async function nextEvents(tx: Db, userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.any(sql.type(users.table.Row.pick({ id: true, last_event: true }))`
    update push.users set last_event = last_event + 1 where id = any(${sql.array([...userIds], 'uuid')})
    returning id, last_event`)
  return new Map(rows.map(({ id, last_event }) => [id, last_event]))
}
