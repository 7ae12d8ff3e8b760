import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Later } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { LookupFailedError } from '#lib/network/dns.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as acme from '#sql/video/acme.ts'
import * as certificates from '#sql/video/certificates.ts'
import * as domains from '#sql/video/domains.ts'
import type { Attempt } from '../../../queue/task.ts'
import { type Account, AuthorityFault, type CertificateIssuer, type Challenge } from './certificate-authority.ts'

/** Maximum number of orders within 3 hours, for all domains together. Let’s Encrypt allows 300 per account. */
const maxOrders = 250

/**
 * Number of polls of an order per attempt, interval between polls in milliseconds, and delay until the next attempt in
 * milliseconds.
 */
const [polls, pollMs, laterMs] = [10, 300, 4_000]

type Tools = Pick<Attempt, 'db' | 'own' | 'signal'>

/** What an order needs of a host name. `domain_id` identifies its row. */
export type OrderedHost = Pick<certificates.Work, 'domain_id' | 'hostname' | 'order_url' | 'order_key'>

/** The rows of an order. Each method runs in its own transaction. */
export interface OrderStore {
  /** Counts an order before it is placed. Returns false if `most` orders were placed within 3 hours. */
  countOrder(tx: Db, id: string, most: number): Promise<boolean>
  setOrder(tx: Db, id: string, url: string, key: string): Promise<void>
  putChallenge(tx: Db, id: string, token: string, answer: string): Promise<void>
  /** Stores the certificate and deletes the challenges. */
  accept(tx: Db, host: OrderedHost, issued: certificates.IssuedCertificate): Promise<void>
}

/** The rows of customers’ video domains. */
const domainStore: OrderStore = {
  countOrder: certificates.countOrder,
  setOrder: certificates.setOrder,
  putChallenge: acme.putChallenge,
  async accept(tx, { domain_id, hostname }, issued) {
    await certificates.setIssued(tx, domain_id, issued)
    await acme.removeChallenges(tx, domain_id)
    await domains.notifyChanged(tx, hostname)
  },
}

interface PlacedOrder {
  url: string
  key: string
}

/**
 * Completes a domain’s order and continues after the last completed step. Each step is committed before the next step,
 * so that a crash does not cause another certificate. Throws `Later` while the order is processed, and
 * `AuthorityFault`.
 */
export async function orderCertificate(
  work: OrderedHost,
  issuer: CertificateIssuer,
  tools: Tools,
  store: OrderStore = domainStore,
): Promise<void> {
  const { authority } = issuer
  const { signal } = tools
  const account = await accountOf(tools.db, issuer, signal)
  const placed = placedBefore(work, issuer) ?? (await place(work, account, issuer, tools, store))
  for (let poll = 0; poll < polls; poll++) {
    const order = await authority.poll(account, placed.url, signal)
    if (order.status === 'invalid') throw order.fault
    if (order.status === 'valid') return await accept(work, order.chain, placed.key, tools, store)
    if (order.status === 'pending') await answerAll(work, account, order.challenges, issuer, tools, store)
    if (order.status === 'ready') await authority.finalize(account, placed.url, work.hostname, placed.key, signal)
    await pause(pollMs, undefined, { signal })
  }
  throw new Later(laterMs, 'the certificate authority needs more time')
}

/**
 * Returns the account at the authority, and creates it if needed. Processes that create it at the same time get the
 * same account.
 */
async function accountOf(
  db: DatabasePool,
  { authority, seal }: CertificateIssuer,
  signal: AbortSignal,
): Promise<Account> {
  const { directoryUrl, contact } = authority
  const about = acme.accountSealContext(directoryUrl)
  let stored = await acme.findAccount(db, directoryUrl)
  if (!stored || seal.open(stored.key, about) === null) {
    stored = await acme.putKey(db, directoryUrl, seal.close(makeKey(), about), stored?.key ?? null)
  }
  const key = seal.open(stored.key, about)
  if (key === null) throw new Error('The processes have different secrets. An account key cannot be decrypted.')
  if (stored.url !== null && stored.contact === contact) return { key, url: stored.url }
  const url = await authority.register(key, signal)
  await acme.setAccount(db, directoryUrl, { key: stored.key, url, contact })
  return { key, url }
}

/** Returns the order of an earlier attempt, unless its key cannot be decrypted. */
function placedBefore(
  { domain_id, order_url, order_key }: OrderedHost,
  { seal }: CertificateIssuer,
): PlacedOrder | null {
  const key = order_key && seal.open(order_key, certificates.keySealContext(domain_id))
  return order_url && key ? { url: order_url, key } : null
}

async function place(
  { domain_id, hostname }: OrderedHost,
  account: Account,
  issuer: CertificateIssuer,
  { own, signal }: Tools,
  store: OrderStore,
): Promise<PlacedOrder> {
  await mustPointSomewhere(hostname, issuer)
  if (!(await own((tx) => store.countOrder(tx, domain_id, maxOrders)))) {
    throw new AuthorityFault('limited', 'Many certificates are being ordered. This order is queued.', {
      retryMs: 10 * 60_000,
    })
  }
  const key = makeKey()
  const url = await issuer.authority.order(account, hostname, signal)
  const sealed = issuer.seal.close(key, certificates.keySealContext(domain_id))
  await own((tx) => store.setOrder(tx, domain_id, url, sealed))
  return { url, key }
}

/** Throws early if a name has no IP address. Let’s Encrypt allows five failed validations per name and hour. */
async function mustPointSomewhere(hostname: string, { dns }: CertificateIssuer): Promise<void> {
  const addresses = await dns.addresses(hostname).catch((error: Error) => {
    if (error instanceof LookupFailedError) throw new AuthorityFault('unpointed', error.message, { cause: error })
    throw error
  })
  if (addresses.length === 0) {
    throw new AuthorityFault(
      'unpointed',
      `${hostname} has no IP address yet. Create a CNAME, A or AAAA record that points to this server.`,
    )
  }
}

async function answerAll(
  { domain_id }: OrderedHost,
  account: Account,
  challenges: Challenge[],
  { authority }: CertificateIssuer,
  { own, signal }: Tools,
  store: OrderStore,
): Promise<void> {
  for (const challenge of challenges) {
    if (challenge.begun) continue
    await own((tx) => store.putChallenge(tx, domain_id, challenge.token, challenge.answer))
    await authority.begin(account, challenge, signal)
  }
}

async function accept(work: OrderedHost, chain: string, key: string, { own }: Tools, store: OrderStore): Promise<void> {
  const certificate = new X509Certificate(chain)
  if (!certificate.checkPrivateKey(createPrivateKey(key)) || !certificate.checkHost(work.hostname)) {
    throw new AuthorityFault(
      'refused',
      'The certificate authority signed a different certificate from the one ordered.',
    )
  }
  const due_at = getRenewalTime(certificate.validFromDate, certificate.validToDate)
  const issued = { version: newId(), chain, not_after: certificate.validToDate, due_at }
  await own((tx) => store.accept(tx, work, issued))
}

/** Creates a P-256 private key in PEM for an account or certificate. Every authority and browser accepts P-256. */
function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

const day = 86_400_000

/**
 * Number of days before its end at which a certificate is renewed. For short-lived certificates, the last third of
 * their lifetime.
 */
const leadDays = 30

/** Returns the renewal time: up to a tenth of the lead earlier at random, so that renewals are spread. */
export function getRenewalTime(from: Date, to: Date, chance: number = Math.random()): Date {
  const lead = Math.min(leadDays * day, (to.getTime() - from.getTime()) / 3)
  return new Date(to.getTime() - lead * (1 + chance / 10))
}
