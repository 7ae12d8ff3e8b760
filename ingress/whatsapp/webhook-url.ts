import { config, publicUrl } from '#lib/config.ts'

/**
 * Returns the webhook URL of a number. The URL uses the API's host, because the dashboard can have a different host.
 */
export const webhookUrl = (origin: string, id: string): string =>
  `${config.PUBLIC_URL === undefined ? origin : publicUrl()}/v1/whatsapp/webhook/${id}`
