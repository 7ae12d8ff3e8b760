import { createOutboundClient, withLoopback } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sql } from '#sql/db.ts'
import { sealPurpose } from '#sql/webhooks/endpoints.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { type ProviderServer, providerServer } from '../sms/provider-server.ts'
import type { TestScope } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { flowing } from './flows.ts'
import { secret } from './people.ts'

/** The notify area with a worker of webhooks, the organisation `dev`, and a server for chat messages. */
export async function chatStack(t: TestScope) {
  const ground = await flowing(t)
  const server = await providerServer(t)
  const dev = await ground.sender()
  await ground.db.query(sql.unsafe`update account.orgs set name = 'dev' where id = ${dev.orgId}`)
  const [outbound, local] = [createOutboundClient(), createOutboundClient(withLoopback)]
  t.teardown(async () => void (await Promise.all([outbound.close(), local.close()])))
  const plan: PoolPlan<'webhooks'> = {
    pool: 'webhooks',
    settings: { concurrency: 8, fetchAhead: 0 },
    tasks: getTasksOfPool('webhooks'),
    tools: { outbound, local, seal: createSeal(secret, sealPurpose) },
  }
  const settings = { lease: 60_000, sweep: 500, grace: 1_000 }
  const fleet = await startFleet(ground.databaseUrl, [plan as PoolPlan], settings, (why) => t.fail(why))
  t.teardown(() => fleet.stop())
  return {
    ...ground,
    server,
    dev,
    /** Connects a path of the server and waits until its test message has arrived. */
    async connect(kind: string, path: string, more: object = {}) {
      const body = { kind, name: `${kind} ${path}`, url: `${server.url}${path}`, ...more }
      const made = await dev.ask('POST /v1/notify/connections', { body })
      if (made.status !== 201) throw new Error(made.text)
      await until(async () => {
        const { body } = await dev.ask(`GET /v1/notify/connections/${made.body.id}`)
        return body.state === 'active'
      })
      return made.body as { id: string; secret: string | null }
    },
    /** Returns the requests to a path, without the test message. */
    posted: (path: string): ProviderServer['received'] => server.received.filter((one) => one.path === path).slice(1),
    /** Returns a chat message with its result, once it has ended. */
    ended: (id: string) =>
      until(async () => {
        const { body } = await dev.ask(`GET /v1/notify/chat-messages/${id}`)
        return body.status !== 'queued' && body
      }),
  }
}
