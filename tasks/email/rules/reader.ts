import type { Authentication, Received, ReceivedFile } from '#sql/email/received.ts'

export interface IncomingMail {
  /** Returns the bytes, called when a thread is free. */
  fetch(): Promise<Uint8Array>
  /** MAIL FROM; empty for `<>`. */
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
  /** Null if the header cannot be checked. */
  authentication: Authentication | null
  /** Message-IDs without brackets, the most likely first. */
  answers: string[]
  files: MailFile[]
  /** Number of files above the limit. */
  filesLeftOut: number
}

export class UnreadableError extends Error {
  override name = 'UnreadableError'
}

/** Too much email is being read. Try again soon. */
export class ReaderBusyError extends Error {
  override name = 'ReaderBusyError'
}

export interface MailReader {
  /** Throws `UnreadableError` and `ReaderBusyError`. */
  read(mail: IncomingMail, signal: AbortSignal): Promise<ReadMail>
}
