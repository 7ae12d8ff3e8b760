import { config } from '#lib/config.ts'

/** The host at which every organisation may have addresses, `<slug>@in.<MAIL_HOSTNAME>`. */
export const inboundHost = (): string => `in.${config.MAIL_HOSTNAME}`
