import { createSecureContext, type SecureContext } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import * as certificates from '#sql/video/certificates.ts'
import * as domains from '#sql/video/domains.ts'
import type { CustomHosts } from '../http/area.ts'
import { service } from '../http/container.ts'
import { signingSecret } from '../http/services.ts'

export interface ServedDomains extends CustomHosts {
  /** Returns the TLS context of a host name, or `undefined` if the host name has no certificate. */
  contextOf(hostname: string): Promise<SecureContext | undefined>
  isServed(hostname: string): boolean
  close(): Promise<void>
}

const refreshMs = 30_000

/** Maximum number of TLS contexts in memory. Other contexts are created when needed. */
const maxContexts = 2_000

export const servedDomains = service<ServedDomains>({
  name: 'video.served-domains',
  open: ({ db, services }) => createServedDomains(db, () => services(signingSecret)),
  close: (domains) => domains.close(),
})

function createServedDomains(db: DatabasePool, secret: () => string): ServedDomains {
  const owned = new Map<string, domains.OwnedDomain>()
  const contexts = new LRUCache<string, Promise<SecureContext | undefined>>({ max: maxContexts })
  let listener: Listener | undefined
  let timers: NodeJS.Timeout[] = []
  let known: Promise<void> | undefined
  let latest: Promise<void> = Promise.resolve()

  async function readAll(): Promise<void> {
    const rows = await domains.listOwned(db)
    owned.clear()
    for (const row of rows) owned.set(row.hostname, row)
  }

  async function readOne(hostname: string): Promise<void> {
    const [row] = await domains.findOwned(db, [hostname])
    if (row) owned.set(hostname, row)
    else owned.delete(hostname)
  }

  /** Runs reads one after the other, so that an earlier result never replaces a later one. */
  function oneByOne(read: () => Promise<void>): Promise<void> {
    const reading = latest.then(read)
    latest = reading.catch(() => {})
    return reading
  }

  const unlessAway = (read: () => Promise<void>) =>
    void oneByOne(read).catch((error) =>
      log.warn({ err: describe(error) }, 'custom domain names could not be reloaded'),
    )

  function begin(): Promise<void> {
    if (!listener) {
      listener = listen(getSessionUrl(db), [domains.domainsChannel])
      listener.on(domains.domainsChannel, (hostname) => unlessAway(() => readOne(hostname)))
      listener.onReconnect(() => unlessAway(readAll))
      // The first read is early, because a change may have happened before the listener started.
      timers = [setTimeout(() => unlessAway(readAll), 2_000), setInterval(() => unlessAway(readAll), refreshMs)]
      for (const timer of timers) timer.unref()
    }
    return oneByOne(readAll).catch((error) => {
      known = undefined
      throw error
    })
  }

  async function ownerOf(hostname: string): Promise<string | undefined> {
    known ??= begin()
    await known
    return owned.get(hostname)?.org_id
  }

  async function open(hostname: string): Promise<SecureContext | undefined> {
    const served = await certificates.findServed(db, hostname)
    if (!served) return
    const seal = createSeal(secret(), certificates.sealPurpose)
    const key = seal.open(served.key, certificates.keySealContext(served.domain_id))
    if (key === null)
      throw new Error(
        'The key was encrypted with a different `SIGNING_SECRET`. The certificate is renewed within minutes.',
      )
    return createSecureContext({ cert: served.chain, key })
  }

  return {
    ownerOf,
    isOwned: (hostname) => owned.has(hostname),
    async contextOf(hostname) {
      if ((await ownerOf(hostname)) === undefined) return
      const version = owned.get(hostname)?.version
      if (!version) return
      const name = `${hostname}/${version}`
      const opening = contexts.get(name) ?? open(hostname)
      contexts.set(name, opening)
      try {
        return await opening
      } catch (error) {
        contexts.delete(name)
        log.error({ hostname, err: describe(error) }, 'certificate of a custom domain cannot be decrypted')
        return
      }
    },
    isServed: (hostname) => Boolean(owned.get(hostname)?.version),
    async close() {
      for (const timer of timers) clearInterval(timer)
      await listener?.close()
    },
  }
}
