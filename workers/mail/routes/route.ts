import type { Preset } from '../limits/presets.ts'
import type { TlsDemand } from '../smtp/session.ts'

/** A host that takes mail. */
export interface Host {
  name: string
  /** Its addresses that may be reached; throws when they are not to be had. */
  addresses(): Promise<readonly string[]>
}

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
}

/** Why mail to a domain has no route now, or never will. */
export interface NoRoute {
  /** The name of a class (tasks/email/rules). */
  replyClass: 'invalid_domain' | 'dns' | 'routing' | 'loop' | 'mta_sts'
  enhanced: string
  text: string
}
