import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { listenInbound } from '../../ingress/email/inbound/listener.ts'
import { filesStack } from '../support/files-stack.ts'
import { type Ask, type TestScope, testOrg } from '../support/ingress.ts'
import { startNsd, type Zones } from '../support/nsd.ts'
import { until } from '../support/until.ts'
import { verified } from './sending.ts'
import { send } from './smtp-client.ts'

/** An ingress that takes mail for an organisation, its malware gate and name servers, and workers when they are started. */
export async function receivedStack(
  t: TestScope,
  zones: Zones = { 'people.example': '' },
  plan = 'unlimited',
  bots = false,
) {
  const [files, nsd] = await Promise.all([
    filesStack(t, { areas: ['email', ...(bots ? ['bots'] : [])] }),
    startNsd(t, zones),
  ])
  const { db, ingress, store, startWorkers } = files.base
  const server = await listenInbound(ingress.app, '127.0.0.1', 0)
  t.teardown(() => server.close(0))
  const { org, keys } = await testOrg(
    db,
    [...['email:content', 'email:manage', 'email:send', 'files:read', 'files:write'], ...(bots ? ['bots:write'] : [])],
    { plan },
  )
  await verified(db, org.id, 'shop.example')
  await db.query(sql.typeAlias('void')`insert into webhooks.settings (org_id, keep_events) values (${org.id}, true)`)
  const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: keys.main, ...options })
  /** What webhooks were told of mail that came in, the first event first. */
  const told = () =>
    db.anyFirst(sql.type(z.object({ data: z.looseObject({ id: z.string() }) }))`
      select data from webhooks.events where org_id = ${org.id} and type = 'email.received' order by id`)
  return {
    db,
    store,
    org,
    port: server.port,
    ask,
    url: ingress.url,
    key: keys.main,
    /** Takes mail for an address; returns the route's id. */
    async take(address: string): Promise<string> {
      const { status, body, text } = await ask('POST /send/v1/inbound-routes', { body: { address } })
      if (status !== 201) throw new Error(text)
      return body.id
    },
    /** Hands a mail over as a server does; returns the reply that decided. */
    bring: (to: string, message: string, from = 'ada@people.example') => send(t, server.port, from, to, message),
    startWorkers: (environment: Record<string, string> = {}, pools = 'core,scan,mail-transactional') =>
      startWorkers(
        {
          CLAMD_SOCKET: files.clamd.socket,
          DNS_RESOLVERS: nsd.dns,
          PUBLIC_URL: 'https://platform.example',
          ...environment,
        },
        pools,
      ),
    told,
    /** Waits until so many mails were told of; returns those that are there, the newest first. */
    async received(count: number) {
      await until(async () => (await told()).length >= count, { timeout: 60_000, what: `${count} mails are told of` })
      return (await ask('GET /send/v1/received')).body.data
    },
  }
}
