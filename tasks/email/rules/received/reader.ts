import type { Authentication, Received, ReceivedFile } from '#sql/email/received.ts'

export interface IncomingMail {
  /** Returns the bytes. Called when a thread is free. */
  fetch(): Promise<Uint8Array>
  /** Address in MAIL FROM. Empty for `<>`. */
  sender: string
  remoteAddress: string
  helo: string
}

export interface MailFile extends Omit<ReceivedFile, 'object_id' | 'refused' | 'bytes'> {
  content: Uint8Array
}

export interface ReadMail
  extends Pick<
    Received,
    | 'from_email'
    | 'from_name'
    | 'to_emails'
    | 'subject'
    | 'message_id'
    | 'auto_submitted'
    | 'no_auto_reply'
    | 'text'
    | 'html'
    | 'reply'
    | 'headers'
  > {
  /** Null if the authentication cannot be checked from the header. */
  authentication: Authentication | null
  /** Message-IDs of the emails that this email replies to, without brackets, the most likely first. */
  answers: string[]
  files: MailFile[]
  /** Number of files that were omitted because of the limit. */
  filesLeftOut: number
}

export class UnreadableError extends Error {
  override name = 'UnreadableError'
}

/** Thrown if too much email is being read. Retry soon. */
export class ReaderBusyError extends Error {
  override name = 'ReaderBusyError'
}

export interface MailReader {
  /** Throws `UnreadableError` and `ReaderBusyError`. */
  read(mail: IncomingMail, signal: AbortSignal): Promise<ReadMail>
}
