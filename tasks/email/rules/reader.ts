import type { Authentication, Received, ReceivedFile } from '#sql/email/received.ts'

/** A mail that came, and by whom. */
export interface BroughtMail {
  /** Its bytes, once there is a thread for it. */
  fetch(): Promise<Uint8Array>
  /** MAIL FROM; empty for `<>`. */
  sender: string
  /** Of the server that brought it. */
  remoteAddress: string
  helo: string
}

/** A file in a mail. */
export interface MailFile extends Omit<ReceivedFile, 'object_id' | 'refused' | 'bytes'> {
  content: Uint8Array
}

/** What a mail says. */
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
  /** Null when its header is one that no check can make anything of. */
  authentication: Authentication | null
  /** Message-IDs that it may answer, without brackets: the likeliest first. */
  answers: string[]
  files: MailFile[]
  /** Files that are more than are read. */
  filesLeftOut: number
}

/** A mail cannot be read, whoever tries. */
export class Unreadable extends Error {
  override name = 'Unreadable'
}

/** Too much mail is being read: it is to be tried again soon. */
export class ReaderBusy extends Error {
  override name = 'ReaderBusy'
}

/** What reads mail that came in, and checks its sender by SPF, DKIM and DMARC (workers/mail/received). */
export interface MailReader {
  /** Reads a mail; throws `Unreadable` and `ReaderBusy`. */
  read(mail: BroughtMail, signal: AbortSignal): Promise<ReadMail>
}
