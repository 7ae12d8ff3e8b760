import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import type { Outcome } from '#sql/email/delivery/outcomes.ts'
import { beginCampaign } from '#tasks/email/begin-campaign.ts'
import { endCampaign } from '#tasks/email/end-campaign.ts'
import type { MailEngine } from '#tasks/email/engine.ts'
import { expandCampaign } from '#tasks/email/expand-campaign.ts'
import { recordOutcomes } from '#tasks/email/rules/record-outcomes.ts'
import { withdrawCampaign } from '#tasks/email/withdraw-campaign.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import type { Scope } from '../support/postgres.ts'

const scopes = ['email:content', 'email:send', 'email:manage']

/** An organisation that sends from a verified domain, with a live and a sandbox key, and one that may send from elsewhere only. */
export interface Sender {
  orgId: string
  domain: string
  key: string
  sandbox: string
  locked: string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Sends a message of which only what matters is given. */
  send(body?: Record<string, unknown>, options?: Omit<Ask, 'body'>): Promise<Reply>
}

/** The API of the email area on a database of its own; everything goes with the test. */
export async function sending(
  t: TestScope,
  areas: readonly string[] = [],
): Promise<{
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  /** One more organisation. */
  sender(plan?: string): Promise<Sender>
}> {
  const { db, url: databaseUrl } = await testDatabase(t)
  const services = [provide(signingSecret, 'a signing secret of the tests alone')]
  const ingress = await testIngress(t, db, [], { only: ['email', ...areas], services })
  let made = 0
  return {
    db,
    databaseUrl,
    ingress,
    async sender(plan = 'unlimited') {
      const domain = `sender${++made}.example`
      const { org, keys } = await testOrg(db, [], {
        plan,
        keys: {
          live: { prefix: 'snd_live_', scopes },
          sandbox: { prefix: 'snd_test_', scopes },
          locked: { prefix: 'snd_live_', scopes, locks: { from_domains: ['elsewhere.example'] } },
        },
      })
      await verified(db, org.id, domain)
      const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: keys.live, ...options })
      const send: Sender['send'] = (body = {}, options = {}) =>
        ask('POST /send/v1/messages', { ...options, body: { ...message(domain), ...body } })
      return { orgId: org.id, domain, key: keys.live, sandbox: keys.sandbox, locked: keys.locked, ask, send }
    },
  }
}

/** A message that is taken. */
export const message = (domain: string) => ({
  stream: 'transactional',
  from: { email: `orders@${domain}`, name: 'Orders' },
  to: 'ann@rcpt.example',
  subject: 'Your order',
  text: 'It is on its way.',
})

/** Adds a domain by an operator's word. */
export async function verified(db: DatabasePool, orgId: string, domain: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into email.domains (id, org_id, domain, return_path, status, verified_by, verified_at)
    values (${newId()}, ${orgId}, ${domain}, ${`bounce.${domain}`}, 'verified', 'operator', now())`)
}

/** Adds contacts `c<number>@rcpt.example`. */
export async function addContacts(
  db: DatabasePool,
  orgId: string,
  status: string,
  count: number,
  from = 0,
): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into email.contacts (id, org_id, email, status)
    select gen_random_uuid(), ${orgId}, 'c' || n || '@rcpt.example', ${status}
    from generate_series(${from + 1}::integer, ${from + count}::integer) as n`)
}

/** What delivery would have recorded. */
export const outcomes = (db: DatabasePool, all: Outcome[]) => db.transaction((tx) => recordOutcomes(tx, all))

/** Starts a worker of the campaigns' tasks; it ends with the test. */
export async function campaignWorker(t: Scope, databaseUrl: string) {
  const plan = {
    pool: 'mail-campaign' as const,
    settings: { concurrency: 2, fetchAhead: 0 },
    tasks: [beginCampaign, expandCampaign, endCampaign, withdrawCampaign],
    tools: { mail: {} as MailEngine, holder: { workerId: newId(), connections: new Set<string>() }, secret: '' },
  }
  const fleet = await startFleet(databaseUrl, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => {})
  t.teardown(() => fleet.stop())
  return fleet
}
