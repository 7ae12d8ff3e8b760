import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/** Message, domain, and the host of the link if it is a customer’s. */
const Open = z.object({ m: Id, d: Id, h: z.string().optional() })

const Click = Open.extend({ u: z.string() })

export type OpenToken = z.infer<typeof Open>
export type ClickToken = z.infer<typeof Click>

export interface LinkPlace {
  messageId: string
  domainId: string
  /** Host of the customer. Null for the host of the API. */
  host: string | null
  /** URL of the API. */
  origin: string
}

const payloadOf = ({ messageId, domainId, host }: LinkPlace) => ({
  m: messageId,
  d: domainId,
  ...(host !== null && { h: host }),
})

/** Port at which players and readers reach customers’ hosts. */
const port = () => {
  const number = config.TLS_PUBLIC_PORT ?? config.TLS_PORT ?? 443
  return number === 443 ? '' : `:${number}`
}

const baseOf = ({ host, origin }: LinkPlace) => (host === null ? origin : `https://${host}${port()}`)

export const openUrl = (place: LinkPlace, secret: string): string =>
  `${baseOf(place)}/o/${signToken('email open', payloadOf(place), secret)}`

/** The target is part of the signed token. So the link cannot lead to any other place. */
export const clickUrl = (place: LinkPlace, target: string, secret: string): string =>
  `${baseOf(place)}/c/${signToken('email click', { ...payloadOf(place), u: target }, secret)}`

export const readOpenToken = (token: string, secret: string): OpenToken | null =>
  verifyToken('email open', token, secret, Open)

export const readClickToken = (token: string, secret: string): ClickToken | null =>
  verifyToken('email click', token, secret, Click)
