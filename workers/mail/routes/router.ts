import { createHash } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import type { Host, NoRoute, Route } from '#tasks/email/engine.ts'
import { findPreset, simulatorPreset, smarthostPreset } from '#tasks/email/rules/delivery/presets.ts'
import type { MxHost, MxResolver } from './mx.ts'
import type { Reach } from './reachable.ts'
import { matches, type StsPolicies } from './sts.ts'

export interface RouterSettings {
  /** Server for all outgoing email. Undefined: use each recipient's MX. */
  smarthost: string | undefined
  /** True if messages accepted by the smarthost count as delivered. */
  delivers: boolean
  port: number
  /** Host name of this installation for email, and its SMTP port on this machine, if any. */
  own: { hostname: string; port: number | undefined }
  /** Domain of the simulated recipients, and the port of their server on loopback. */
  simulator: { domain: string; port(): Promise<number> }
}

export class Router {
  readonly #settings: RouterSettings
  readonly #resolver: MxResolver
  readonly #policies: Pick<StsPolicies, 'find'>
  readonly #judge: (address: string) => Reach

  constructor(
    settings: RouterSettings,
    resolver: MxResolver,
    policies: Pick<StsPolicies, 'find'>,
    judge: (address: string) => Reach,
  ) {
    this.#settings = settings
    this.#resolver = resolver
    this.#policies = policies
    this.#judge = judge
  }

  async route(domain: string): Promise<Route | NoRoute> {
    const { smarthost, delivers, port, simulator } = this.#settings
    if (domain === simulator.domain) return toSimulator(domain, await simulator.port())
    if (smarthost !== undefined) return toSmarthost(new URL(smarthost), delivers)
    const [answer, policy] = await Promise.all([this.#resolver.mx(domain), this.#policies.find(domain)])
    if (answer.kind === 'failed') return { replyClass: 'dns', enhanced: '4.4.3', text: answer.why }
    if (answer.kind === 'null') return noMail('5.1.10', `${domain} accepts no email (null MX).`)
    if (answer.kind === 'nothing')
      return noMail('5.1.2', `${domain} does not exist, or has neither an MX record nor an IP address.`)
    const isEnforced = policy?.mode === 'enforce'
    const named = isEnforced ? answer.hosts.filter(({ name }) => matches(policy, name)) : answer.hosts
    if (named.length === 0) {
      return { replyClass: 'mta_sts', enhanced: '4.7.0', text: `No MX host of ${domain} matches its MTA-STS policy.` }
    }
    const hosts = await this.#reachable(inOrder(named))
    if ('replyClass' in hosts) return this.#toOurselves(named, hosts)
    return {
      mxSet: nameOf(answer.hosts),
      hosts,
      port,
      preset: findPreset((named[0] as MxHost).name),
      tls: isEnforced ? 'verified' : 'opportunistic',
      implicit: false,
      isSmarthost: false,
    }
  }

  /** Routes email for an inbound route to our own SMTP port. This port does not relay, so the email cannot loop. */
  #toOurselves(hosts: readonly MxHost[], otherwise: NoRoute): Route | NoRoute {
    const { hostname, port } = this.#settings.own
    const isOurs = otherwise.replyClass === 'loop' && inOrder(hosts)[0]?.name === hostname
    if (!isOurs || port === undefined) return otherwise
    return {
      mxSet: hostname,
      hosts: [{ name: hostname, addresses: () => this.#resolver.addresses(hostname) }],
      port,
      preset: findPreset(hostname),
      tls: 'opportunistic',
      implicit: false,
      isSmarthost: false,
      isLocal: true,
    }
  }

  /** Returns hosts with allowed addresses that come before this installation (RFC 5321 §5.1). */
  async #reachable(hosts: readonly MxHost[]): Promise<readonly Host[] | NoRoute> {
    const found = await Promise.all(hosts.map(({ name }) => this.#addressesOf(name)))
    const judged = found.map((addresses) => addresses?.map((address) => this.#judge(address)))
    const own = hosts.find((_, i) => judged[i]?.includes('own'))
    const before = hosts.filter(({ preference }) => !own || preference < own.preference)
    if (before.length === 0)
      return { replyClass: 'loop', enhanced: '5.4.6', text: 'The email would return to this host.' }
    const open = before.filter((host) => {
      const reaches = judged[hosts.indexOf(host)]
      // If the lookup of a host failed, the host is still tried.
      return reaches === undefined || reaches.includes('reachable')
    })
    if (open.length > 0) return open.map(({ name }) => this.#host(name))
    if (judged.some((reaches) => reaches?.includes('refused'))) {
      return { replyClass: 'loop', enhanced: '5.4.6', text: 'The MX hosts have only IP addresses that are not public.' }
    }
    return { replyClass: 'routing', enhanced: '5.4.4', text: 'None of the MX hosts has an IP address.' }
  }

  async #addressesOf(name: string): Promise<readonly string[] | undefined> {
    return await this.#resolver.addresses(name).catch(() => undefined)
  }

  #host = (name: string): Host => ({
    name,
    addresses: async () =>
      (await this.#resolver.addresses(name)).filter((address) => this.#judge(address) === 'reachable'),
  })
}

const noMail = (enhanced: string, text: string): NoRoute => ({ replyClass: 'invalid_domain', enhanced, text })

/** Returns the hosts by preference, in random order within one preference (RFC 5321 §5.1). */
function inOrder(hosts: readonly MxHost[]): MxHost[] {
  const shuffled = hosts.map((host) => ({ host, at: Math.random() }))
  return shuffled.toSorted((a, b) => a.host.preference - b.host.preference || a.at - b.at).map(({ host }) => host)
}

/** Maximum length of a name. Longer names are cut and end in a hash. */
const longest = 300

function nameOf(hosts: readonly MxHost[]): string {
  const names = [...new Set(hosts.map(({ name }) => name))].sort().join(',')
  if (names.length <= longest) return names
  return `${names.slice(0, longest)}…${createHash('sha256').update(names).digest('hex').slice(0, 16)}`
}

const toSimulator = (domain: string, port: number): Route => ({
  mxSet: domain,
  hosts: [{ name: domain, addresses: async () => ['127.0.0.1'] }],
  port,
  preset: simulatorPreset,
  tls: 'none',
  implicit: false,
  isSmarthost: false,
  isLocal: true,
})

function toSmarthost(url: URL, delivers: boolean): Route {
  const implicit = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (implicit ? 465 : 25)
  const login = url.username
    ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
    : undefined
  const isLocal = host === 'localhost' || /^127\.|^::1$/.test(host)
  // A password is sent only with verified TLS, or within this machine.
  const verified = (implicit || login !== undefined) && !isLocal
  return {
    mxSet: `smarthost:${host}:${port}`,
    hosts: [{ name: host, addresses: async () => (await lookup(host, { all: true })).map(({ address }) => address) }],
    port,
    preset: smarthostPreset,
    tls: verified ? 'verified' : 'opportunistic',
    implicit,
    login,
    isSmarthost: !delivers,
  }
}
