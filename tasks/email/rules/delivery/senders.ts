import { createPrivateKey } from 'node:crypto'
import type { Seal } from '#lib/seal.ts'
import type { Db } from '#sql/db.ts'
import { keyAbout } from '#sql/email/domains.ts'
import { findSender, type Sender as Row } from '#sql/email/senders.ts'
import type { SigningKey } from '../../engine.ts'

/** A domain that mail is sent from. */
export interface Sender {
  domain: string
  /** Host of the envelope sender; null when its records are not there, so that bounces would go nowhere. */
  returnPath: string | null
  keys: readonly SigningKey[]
}

/** Milliseconds that a domain's keys are kept: so long may one be used after it is taken back. */
const freshMs = 60_000
const most = 2_000

/** Records without which nobody could answer to a return path, nor SPF pass on it. */
const returnPathChecks = ['return_path_mx', 'return_path_spf']

/** Looks up the domains that mail is sent from, and opens their keys once a minute instead of once a message. */
export class Senders {
  readonly #known = new Map<string, { sender: Promise<Sender | null>; until: number }>()
  readonly #seal: Seal

  constructor(seal: Seal) {
    this.#seal = seal
  }

  /** A domain by its id; null when it is gone. */
  async find(db: Db, domainId: string): Promise<Sender | null> {
    const known = this.#known.get(domainId)
    if (known && known.until > performance.now()) return await known.sender
    const sender = findSender(db, domainId).then((row) => row && this.#read(row))
    if (this.#known.size >= most) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(domainId, { sender, until: performance.now() + freshMs })
    sender.catch(() => this.#known.delete(domainId))
    return await sender
  }

  #read({ domain, return_path, verified_by, checks, keys }: Row): Sender {
    const vouched = verified_by === 'operator'
    const answers = returnPathChecks.every((name) => checks[name]?.state === 'found')
    return {
      domain,
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
