import { lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { config } from '#lib/config.ts'
import { createOutboundClient } from '#lib/http.ts'
import type { MailEngine } from '#tasks/email/engine.ts'
import { ownAddresses } from '#tasks/email/rules/ip-addresses.ts'
import { MxConnection } from './connection.ts'
import { createBodyMaker } from './letter/body-maker.ts'
import { compose } from './letter/letter.ts'
import { createLookup } from './routes/lookup.ts'
import { MxResolver } from './routes/mx.ts'
import { createAddressClassifier } from './routes/reachable.ts'
import { Router } from './routes/router.ts'
import { StsPolicies } from './routes/sts.ts'
import { createSimulator, type Simulator } from './simulator.ts'
import { Sessions } from './smtp/sessions.ts'

export function createMailEngine(): MailEngine {
  const simulator = createSimulator()
  const resolver = new MxResolver(config.DNS_RESOLVERS)
  const router = createRouter(simulator, resolver)
  const sessions = new Sessions()
  const bodies = createBodyMaker()
  return {
    route: (domain) => router.route(domain),
    addresses: (host) => resolver.addresses(host),
    makeBody: (content) => bodies.make(content),
    compose,
    connect: (route, address, signal) => new MxConnection(sessions, route, address, signal),
    async close() {
      await bodies.close()
      sessions.close()
      await simulator.close()
    },
  }
}

function createRouter(simulator: Simulator, mx: MxResolver): Router {
  const servers = config.DNS_RESOLVERS
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  if (servers.length > 0) resolver.setServers([...servers])
  const outbound = createOutboundClient({ lookup: servers.length > 0 ? createLookup(resolver) : systemLookup })
  return new Router(
    {
      smarthost: config.MAIL_SMARTHOST,
      delivers: config.MAIL_SMARTHOST_DELIVERS,
      port: config.MAIL_MX_PORT,
      own: { hostname: config.MAIL_HOSTNAME, port: config.MAIL_INBOUND_PORT },
      simulator: { domain: `simulator.${config.MAIL_HOSTNAME}`, port: () => simulator.port() },
    },
    mx,
    new StsPolicies(resolver, outbound),
    createAddressClassifier(config.MAIL_MX_ALLOWED, ownAddresses()),
  )
}
