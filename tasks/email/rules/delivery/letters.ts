import { addAbortListener } from 'node:events'
import { domainOf } from '#lib/email-address.ts'
import { placeholdersOf } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import { type Content, findContents } from '#sql/email/contents.ts'
import type { Message } from '#sql/email/messages.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { type Body, type Letter, type LetterRequest, type MailEngine, Unmade } from '../../engine.ts'
import { withMarks } from '../field-marks.ts'
import { type MergeFields, personalPart, unsubscribeField } from '../merge-fields.ts'
import { returnLocalPart } from '../return-path.ts'
import { unsubscribeUrl } from '../unsubscribe-link.ts'
import { Merges } from './merges.ts'
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
  readonly #contents = new Map<string, KeptContent>()
  readonly #merges = new Merges()
  #kept = 0

  constructor(senders: Senders, installation: Installation, engine: Pick<MailEngine, 'makeBody' | 'compose'>) {
    this.#senders = senders
    this.#installation = installation
    this.#engine = engine
  }

  /** Reads what messages say, all of a batch at once. */
  async load(db: Db, messages: readonly Message[]): Promise<void> {
    const missing = new Set(messages.map(({ content_id }) => content_id).filter((id) => !this.#contents.has(id)))
    const campaigns = new Set(messages.map(({ campaign_id }) => campaign_id))
    const found = missing.size === 0 ? [] : await findContents(db, [...missing])
    for (const content of found) this.#keep(content, campaigns.has(content.id) && isPersonal(content))
    const personal = messages.flatMap(({ id, content_id }) => {
      const kept = this.#contents.get(content_id)
      return kept && kept.body === undefined ? [id] : []
    })
    await this.#merges.load(db, personal)
  }

  /** Keeps what messages say, and the body that they share; what is written to each of them has a body each. */
  #keep(content: Content, eachHasItsOwn: boolean): void {
    const attachments = content.attachments.reduce((sum, { content: base64 }) => sum + base64.length, 0)
    const bytes = 2 * ((content.html?.length ?? 0) + (content.text?.length ?? 0)) + 2 * attachments
    while (this.#kept + bytes > mostKept && this.#contents.size > 0)
      this.#forget(this.#contents.keys().next().value as string)
    const body = eachHasItsOwn ? undefined : this.#engine.makeBody(content)
    const text = eachHasItsOwn && content.text === null ? this.#textOf(content) : undefined
    // Whoever writes a letter of it gets the error.
    for (const made of [body, text]) made?.catch(() => {})
    this.#contents.set(content.id, { content, body, text, bytes })
    this.#kept += bytes
  }

  /** The text of a campaign that has none, read from its HTML with its fields in it. */
  async #textOf(content: Content): Promise<string> {
    const { html, unmark } = withMarks(content.html ?? '')
    return unmark((await this.#engine.makeBody({ ...content, html, attachments: [] })).text)
  }

  /** A body that cannot be made is not tried again for each message of a campaign. */
  async #shared<T>({ content_id }: Message, made: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await unlessAborted(made, signal)
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
    if (!kept) throw new Unsignable('The content of the message was deleted.')
    // What a campaign's messages share is kept, or a message and its copies; what one message says is needed once.
    if (message.campaign_id === null && !kept.content.recipients) this.#forget(message.content_id)
    const body =
      kept.body !== undefined
        ? await this.#shared(message, kept.body, signal)
        : await this.#ownBody(db, message, kept, signal)
    return await this.#engine.compose(letterRequest(message, kept.content, sender, this.#installation), body)
  }

  /** The body of a message that says to its recipient what it says to no other. */
  async #ownBody(db: Db, message: Message, { content, text }: KeptContent, signal: AbortSignal): Promise<Body> {
    const template = text === undefined ? content : { ...content, text: await this.#shared(message, text, signal) }
    const body = this.#engine.makeBody(await this.#personal(db, message, template))
    body.catch(() => {})
    return await unlessAborted(body, signal)
  }

  /** What a campaign says to the recipient of one of its messages; as it stands in one from before it had fields. */
  async #personal(db: Db, { id }: Message, content: Content): Promise<Content> {
    const fields = await this.#merges.take(db, id)
    if (fields === undefined) return content
    const { origin, secret } = this.#installation
    const all = { ...fields, [unsubscribeField]: unsubscribeUrl(origin, id, secret) }
    return { ...content, html: filled('html', content.html, all), text: filled('text', content.text, all) }
  }
}

/** What messages say that are about to be sent. */
interface KeptContent {
  content: Content
  /** What all of its messages share; undefined where each has its own. */
  body: Promise<Body> | undefined
  /** Then, where it has no text: that of its HTML, with its fields. */
  text: Promise<string> | undefined
  bytes: number
}

const isPersonal = ({ html, text }: Content): boolean => placeholdersOf(html, text).length > 0

function filled(part: 'html' | 'text', said: string | null, fields: MergeFields): string | null {
  if (said === null) return null
  const written = personalPart(part, said, fields)
  if (written === undefined) throw new Unmade(`The ${part} is too long after its placeholders are filled in.`)
  return written
}

/** Waits for what is made until the signal aborts: others may wait for it, too, so it is made all the same. */
async function unlessAborted<T>(made: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  using _ = addAbortListener(signal, () => aborted.reject(signal.reason))
  return await Promise.race([made, aborted.promise])
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
  if (!sender?.keys.length && !isTried) throw new Unsignable('No DKIM key of the domain is published.')
  const host = sender?.returnPath ?? hostname
  const isMarketing = message.stream === 'subscribed' || message.stream === 'repermission'
  const unsubscribe = isMarketing && {
    url: unsubscribeUrl(origin, message.id, secret),
    address: `${returnLocalPart('u', message.id, secret)}@${host}`,
  }
  return {
    envelope: {
      from: `${returnLocalPart('b', message.id, secret)}@${host}`,
      to: message.to_written ?? message.to_email,
      envelopeId: message.id,
    },
    message,
    content,
    feedbackId: [message.campaign_id, message.org_id, message.stream, hostname].filter(Boolean).join(':'),
    unsubscribe: unsubscribe || undefined,
    signer: { domain: sender?.domain ?? domainOf(message.from_email), keys: sender?.keys ?? [] },
  }
}
