import type { Provider } from '#sql/moving/imports.ts'
import { templateOf as postmark } from '../providers/postmark.ts'
import { templateOf as resend } from '../providers/resend.ts'
import { templateOf as sendgrid } from '../providers/sendgrid.ts'
import type { Given } from '../providers/source.ts'

const readers: Readonly<Partial<Record<Provider, (given: unknown) => Given | string>>> = { resend, postmark, sendgrid }

/** Reads a template in the JSON form of the provider’s API. Returns what is wrong with it as a text. */
export const templateOf = (provider: Provider, given: unknown): Given | string =>
  readers[provider]?.(given) ?? 'cannot be imported from this provider'
