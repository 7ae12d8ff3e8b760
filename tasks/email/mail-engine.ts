/** What delivers mail on a worker: connections to MX hosts or a smarthost, MIME, DKIM (workers/mail). */
export interface MailEngine {
  /** Ends idle connections. */
  close(): Promise<void>
}
