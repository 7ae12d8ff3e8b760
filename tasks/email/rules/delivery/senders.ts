import { createPrivateKey } from 'node:crypto'
import type { Seal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import { findSender, type Sender as Row } from '#sql/email/delivery/senders.ts'
import { keyAbout } from '#sql/email/domains.ts'
import type { SigningKey } from '../../engine.ts'
import type { TrackingSettings } from '../tracking/decide.ts'

export interface Sender {
  domain: string
  /** Host of the envelope sender. Null if its DNS records are missing, because bounces would be lost. */
  returnPath: string | null
  keys: readonly SigningKey[]
  tracking?: TrackingSettings
}

/**
 * Time to live of cached keys in milliseconds, and maximum number of domains. A deleted key can be used for this time.
 */
const freshMs = 60_000
const most = 2_000

/** Names of the DNS records that bounces and SPF need. */
const returnPathChecks = ['return_path_mx', 'return_path_spf']

/** Caches domains and their decrypted keys for one minute. */
export class Senders {
  readonly #known = new Map<string, { sender: Promise<Sender | null>; until: number }>()
  readonly #seal: Seal

  constructor(seal: Seal) {
    this.#seal = seal
  }

  /** Returns null if the domain was deleted. */
  async find(db: Db, domainId: string): Promise<Sender | null> {
    const known = this.#known.get(domainId)
    if (known && known.until > performance.now()) return await known.sender
    const sender = findSender(db, domainId).then((row) => row && this.#read(row))
    if (this.#known.size >= most) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(domainId, { sender, until: performance.now() + freshMs })
    sender.catch(() => this.#known.delete(domainId))
    return await sender
  }

  #read({ domain, return_path, verified_by, checks, keys, ...row }: Row): Sender {
    const vouched = verified_by === 'operator'
    const answers = returnPathChecks.every((name) => checks[name]?.state === 'found')
    return {
      domain,
      tracking: {
        opens: row.track_opens,
        clicks: row.track_clicks,
        host: row.tracking_host,
        isReady: row.tracking_ready,
      },
      returnPath: vouched || answers ? return_path : null,
      keys: keys
        .filter(({ published }) => published || vouched)
        .flatMap(({ id, selector, algorithm, private_key }) => {
          const pem = this.#seal.open(private_key, keyAbout(id))
          return pem === null ? [] : [{ selector, algorithm, key: createPrivateKey(pem) }]
        }),
    }
  }
}
