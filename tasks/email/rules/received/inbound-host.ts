import { config } from '#lib/config.ts'

/** Returns the host for addresses of all organisations: `<slug>@in.<MAIL_HOSTNAME>`. */
export const inboundHost = (): string => `in.${config.MAIL_HOSTNAME}`
