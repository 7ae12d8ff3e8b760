import { config, publicUrl } from '#lib/config.ts'

/** Returns the path to which a provider reports the status of messages, or sends received messages. */
export const callbackPath = (providerId: string, what: 'status' | 'inbound', messageId?: string): string =>
  `/v1/sms/callbacks/${providerId}/${what}${messageId === undefined ? '' : `?message=${messageId}`}`

/** Returns the base of callback URLs: the API's host, because the dashboard can have a different host. */
export const callbackBase = (origin: string): string => (config.PUBLIC_URL === undefined ? origin : publicUrl())

export const callbackUrl = (providerId: string, what: 'status' | 'inbound', messageId?: string): string =>
  publicUrl() + callbackPath(providerId, what, messageId)
