import { config, publicUrl } from '#lib/config.ts'

/** Where Meta sends webhooks of a number: the dashboard, from which it may be connected, may have a host of its own. */
export const webhookUrl = (origin: string, id: string): string =>
  `${config.PUBLIC_URL === undefined ? origin : publicUrl()}/v1/whatsapp/webhook/${id}`
