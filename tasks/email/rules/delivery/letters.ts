import { addAbortListener } from 'node:events'
import { getDomain } from '#lib/email-address.ts'
import { hasHidden, maskHidden, revealText } from '#lib/hidden-text.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import { type Content, findContents } from '#sql/email/contents.ts'
import type { Message } from '#sql/email/messages.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { type Body, type Letter, type LetterRequest, type MailEngine, MessageBuildError } from '../../engine.ts'
import { renderPersonal, toReason } from '../campaigns/liquid-campaign.ts'
import { fillPart, type MergeFields, unsubscribeField } from '../campaigns/merge-fields.ts'
import { unsubscribeUrl } from '../consent/unsubscribe-link.ts'
import { replaceFieldsByMarks } from '../field-marks.ts'
import { returnLocalPart } from '../received/return-path.ts'
import { decideTracking } from '../tracking/decide.ts'
import { type Tracking, trackHtml } from '../tracking/track-html.ts'
import { Merges } from './merges.ts'
import type { Sender, Senders } from './senders.ts'

export class UnsignableError extends Error {
  override name = 'UnsignableError'
}

export interface Installation {
  hostname: string
  origin: string
  secret: string
}

/** Maximum size of cached bodies in bytes. All messages of a campaign share one body. */
const mostKept = 32 * 2 ** 20

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

  async load(db: Db, messages: readonly Message[]): Promise<void> {
    const missing = new Set(messages.map(({ content_id }) => content_id).filter((id) => !this.#contents.has(id)))
    const campaigns = new Set(messages.map(({ campaign_id }) => campaign_id))
    const found = missing.size === 0 ? [] : await findContents(db, [...missing])
    for (const content of found)
      this.#keep(content, (campaigns.has(content.id) && isPersonal(content)) || hasHidden(content))
    const personal = messages.flatMap(({ id, content_id }) => {
      const kept = this.#contents.get(content_id)
      return kept && kept.body === undefined ? [id] : []
    })
    await this.#merges.load(db, personal)
  }

  /** Caches content and the shared body. Personal messages have their own body. */
  #keep(content: Content, eachHasItsOwn: boolean): void {
    const attachments = content.attachments.reduce((sum, { content: base64 }) => sum + base64.length, 0)
    const bytes = 2 * ((content.html?.length ?? 0) + (content.text?.length ?? 0)) + 2 * attachments
    while (this.#kept + bytes > mostKept && this.#contents.size > 0)
      this.#remove(this.#contents.keys().next().value as string)
    const body = eachHasItsOwn ? undefined : this.#engine.makeBody(content)
    // The text of a Liquid campaign depends on the contact.
    const hasSharedText = eachHasItsOwn && content.text === null && content.partials === null
    const text = hasSharedText ? this.#textOf(content) : undefined
    // The error is handled where the body is used.
    for (const made of [body, text]) made?.catch(() => {})
    this.#contents.set(content.id, { content, body, text, bytes })
    this.#kept += bytes
  }

  /** Reads the text of a campaign without text from its HTML, with its placeholders. */
  async #textOf(content: Content): Promise<string> {
    const { html, unmark } = replaceFieldsByMarks(content.html ?? '')
    return unmark((await this.#engine.makeBody({ ...content, html, attachments: [] })).text)
  }

  /** A body that cannot be created is not tried again for every message of a campaign. */
  async #shared<T>({ content_id }: Message, made: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await unlessAborted(made, signal)
    } catch (error) {
      if (!(error instanceof MessageBuildError || signal.aborted)) this.#remove(content_id)
      throw error
    }
  }

  #remove(id: string): void {
    this.#kept -= this.#contents.get(id)?.bytes ?? 0
    this.#contents.delete(id)
  }

  /**
   * Creates the message to send. Throws `UnsignableError` without a key or content, `MessageBuildError` if the body
   * exceeds its limits, and the signal’s reason as soon as it aborts. With `masked`, hidden text stays hidden.
   */
  async write(db: Db, message: Message, signal: AbortSignal, { masked = false } = {}): Promise<Letter> {
    const [sender] = await Promise.all([this.#senders.find(db, message.domain_id), this.load(db, [message])])
    const kept = this.#contents.get(message.content_id)
    if (!kept) throw new UnsignableError('The content of the message was deleted.')
    // Shared content is cached. Content of a single message is needed only once.
    if (message.campaign_id === null && !kept.content.recipients) this.#remove(message.content_id)
    const tracking = decideTracking(message, sender?.tracking, this.#installation.origin)
    const body =
      kept.body === undefined || (tracking && kept.content.html !== null)
        ? await this.#ownBody(db, message, kept, { signal, tracking, masked })
        : await this.#shared(message, kept.body, signal)
    return await this.#engine.compose(createLetterRequest(message, kept.content, sender, this.#installation), body)
  }

  /** The plain text is read from the HTML before its links are tracked. */
  async #ownBody(
    db: Db,
    message: Message,
    { content, text, body: shared }: KeptContent,
    { signal, tracking, masked }: { signal: AbortSignal; tracking: Tracking | undefined; masked: boolean },
  ): Promise<Body> {
    const read = text ?? (content.text === null ? shared?.then((body) => body.text) : undefined)
    const template = read === undefined ? content : { ...content, text: await this.#shared(message, read, signal) }
    const personal = shared === undefined ? await this.#personal(db, message, template) : template
    const filled = withoutMarks(personal, masked ? undefined : message, this.#installation)
    const html =
      tracking && filled.html !== null ? trackHtml(filled.html, tracking, this.#installation.secret) : filled.html
    const body = this.#engine.makeBody({ ...filled, html })
    body.catch(() => {})
    return await unlessAborted(body, signal)
  }

  /**
   * Returns the personal content of a campaign message. Campaigns created before placeholders existed are not changed.
   */
  async #personal(db: Db, { id }: Message, content: Content): Promise<Content> {
    const fields = await this.#merges.take(db, id)
    if (fields === undefined) return content
    const { origin, secret } = this.#installation
    if (content.partials !== null) {
      const made = await renderPersonal(content.org_id, content, fields, unsubscribeUrl(origin, id, secret))
      if ('faults' in made) throw new MessageBuildError(`The campaign cannot be rendered: ${toReason(made.faults)}`)
      return made
    }
    const all = { ...fields, [unsubscribeField]: unsubscribeUrl(origin, id, secret) }
    return { ...content, html: filled('html', content.html, all), text: filled('text', content.text, all) }
  }
}

interface KeptContent {
  content: Content
  /** Body shared by all messages. Undefined if each message has its own body. */
  body: Promise<Body> | undefined
  /** Text that is read from the HTML, with its placeholders. Used if the content has no text. */
  text: Promise<string> | undefined
  bytes: number
}

const isPersonal = ({ html, text, partials }: Content): boolean =>
  partials !== null || listPlaceholders(html, text).length > 0

/** Replaces the marks of hidden text for the recipient, or by dots if there is no recipient. */
function withoutMarks(content: Content, message: Message | undefined, { secret }: Installation): Content {
  if (!hasHidden(content)) return content
  const shown = (text: string | null) =>
    text === null ? null : message ? revealText(text, message.to_email, secret) : maskHidden(text)
  return { ...content, html: shown(content.html), text: shown(content.text) }
}

function filled(part: 'html' | 'text', said: string | null, fields: MergeFields): string | null {
  if (said === null) return null
  const written = fillPart(part, said, fields)
  if (written === undefined)
    throw new MessageBuildError(`The ${part} is too long after its placeholders are filled in.`)
  return written
}

/** Stops waiting when the signal aborts. The work continues, because other callers may wait for it. */
async function unlessAborted<T>(made: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  using _ = addAbortListener(signal, () => aborted.reject(signal.reason))
  return await Promise.race([made, aborted.promise])
}

/** Throws `UnsignableError` if the sender has no key. */
export function createLetterRequest(
  message: Message,
  content: Content,
  sender: Sender | null,
  { hostname, origin, secret }: Installation,
): LetterRequest {
  const isTried = message.sandbox && isSimulated(message.to_email)
  // Test messages may use a domain that is not set up, because they never leave this installation.
  if (!sender?.keys.length && !isTried) throw new UnsignableError('No DKIM key of the domain is published.')
  const host = sender?.returnPath ?? hostname
  const canUnsubscribe = message.stream === 'subscribed' || message.stream === 'repermission' || Boolean(message.topic)
  const unsubscribe = canUnsubscribe && {
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
    signer: { domain: sender?.domain ?? getDomain(message.from_email), keys: sender?.keys ?? [] },
  }
}
