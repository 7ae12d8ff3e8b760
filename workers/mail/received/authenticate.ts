import { Resolver } from 'node:dns/promises'
import { authenticate as check, type DNSResolver } from 'mailauth'
import { domainOf } from '#lib/email-address.ts'
import { outsideText } from '#lib/outside-text.ts'
import type { Authentication } from '#sql/email/received.ts'

/** Who brought a mail, and whom to ask about them. */
interface Origin {
  sender: string
  remoteAddress: string
  helo: string
  mta: string
  servers: string[]
}

/** Look-ups of one mail, and the milliseconds in which all must be done: records and signatures of a stranger's decide how many there are. */
const most = { lookups: 60, ms: 6_000 }

type Result = Authentication['spf']['result']

const results: readonly Result[] = ['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror']

/** Signatures that are told of. */
const mostSignatures = 10

/** Checks who a mail is from, by SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489). */
export async function authenticate(source: Buffer, origin: Origin): Promise<Authentication> {
  const { spf, dkim, dmarc } = await check(source, {
    sender: origin.sender,
    ip: origin.remoteAddress,
    helo: origin.helo,
    mta: origin.mta,
    resolver: boundedResolver(origin.servers),
    disableArc: true,
    disableBimi: true,
    rejectRsaSha1: true,
  })
  const signatures = dkim.results.filter(({ status }) => status.result !== 'none').slice(0, mostSignatures)
  const from = dkim.headerFrom[0]
  return {
    spf: { result: resultOf(spf ? spf.status.result : 'none'), domain: textOf(spf ? spf.domain : '') },
    dkim: signatures.map(({ status, signingDomain, selector }) => ({
      result: resultOf(status.result),
      domain: textOf(signingDomain),
      selector: textOf(selector),
      aligned: Boolean(status.aligned),
    })),
    dmarc: dmarc
      ? { result: resultOf(dmarc.status.result), domain: textOf(dmarc.domain), policy: textOf(dmarc.policy) || null }
      : { result: 'none', domain: from ? textOf(domainOf(from)) : '', policy: null },
  }
}

/** In words of RFC 8601; what has none of its own was not checked. */
const resultOf = (result: string): Result =>
  result === 'temperr' ? 'temperror' : (results.find((known) => known === result) ?? 'none')

const textOf = (text: string | undefined): string => outsideText(text ?? '', 255)

/** Looks up as long as the mail has look-ups and time left; then every further one is a failure that may pass. */
function boundedResolver(servers: string[]): DNSResolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  let left = most.lookups
  const until = performance.now() + most.ms
  setTimeout(() => resolver.cancel(), most.ms).unref()
  return async (name, type) => {
    if (left-- <= 0 || performance.now() > until) throw tooMuch()
    try {
      return (await resolver.resolve(name, type)) as string[][] | string[]
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ECANCELLED' ? tooMuch() : error
    }
  }
}

const tooMuch = () => Object.assign(new Error('Too much is to be looked up.'), { code: 'ETIMEOUT' })
