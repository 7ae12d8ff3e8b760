import { config } from '#lib/config.ts'

/** True if Millrace orders the certificate for email submission. Files in the settings take precedence. */
export const isOrdered = (): boolean =>
  Boolean(config.MAIL_SUBMISSION_HOST && config.ACME_DIRECTORY_URL && !config.MAIL_SUBMISSION_TLS_CERT)

/** Returns the host name at which clients submit email. */
export const submissionHost = (): string => config.MAIL_SUBMISSION_HOST ?? config.MAIL_HOSTNAME
