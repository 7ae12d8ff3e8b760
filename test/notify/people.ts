import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { sendBroadcast } from '#tasks/notify/send-broadcast.ts'
import { sendCopies } from '#tasks/notify/send-copies.ts'
import { sendDigest } from '#tasks/notify/send-digest.ts'
import { takeSteps } from '#tasks/notify/take-steps.ts'
import type { Tools } from '#tasks/pools.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { verified } from '../email/sending.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import type { Scope } from '../support/postgres.ts'

/** An organisation whose people are told of things. */
export interface Teller {
  orgId: string
  key: string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Sends an event of which only what matters is given. */
  tell(userId: string, facts?: Record<string, unknown>): Promise<Reply>
  /** The ids in a person's inbox, newest first. */
  inbox(userId: string, query?: string): Promise<string[]>
  unread(userId: string): Promise<number>
  prefer(userId: string, channels: string[], facts?: Record<string, unknown>): Promise<Reply>
}

/** Signs the stream tokens of every ingress. */
export const secret = 'a signing secret of the tests alone'

/** A person nobody has heard of. */
export const person = (): string => randomUUID()

/** The API of the notify area on a database of its own; everything goes with the test. */
export async function notifying(t: TestScope): Promise<{
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  /** One more ingress on the same database. */
  another(): Promise<TestIngress>
  /** One more organisation, and the domain it sends from. */
  teller(facts?: { domain?: string; scopes?: string[]; plan?: string }): Promise<Teller>
}> {
  const { db, url: databaseUrl } = await testDatabase(t)
  const another = () => testIngress(t, db, [], { only: ['notify', 'push'], services: [provide(signingSecret, secret)] })
  const ingress = await another()
  return {
    db,
    databaseUrl,
    ingress,
    another,
    async teller({ domain, scopes = ['notify:read', 'notify:write'], plan = 'unlimited' } = {}) {
      const { org, keys } = await testOrg(db, scopes, { plan })
      if (domain) await verified(db, org.id, domain)
      const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: keys.main, ...options })
      return {
        orgId: org.id,
        key: keys.main,
        ask,
        tell: (userId, facts = {}) => ask('POST /v1/notify/events', { body: { ...event(userId), ...facts } }),
        async inbox(userId, query = '') {
          const { body } = await ask(`GET /v1/notify/inbox?user_id=${userId}&${query}`)
          return body.data.map(({ id }: { id: string }) => id)
        },
        unread: async (userId) => (await ask(`GET /v1/notify/unread-count?user_id=${userId}`)).body.unread_count,
        prefer: (userId, channels, facts = {}) =>
          ask('PUT /v1/notify/preferences', {
            body: { user_id: userId, product_key: 'shop', type: 'order.shipped', channels, ...facts },
          }),
      }
    },
  }
}

/** An event that is taken. */
export const event = (userId: string) => ({
  product_key: 'shop',
  type: 'order.shipped',
  subject_user_id: userId,
  title: 'Your order is on its way',
})

/** Starts a worker of the area's tasks; it ends with the test. */
export async function notifyWorker(t: Scope, databaseUrl: string) {
  const plan = {
    pool: 'core' as const,
    settings: { concurrency: 4, fetchAhead: 0 },
    tasks: [sendBroadcast, sendCopies, sendDigest, takeSteps, prune],
    tools: {} as Tools['core'],
  }
  const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
  t.teardown(() => fleet.stop())
  return fleet
}

/** The mails that the email area has taken from an organisation, in their order. */
export const mailsOf = (db: DatabasePool, orgId: string) =>
  db.any(sql.type(
    z.object({
      id: z.string(),
      stream: z.string(),
      from: z.string(),
      to: z.string(),
      subject: z.string(),
      text: z.string(),
    }),
  )`
    select m.id, m.stream, m.from_email as from, m.to_email as to, m.subject, c.text
    from email.messages as m join email.contents as c on c.id = m.content_id where m.org_id = ${orgId} order by m.id`)
