import { lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { config, publicUrl, required } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import { createOutboundClient } from '#lib/http.ts'
import { firstIdAt } from '#lib/ids.ts'
import { log } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import { IpPool } from '#sql/email/deliveries.ts'
import { sealPurpose } from '#sql/email/domains.ts'
import type { MailEngine } from '#tasks/email/engine.ts'
import { wakeLost } from '#tasks/email/rewake.ts'
import { localAddresses } from '#tasks/email/rules/ip-addresses.ts'
import { Admission } from './admission.ts'
import { forward } from './forward.ts'
import { ConnectionGauge } from './gauges.ts'
import { Letters } from './letter/letters.ts'
import { Senders } from './letter/senders.ts'
import { OutcomeWriter } from './outcomes/writer.ts'
import { lookupBy } from './routes/lookup.ts'
import { MxResolver } from './routes/mx.ts'
import { judgeAddresses } from './routes/reachable.ts'
import { Router } from './routes/router.ts'
import { StsPolicies } from './routes/sts.ts'
import type { Shared } from './site.ts'
import { Sessions } from './smtp/sessions.ts'
import { takeTurn } from './turn.ts'

/** How often this process looks for connections whose worker is gone. */
const lostMs = 2_000

/** Age of a connection on record of which this process knows nothing: the transaction failed that was to give it back. */
const strayMs = 60_000

/** Why this machine can send no mail; undefined when it can. */
export const lacksSecret = async (): Promise<string | undefined> =>
  config.SIGNING_SECRET ? undefined : 'SIGNING_SECRET, which opens the keys that mail is signed with, is not set'

/** Makes the engine of a pool, for a worker by its id in `jobs.workers`. */
export function createMailEngine(pool: IpPool, workerId: string, db: DatabasePool): MailEngine {
  const sessions = new Sessions()
  const letters = new Letters(new Senders(createSeal(required('SIGNING_SECRET'), sealPurpose)), {
    hostname: config.MAIL_HOSTNAME,
    origin: publicUrl(),
    secret: required('SIGNING_SECRET'),
  })
  const shared = {
    pool,
    router: createRouter(),
    sessions,
    letters,
    connections: new Set<string>(),
    workerId,
    gauge: new ConnectionGauge(pool),
    active: 0,
  }
  const holder = () => ({
    workerId,
    connections: [...shared.connections],
    before: firstIdAt(new Date(Date.now() - strayMs)),
  })
  let known: Shared | undefined
  const lost = every(
    lostMs,
    () => wakeLost(db, holder()),
    (error) => log.debug({ err: describe(error) }, 'lost connections could not be looked for'),
  ).unref()

  function begin(turnsDb: DatabasePool): Shared {
    const { MAIL_CONCURRENCY: concurrency } = config
    const [writer, admission] = [new OutcomeWriter(turnsDb), new Admission(turnsDb)]
    return Object.assign(shared, { concurrency, writer, admission })
  }

  return {
    async turn(turn, turnsDb, signal) {
      known ??= begin(turnsDb)
      known.active++
      try {
        await takeTurn(known, turn, turnsDb, signal)
      } finally {
        known.active--
      }
    },
    async forward(mail, signal) {
      await forward(shared, mail, signal)
    },
    async close() {
      await Promise.all([lost.stop(), letters.close()])
      sessions.close()
      shared.gauge.stop()
    },
  }
}

function createRouter(): Router {
  const servers = config.DNS_RESOLVERS
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (servers.length > 0) resolver.setServers([...servers])
  const outbound = createOutboundClient({ lookup: servers.length > 0 ? lookupBy(resolver) : systemLookup })
  const own = IpPool.options.flatMap((pool) => localAddresses(pool).map(({ address }) => address))
  return new Router(
    { smarthost: config.MAIL_SMARTHOST, port: config.MAIL_MX_PORT },
    new MxResolver(servers),
    new StsPolicies(resolver, outbound),
    judgeAddresses(config.MAIL_MX_ALLOWED, own.filter(Boolean)),
  )
}
