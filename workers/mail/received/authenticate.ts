import { Resolver } from 'node:dns/promises'
import { authenticate as check, type DNSResolver } from 'mailauth'
import { getDomain } from '#lib/email-address.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Authentication } from '#sql/email/received.ts'

interface Origin {
  sender: string
  remoteAddress: string
  helo: string
  mta: string
  servers: string[]
}

/**
 * Limits per email, because its records and signatures are untrusted: number of DNS lookups, total time in
 * milliseconds, and sizes in bytes of a checked header and of a signature.
 */
const most = { lookups: 60, ms: 6_000, headerBytes: 64 * 1024, lines: 3_000, signatureBytes: 8 * 1024 }

type Result = Authentication['spf']['result']

const results: readonly Result[] = ['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror']

/**
 * Maximum number of signatures to check and report, because each signature may require another hash of the whole body.
 */
const mostSignatures = 10

/** Checks SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489). */
export async function authenticate(source: Buffer, origin: Origin): Promise<Authentication> {
  const { spf, dkim, dmarc } = await check(withoutCostlySignatures(source), {
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
      : { result: 'none', domain: from ? textOf(getDomain(from)) : '', policy: null },
  }
}

/**
 * Removes signatures above the limits. Throws if the header is too long, because the time for the check grows with the
 * square of the header's length.
 */
function withoutCostlySignatures(source: Buffer): Buffer {
  const fields = fieldsIn(source)
  const signatures = fields.filter(({ at }) => isSignature(source, at))
  const sound = signatures.filter(({ at, end }) => end - at <= most.signatureBytes).slice(0, mostSignatures)
  if (sound.length === signatures.length) return source
  const dropped = new Set(signatures.filter((field) => !sound.includes(field)))
  const kept = fields.filter((field) => !dropped.has(field)).map(({ at, end }) => source.subarray(at, end))
  return Buffer.concat([...kept, source.subarray(fields.at(-1)?.end)])
}

const isSignature = (source: Buffer, at: number): boolean =>
  source.toString('latin1', at, at + signatureField.length).toLowerCase() === signatureField

const signatureField = 'dkim-signature'

function fieldsIn(source: Buffer): { at: number; end: number }[] {
  const fields: { at: number; end: number }[] = []
  let lines = 0
  for (let [at, end] = [0, 0]; at < source.length; at = end) {
    end = source.indexOf('\n', at) + 1 || source.length
    const line = source.toString('latin1', at, Math.min(end, at + 2))
    if (line === '\r\n' || line.startsWith('\n')) break
    if (++lines > most.lines || end > most.headerBytes) throw new RangeError('The header is too long to be checked.')
    const before = fields.at(-1)
    if (before && (line.startsWith(' ') || line.startsWith('\t'))) before.end = end
    else fields.push({ at, end })
  }
  return fields
}

/** Returns the result name of RFC 8601. A result without such a name means that nothing was checked. */
const resultOf = (result: string): Result =>
  result === 'temperr' ? 'temperror' : (results.find((known) => known === result) ?? 'none')

const textOf = (text: string | undefined): string => toStorableText(text ?? '', 255)

/**
 * Creates a resolver that stops when the email's limit of lookups or time is reached. Further lookups fail temporarily.
 */
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

const tooMuch = () => Object.assign(new Error('Too many DNS lookups are needed.'), { code: 'ETIMEOUT' })
