import '../support/pools-environment.ts'
import { z } from 'zod'
import * as keyRows from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { type Ask, type Reply, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { type Sink, startSink } from '../support/mail-sink.ts'
import { mailStack } from '../support/mail-stack.ts'
import { until } from '../support/until.ts'
import { signingSecret } from '../support/video-stack.ts'

const verifyScopes = ['verify:write', 'email:send', 'email:manage', 'guard:manage', 'guard:verify', 'account:webhooks']

/** The verify area with email: an organisation with a verified domain, workers, and a server that takes the emails. */
export async function verifyStack(t: TestScope, areas: readonly string[] = []) {
  const mail = await mailStack(t)
  const { db, orgId } = mail
  const ingress = await testIngress(t, db, [], {
    only: ['verify', 'email', 'guard', 'account', ...areas],
    services: [provide(services.signingSecret, signingSecret)],
  })
  const keys = await addKeys(orgId)
  await db.query(sql.typeAlias('void')`insert into webhooks.settings (org_id, keep_events) values (${orgId}, true)`)
  const sink: Sink = await startSink(t, '127.0.0.1', 0)
  const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: keys.live, ...options })

  async function addKeys(org: string) {
    const live = await keyRows.create(db, { orgId: org, prefix: 'bt_live_', name: 'live', scopes: verifyScopes })
    const test = await keyRows.create(db, { orgId: org, prefix: 'bt_test_', name: 'test', scopes: verifyScopes })
    return { live: live.secret, test: test.secret, liveId: live.id }
  }

  return {
    ...mail,
    url: ingress.url,
    keys,
    sink,
    ask,
    startWorkers: (environment: Record<string, string> = {}, pools = 'core,mail-transactional') =>
      mail.startWorkers(
        { MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}`, MAIL_SMARTHOST_DELIVERS: 'true', ...environment },
        pools,
      ),
    /** Starts a verification by email; throws if it is refused. */
    async start(to: string, more: object = {}, options: Ask = {}): Promise<Reply['body']> {
      const reply = await ask('POST /v1/verify/start', { body: { channel: 'email', to, ...more }, ...options })
      if (reply.status !== 200) throw new Error(reply.text)
      return reply.body
    },
    check: (body: object, options: Ask = {}) => ask('POST /v1/verify/check', { body, ...options }),
    set: async (body: object): Promise<void> => {
      const reply = await ask('PUT /v1/verify/settings', { body })
      if (reply.status !== 200) throw new Error(reply.text)
    },
    /** Returns the code in the last email to an address, once there are so many emails. */
    async codeTo(address: string, count = 1): Promise<string> {
      const mails = await until(
        () => {
          const found = sink.mails.filter(({ to }) => to === address)
          return found.length >= count && found
        },
        { timeout: 30_000, what: `${count} emails to ${address}` },
      )
      return codeIn(mails.at(-1)?.raw.toString() ?? '')
    },
    /** Another organisation with a key. */
    async stranger() {
      const { org } = await testOrg(db)
      return { orgId: org.id, ...(await addKeys(org.id)) }
    },
    /** Types of the events of an organisation about a verification, in order. */
    events: (id: string) =>
      db.anyFirst(sql.type(z.object({ type: z.string() }))`
        select type from webhooks.events where data ->> 'id' = ${id} order by id`),
  }
}

const codeIn = (raw: string): string => {
  const code = /\b(\d{4,10})\b(?=\. It expires)/.exec(raw.replaceAll(/=\r\n/g, ''))?.[1]
  if (!code) throw new Error(`No code in ${raw}`)
  return code
}
