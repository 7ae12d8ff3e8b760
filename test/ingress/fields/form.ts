import { uniqueText } from './samples.ts'

type Fields = Record<string, unknown>

/** What the schema of a form does not show. */
export interface Form {
  /** Values of fields that have a form of their own, or that belong together. */
  values?: (made: Made) => Fields
  /** Fields that the first body does not have, with the reason. */
  apart?: Readonly<Record<string, string>>
  /** Further whole bodies, for fields that exclude others. */
  also?: readonly ((made: Made) => Fields)[]
  /** Parameters of the path that are not the ID of what was made before. */
  params?: Readonly<Record<string, (made: Made) => string>>
  /** The paths that show what was written, if no operation at the same path does. */
  read?: (made: Made) => string | readonly string[]
  /** Fields that no read shows, with the reason. */
  unshown?: Readonly<Record<string, string>>
  /** Fields that test messages do not show, with the reason. */
  untested?: Readonly<Record<string, string>>
  /** Fields whose values an archive does not have, with the reason. */
  unexported?: Readonly<Record<string, string>>
}

/** Returns a field of what was made at a path. */
export type Made = (path: string, field?: string) => string

/** What fields name that are IDs of something made before, by the path where it is made. */
export const references: Readonly<Record<string, readonly string[]>> = {
  app_id: ['/push/v1/apps'],
  template_id: ['/push/v1/templates', '/send/v1/templates'],
  segment_id: ['/send/v1/segments'],
  site_id: ['/v1/guard/sites'],
  key_id: ['/v1/account/keys'],
  source_id: ['/v1/wiki/sources'],
  entity_id: ['/v1/wiki/entities'],
}

/** Fields that no operation stores, with the reason. */
export const unstored: Readonly<Record<string, string>> = {
  idempotency_key: 'Stored with the reply for a day.',
  idempotencyKey: 'Stored with the reply for a day.',
  browser: 'Signed into the upload token.',
  base_version: 'Compared with the present version.',
}

export const people = () => `${uniqueText()}@people.example`
export const sender = () => `${uniqueText()}@shop.example`
export const page = () => `https://www.example.org/${uniqueText()}`
export const fieldsOf = (names: string, reason: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, reason]))
/** The number of a person who has just written. The test adds the conversation. */
export const reachable = '+37253999999'
/** The number that callers see. The test adds it. */
export const ownNumber = '+3726000001'
/** The alias of a layout. The test adds it. */
export const ownLayout = 'own-layout'
export const message = () => ({
  stream: 'transactional',
  from: { email: sender(), name: uniqueText() },
  to: people(),
  cc: [people()],
  bcc: [people()],
  subject: uniqueText(),
  text: uniqueText(),
  html: `<p>${uniqueText()}</p>`,
  reply_to: people(),
  headers: { 'x-order': uniqueText() },
  attachments: [
    { filename: `${uniqueText()}.txt`, content_type: 'text/plain', content: 'eA==', content_id: uniqueText() },
  ],
})
export const order = { position: 'The order of `videos`.' }
