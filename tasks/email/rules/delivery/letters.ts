import { addAbortListener } from 'node:events'
import { domainOf } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import { type Content, findContents } from '#sql/email/contents.ts'
import type { Message } from '#sql/email/messages.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { type Body, type Letter, type LetterRequest, type MailEngine, Unmade } from '../../engine.ts'
import { returnLocalPart } from '../return-path.ts'
import { unsubscribeUrl } from '../unsubscribe-link.ts'
import type { Sender, Senders } from './senders.ts'

/** A message can't be signed, and so is not sent. */
export class Unsignable extends Error {
  override name = 'Unsignable'
}

/** Where this installation is, and what its links and return paths are signed with. */
export interface Installation {
  hostname: string
  origin: string
  secret: string
}

/** Bodies are kept up to so many bytes: all messages of a campaign have one. */
const mostKept = 32 * 2 ** 20

/** Has letters made of messages: MIME, one-click unsubscription, return path, signatures. */
export class Letters {
  readonly #senders: Senders
  readonly #installation: Installation
  readonly #engine: Pick<MailEngine, 'makeBody' | 'compose'>
  readonly #contents = new Map<string, { content: Content; body: Promise<Body>; bytes: number }>()
  #kept = 0

  constructor(senders: Senders, installation: Installation, engine: Pick<MailEngine, 'makeBody' | 'compose'>) {
    this.#senders = senders
    this.#installation = installation
    this.#engine = engine
  }

  /** Reads what messages say, all of a batch at once. */
  async load(db: Db, messages: readonly Message[]): Promise<void> {
    const missing = new Set(messages.map(({ content_id }) => content_id).filter((id) => !this.#contents.has(id)))
    if (missing.size === 0) return
    for (const content of await findContents(db, [...missing])) this.#keep(content)
  }

  #keep(content: Content): void {
    const attachments = content.attachments.reduce((sum, { content: base64 }) => sum + base64.length, 0)
    const bytes = 2 * ((content.html?.length ?? 0) + (content.text?.length ?? 0)) + 2 * attachments
    while (this.#kept + bytes > mostKept && this.#contents.size > 0)
      this.#forget(this.#contents.keys().next().value as string)
    const body = this.#engine.makeBody(content)
    // Whoever writes a letter of it gets the error.
    body.catch(() => {})
    this.#contents.set(content.id, { content, body, bytes })
    this.#kept += bytes
  }

  /** A body that cannot be made is not tried again for each message of a campaign. */
  async #bodyOf({ content_id }: Message, body: Promise<Body>, signal: AbortSignal): Promise<Body> {
    try {
      return await unlessAborted(body, signal)
    } catch (error) {
      if (!(error instanceof Unmade || signal.aborted)) this.#forget(content_id)
      throw error
    }
  }

  #forget(id: string): void {
    this.#kept -= this.#contents.get(id)?.bytes ?? 0
    this.#contents.delete(id)
  }

  /**
   * The letter of a message; throws `Unsignable` when there is no key, or nothing to sign, `Unmade` when its body is too costly, and
   * the signal's reason at once.
   */
  async write(db: Db, message: Message, signal: AbortSignal): Promise<Letter> {
    const [sender] = await Promise.all([this.#senders.find(db, message.domain_id), this.load(db, [message])])
    const kept = this.#contents.get(message.content_id)
    if (!kept) throw new Unsignable('Its content is gone.')
    // What one campaign shares is kept; what one message says is needed once.
    if (message.campaign_id === null) this.#forget(message.content_id)
    const body = await this.#bodyOf(message, kept.body, signal)
    return await this.#engine.compose(letterRequest(message, kept.content, sender, this.#installation), body)
  }
}

/** Waits for a body until the signal aborts: others may wait for it, too, so it is made all the same. */
async function unlessAborted(body: Promise<Body>, signal: AbortSignal): Promise<Body> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  using _ = addAbortListener(signal, () => aborted.reject(signal.reason))
  return await Promise.race([body, aborted.promise])
}

/** What the letter of a message is made of; throws `Unsignable` without a key of its sender. */
export function letterRequest(
  message: Message,
  content: Content,
  sender: Sender | null,
  { hostname, origin, secret }: Installation,
): LetterRequest {
  const isTried = message.sandbox && isSimulated(message.to_email)
  // What a sandbox key tries out may be from a domain that is not set up yet, and leaves this installation on no way.
  if (!sender?.keys.length && !isTried) throw new Unsignable('No key of its domain is published.')
  const host = sender?.returnPath ?? hostname
  const isMarketing = message.stream === 'subscribed' || message.stream === 'repermission'
  const unsubscribe = isMarketing && {
    url: unsubscribeUrl(origin, message.id, secret),
    address: `${returnLocalPart('u', message.id, secret)}@${host}`,
  }
  return {
    envelope: {
      from: `${returnLocalPart('b', message.id, secret)}@${host}`,
      to: message.to_email,
      envelopeId: message.id,
    },
    message,
    content,
    feedbackId: [message.campaign_id, message.org_id, message.stream, hostname].filter(Boolean).join(':'),
    unsubscribe: unsubscribe || undefined,
    signer: { domain: sender?.domain ?? domainOf(message.from_email), keys: sender?.keys ?? [] },
  }
}
