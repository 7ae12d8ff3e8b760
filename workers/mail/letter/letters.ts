import { addAbortListener } from 'node:events'
import type { Db } from '#sql/db.ts'
import { type Content, findContents } from '#sql/email/contents.ts'
import type { Message } from '#sql/email/messages.ts'
import { returnLocalPart } from '#tasks/email/rules/return-path.ts'
import { unsubscribeUrl } from '#tasks/email/rules/unsubscribe-link.ts'
import type { Body } from './body.ts'
import { type BodyMaker, createBodyMaker, Unmade } from './body-maker.ts'
import { signatures } from './dkim.ts'
import { headerFields, readFields } from './header.ts'
import type { Sender, Senders } from './senders.ts'

/** A message ready to be sent. */
export interface Letter {
  /** MAIL FROM: the envelope sender, by which a bounce is known. */
  from: string
  to: string
  /** ENVID (RFC 3461 §4.4). */
  envelopeId: string
  bytes: Buffer
  /** BODY=8BITMIME (RFC 6152). */
  is8Bit: boolean
}

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

/** Makes letters of messages: MIME, one-click unsubscription, return path, signatures. */
export class Letters {
  readonly #senders: Senders
  readonly #installation: Installation
  readonly #bodies: BodyMaker
  readonly #contents = new Map<string, { content: Content; body: Promise<Body>; bytes: number }>()
  #kept = 0

  constructor(senders: Senders, installation: Installation, bodies = createBodyMaker()) {
    this.#senders = senders
    this.#bodies = bodies
    this.#installation = installation
  }

  /** Reads what messages say, all of a batch at once. */
  async load(db: Db, messages: readonly Message[]): Promise<void> {
    const wanted = new Set(messages.map(({ content_id }) => content_id).filter((id) => !this.#contents.has(id)))
    if (wanted.size === 0) return
    for (const content of await findContents(db, [...wanted])) this.#keep(content)
  }

  #keep(content: Content): void {
    const attachments = content.attachments.reduce((sum, { content: base64 }) => sum + base64.length, 0)
    const bytes = 2 * ((content.html?.length ?? 0) + (content.text?.length ?? 0)) + 2 * attachments
    while (this.#kept + bytes > mostKept && this.#contents.size > 0)
      this.#forget(this.#contents.keys().next().value as string)
    const body = this.#bodies.make(content)
    // Whoever writes a letter of it is told.
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

  /** Ends the threads in which bodies are made. */
  close(): Promise<void> {
    return this.#bodies.close()
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
    return await compose(message, kept.content, body, sender, this.#installation)
  }
}

/** Waits for a body until the signal aborts: others may wait for it, too, so it is made all the same. */
async function unlessAborted(body: Promise<Body>, signal: AbortSignal): Promise<Body> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  using _ = addAbortListener(signal, () => aborted.reject(signal.reason))
  return await Promise.race([body, aborted.promise])
}

/** Makes the letter of a message: its header, with the signatures of its sender in front. */
export async function compose(
  message: Message,
  content: Content,
  body: Body,
  sender: Sender | null,
  { hostname, origin, secret }: Installation,
): Promise<Letter> {
  if (!sender || sender.keys.length === 0) throw new Unsignable('No key of its domain is published.')
  const host = sender.returnPath ?? hostname
  const isMarketing = message.stream === 'subscribed' || message.stream === 'repermission'
  const unsubscribe = isMarketing && {
    url: unsubscribeUrl(origin, message.id, secret),
    address: `${returnLocalPart('u', message.id, secret)}@${host}`,
  }
  const feedbackId = [message.campaign_id, message.org_id, message.stream, hostname].filter(Boolean).join(':')
  const own = headerFields(message, content, { feedbackId, unsubscribe: unsubscribe || undefined })
  const fields = [...own, ...readFields(body.fields)]
  const signed = await signatures(fields, body.hash, sender.domain, sender.keys, Math.floor(Date.now() / 1_000))
  const header = `${signed}${own.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${body.fields}\r\n`
  return {
    from: `${returnLocalPart('b', message.id, secret)}@${host}`,
    to: message.to_email,
    envelopeId: message.id,
    is8Bit: body.is8Bit,
    bytes: Buffer.concat([Buffer.from(header, 'latin1'), body.bytes]),
  }
}
