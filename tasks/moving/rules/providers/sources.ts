import type { Part, Provider } from '#sql/moving/imports.ts'
import { mux } from './mux.ts'
import { postmark } from './postmark.ts'
import { resend } from './resend.ts'
import { sendgrid } from './sendgrid.ts'
import type { Source } from './source.ts'

/** Lists that the API of each provider has, in the order of reading. OneSignal is imported from its CSV export. */
export const sources: Readonly<Record<Provider, readonly Source[]>> = { resend, postmark, sendgrid, onesignal: [], mux }

/** Parts that can be imported from a file, by provider. */
export const fileParts: Readonly<Record<Provider, readonly Part[]>> = {
  resend: ['templates', 'suppressions', 'contacts'],
  postmark: ['templates', 'suppressions', 'contacts'],
  sendgrid: ['templates', 'suppressions', 'contacts'],
  onesignal: ['devices'],
  mux: [],
}

export const partsOf = (provider: Provider): Part[] => [...new Set(sources[provider].map(({ part }) => part))]

/** Headers of requests with the customer’s key. A key of Mux is `id:secret`. */
export function headersOf(provider: Provider, key: string): Record<string, string> {
  if (provider === 'postmark') return { 'x-postmark-server-token': key }
  if (provider === 'mux') return { authorization: `Basic ${Buffer.from(key).toString('base64')}` }
  return { authorization: `Bearer ${key}` }
}
