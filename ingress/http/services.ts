import type { CountryOf } from '#lib/country.ts'
import type { Dns } from '#lib/dns.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Domains } from '../video/served-domains.ts'
import type { Question } from './questions.ts'

/** Whether a part that the platform stands on answers: resolves when it does, rejects with why not. */
export type Check = (signal: AbortSignal) => Promise<unknown>

/** An operation as the catalogue lists it. */
export interface Listed {
  area: { name: string; title: string; base_path: string }
  id: string
  method: string
  path: string
  summary: string
  scope: string | string[] | null
}

/** What the process lends its routes beside the database. */
export interface Services {
  storage: Storage
  /** Signs playback tokens; the same in every ingress process. */
  signingSecret: string
  /** The country of a viewer's address. */
  countryOf: CountryOf
  /** Whose a host name is. */
  domains: Pick<Domains, 'isOwned' | 'ownerOf'>
  /** Asks DNS servers. */
  dns: Dns
  /** Asks a worker and waits for its answer. */
  ask: Question
  /** The parts whose state the health routes report, by name. */
  checks: Readonly<Record<string, Check>>
  /** Aborts when the process is asked to end: long polls and event streams finish then. */
  stopping: AbortSignal
  /** Every operation that is served and no secret. */
  catalogue(): readonly Listed[]
  /** The OpenAPI document of an area, or of all, as JSON; `origin` is the server's address. */
  document(origin: string, area?: string): string
}
