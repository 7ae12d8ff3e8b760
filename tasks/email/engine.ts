import type { KeyObject } from 'node:crypto'
import type { Attempt, Reply } from '#sql/email/attempts.ts'
import type { Content } from '#sql/email/contents.ts'
import type { Message } from '#sql/email/messages.ts'
import type { Preset } from './rules/delivery/presets.ts'
import type { LocalAddress } from './rules/ip-addresses.ts'

/** A host that takes mail. */
export interface Host {
  name: string
  /** Its addresses that may be reached; throws when they are not to be had. */
  addresses(): Promise<readonly string[]>
}

/** What is asked of TLS: `verified` with a certificate of that name, or nothing is sent. */
export type TlsDemand = 'none' | 'opportunistic' | 'required' | 'verified'

/** Where the mail of a domain goes. */
export interface Route {
  /** The names of its hosts as one text: who has the same shares connections and limits. */
  mxSet: string
  /** In the order in which they are tried. */
  hosts: readonly Host[]
  port: number
  preset: Preset
  tls: TlsDemand
  /** TLS from the first byte. */
  implicit: boolean
  login?: { user: string; pass: string } | undefined
  /** The hosts are not the recipients': what they take is sent, not delivered. */
  isSmarthost: boolean
  /** It ends on this machine: it is taken from no address in particular, and warms up none. */
  isLocal?: true
}

/** Why mail to a domain has no route now, or never will. */
export interface NoRoute {
  /** The name of a class (rules/classes.ts). */
  replyClass: 'invalid_domain' | 'dns' | 'routing' | 'loop' | 'mta_sts'
  enhanced: string
  text: string
}

/** What follows the header of a message, with the fields that describe it. */
export interface Body {
  /** `MIME-Version` and `Content-…`, each with its CRLF. */
  fields: string
  bytes: Buffer
  /** It has octets above 127 (RFC 6152): a message that is attached to it. */
  is8Bit: boolean
  /** Of its relaxed form (RFC 6376 §3.4.4): bh= of its signatures. */
  hash: string
  /** What its plain part says: as it was given, or read from the HTML. */
  text: string
}

/** What a body is made of; organisations share the threads in which large ones are. */
export type BodyContent = Pick<Content, 'org_id' | 'html' | 'text' | 'attachments'>

/** A body can't be made, whoever tries: what is said is too costly to be read. */
export class Unmade extends Error {
  override name = 'Unmade'
}

/** A key that a domain's mail is signed with. */
export interface SigningKey {
  selector: string
  algorithm: 'rsa-sha256' | 'ed25519-sha256'
  key: KeyObject
}

/** How a message goes to its server. */
export interface Envelope {
  /** MAIL FROM: the envelope sender, by which a bounce is known. */
  from: string
  to: string
  /** ENVID (RFC 3461 §4.4). */
  envelopeId: string
}

/** What a header says beside what the message itself does. */
export interface HeaderFacts {
  /** `campaign:organisation:stream:installation`, the first where there is one, by which Gmail sums up complaints. */
  feedbackId: string
  /** RFC 2369 and 8058; undefined for mail that nobody has subscribed to. */
  unsubscribe: { url: string; address: string } | undefined
}

/** What the letter of a message is made of beside its body. */
export interface LetterRequest extends HeaderFacts {
  envelope: Envelope
  message: Pick<Message, 'from_email' | 'from_name' | 'to_email' | 'subject' | 'message_id' | 'created_at'> &
    Partial<Pick<Message, 'send_at' | 'to_written' | 'from_written'>>
  content: Pick<Content, 'reply_to' | 'headers'> & Partial<Pick<Content, 'recipients'>>
  /** It is signed with each of the keys. */
  signer: { domain: string; keys: readonly SigningKey[] }
}

/** A message ready to be sent. */
export interface Letter extends Envelope {
  bytes: Buffer
  /** BODY=8BITMIME (RFC 6152). */
  is8Bit: boolean
}

/** One address of a host that takes mail. */
export interface Peer {
  host: string
  address: string
  port: number
}

/** What came of one message. */
export type SendResult = {
  /** In their order, with those of hosts that were tried in vain before. */
  replies: readonly Reply[]
} & (
  | {
      /** `unknown`: the dot was sent, and no reply came; `broken`: the connection broke before. */
      outcome: 'accepted' | 'refused' | 'unknown' | 'broken'
      /** The reply that decided it; of a broken connection the error. */
      reply: Pick<Reply, 'stage' | 'code' | 'enhanced' | 'text'>
      peer: Peer
      tls: Attempt['tls']
    }
  | {
      /** No host of the MX set could be spoken to. */
      outcome: 'unreachable'
      /** The last one that was tried. */
      peer: Peer | undefined
      /** What is demanded of TLS was not to be had. */
      lacksTls: boolean
    }
)

/** A connection to an MX set: a session after another, as long as each is good; begun with the first message. */
export interface MailConnection {
  /**
   * Sends a message; undefined when it was not tried: `mayLeave`, which is asked once there is a session, does not hold, or the
   * signal aborted before the final dot.
   */
  send(letter: Letter, mayLeave: () => Promise<boolean>): Promise<SendResult | undefined>
  /** Keeps the session for whoever connects to the same MX set from the same address next. */
  end(): void
}

/** What delivers mail on a worker: sessions with MX hosts or a smarthost, MIME, DKIM (workers/mail). */
export interface MailEngine {
  /** Where a domain's mail goes, or why it goes nowhere now. */
  route(domain: string): Promise<Route | NoRoute>
  /** The IP addresses of a host in DNS; throws when DNS does not answer. */
  addresses(host: string): Promise<readonly string[]>
  /** Makes a body; throws `Unmade` when that takes more than it may. */
  makeBody(content: BodyContent): Promise<Body>
  /** Makes the letter of a message: its header, with a signature of each key in front, and its body. */
  compose(request: LetterRequest, body: Body): Promise<Letter>
  /** A connection to a route's hosts from an address of ours. */
  connect(route: Route, address: LocalAddress, signal: AbortSignal): MailConnection
  /** Ends idle sessions, and the threads in which bodies are made. */
  close(): Promise<void>
}

/** The connections that a worker holds: others leave them alone as long as its lease in `jobs.workers` holds. */
export interface ConnectionHolder {
  workerId: string
  /** Ids of those that it takes and has; what is on record as its own beside them is given back (workers/mail). */
  connections: Set<string>
}
