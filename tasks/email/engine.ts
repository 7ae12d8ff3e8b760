import type { KeyObject } from 'node:crypto'
import type { Content } from '#sql/email/contents.ts'
import type { Attempt, Reply } from '#sql/email/delivery/attempts.ts'
import type { Message } from '#sql/email/messages.ts'
import type { Preset } from './rules/delivery/presets.ts'
import type { LocalAddress } from './rules/ip-addresses.ts'

export interface Host {
  name: string
  /** Returns the IP addresses that can be reached. Throws if they are unavailable. */
  addresses(): Promise<readonly string[]>
}

/** Required TLS. `verified`: the server must have a certificate for the host name; otherwise nothing is sent. */
export type TlsDemand = 'none' | 'opportunistic' | 'required' | 'verified'

export interface Route {
  /** The host names as one string. Routes with the same string share connections and limits. */
  mxSet: string
  hosts: readonly Host[]
  port: number
  preset: Preset
  tls: TlsDemand
  /** True if TLS starts with the first byte. */
  implicit: boolean
  login?: { user: string; pass: string } | undefined
  /** True if the hosts are not the recipients’ own hosts. Accepted messages then become `sent`, not `delivered`. */
  isSmarthost: boolean
  /** True if the route ends on this machine: it uses no specific sending address and needs no warm-up. */
  isLocal?: true
}

export interface NoRoute {
  /** Name of a class in rules/classes.ts. */
  replyClass: 'invalid_domain' | 'dns' | 'routing' | 'loop' | 'mta_sts'
  enhanced: string
  text: string
}

export interface Body {
  /** Header fields `MIME-Version` and `Content-…`, each with its CRLF. */
  fields: string
  bytes: Buffer
  /** True if the body has octets above 127 (RFC 6152), for example from an attached message. */
  is8Bit: boolean
  /** Hash of the relaxed body (RFC 6376 §3.4.4): the bh= value of the signatures. */
  hash: string
  /** Plain text: the given text, or text that is read from the HTML. */
  text: string
}

/** Includes `org_id`, because organisations share the threads that create large bodies. */
export type BodyContent = Pick<Content, 'org_id' | 'html' | 'text' | 'attachments'>

/** Thrown if the body exceeds its limits. A retry on another worker would also fail. */
export class MessageBuildError extends Error {
  override name = 'MessageBuildError'
}

export interface SigningKey {
  selector: string
  algorithm: 'rsa-sha256' | 'ed25519-sha256'
  key: KeyObject
}

export interface Envelope {
  /** Address for MAIL FROM: the envelope sender, which identifies a bounce. */
  from: string
  to: string
  /** Value of ENVID (RFC 3461 §4.4). */
  envelopeId: string
}

export interface HeaderFacts {
  /**
   * `campaign:organisation:stream:installation`. The first part is present only for campaigns. Gmail aggregates
   * complaints by this value.
   */
  feedbackId: string
  /** For RFC 2369 and RFC 8058. Undefined for messages without a subscription. */
  unsubscribe: { url: string; address: string } | undefined
}

export interface LetterRequest extends HeaderFacts {
  envelope: Envelope
  message: Pick<Message, 'from_email' | 'from_name' | 'to_email' | 'subject' | 'message_id' | 'created_at'> &
    Partial<Pick<Message, 'send_at' | 'to_written' | 'from_written'>>
  content: Pick<Content, 'reply_to' | 'headers'> & Partial<Pick<Content, 'recipients'>>
  signer: { domain: string; keys: readonly SigningKey[] }
}

export interface Letter extends Envelope {
  bytes: Buffer
  /** True if BODY=8BITMIME is used (RFC 6152). */
  is8Bit: boolean
}

export interface Peer {
  host: string
  address: string
  port: number
}

export type SendResult = {
  /** In order, including rejections by hosts that were tried before. */
  replies: readonly Reply[]
} & (
  | {
      /**
       * `unknown`: the final dot was sent, but no reply was received. `broken`: the connection broke before the final
       * dot.
       */
      outcome: 'accepted' | 'refused' | 'unknown' | 'broken'
      /** Reply that decided the result. For a broken connection, the error. */
      reply: Pick<Reply, 'stage' | 'code' | 'enhanced' | 'text'>
      peer: Peer
      tls: Attempt['tls']
    }
  | {
      outcome: 'unreachable'
      peer: Peer | undefined
      /** True if the required TLS was not available. */
      lacksTls: boolean
    }
)

/** A connection to an MX set: a series of sessions. The first session opens with the first message. */
export interface MailConnection {
  /**
   * Sends a message. When a session exists, `mayLeave` is called once. Returns undefined if the message was not tried,
   * because `mayLeave` returned false or the signal aborted before the final dot.
   */
  send(letter: Letter, mayLeave: () => Promise<boolean>): Promise<SendResult | undefined>
  /** Ends this use and keeps the session for the next connection from the same address to the same MX set. */
  end(): void
}

export interface MailEngine {
  route(domain: string): Promise<Route | NoRoute>
  /** Returns the IP addresses of a host. Throws if DNS does not respond. */
  addresses(host: string): Promise<readonly string[]>
  /** Throws `MessageBuildError` if the body exceeds its limits. */
  makeBody(content: BodyContent): Promise<Body>
  /** Creates the message to send: a signature of each key, the header and the body. */
  compose(request: LetterRequest, body: Body): Promise<Letter>
  connect(route: Route, address: LocalAddress, signal: AbortSignal): MailConnection
  close(): Promise<void>
}

/** Connections of a worker. Other workers do not use them while the worker’s lease in `jobs.workers` is valid. */
export interface ConnectionHolder {
  workerId: string
  /** IDs of its connections. Other connections recorded for this worker are released (workers/mail). */
  connections: Set<string>
}
