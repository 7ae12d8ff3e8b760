import { config } from '#lib/config.ts'

/** True if Millrace orders the certificate for email submission. Files in the settings take precedence. */
export const isOrdered = (): boolean =>
  Boolean(config.MAIL_SUBMISSION_HOST && config.ACME_DIRECTORY_URL && !config.MAIL_SUBMISSION_TLS_CERT)

/** Public ports of email submission. Undefined if a port is closed. */
export const submissionPorts = (): { starttls: number | undefined; tls: number | undefined } => ({
  starttls: config.MAIL_SUBMISSION_PORT && (config.MAIL_SUBMISSION_PUBLIC_PORT ?? config.MAIL_SUBMISSION_PORT),
  tls: config.MAIL_SUBMISSIONS_PORT && (config.MAIL_SUBMISSIONS_PUBLIC_PORT ?? config.MAIL_SUBMISSIONS_PORT),
})

/** Returns the host name at which clients submit email. */
export const submissionHost = (): string => config.MAIL_SUBMISSION_HOST ?? config.MAIL_HOSTNAME
