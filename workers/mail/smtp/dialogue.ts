import { outsideText } from '#lib/outside-text.ts'
import type { Reply } from '#sql/email/attempts.ts'

/** How much of a reply's text is kept. */
const longest = 500

/** Takes down what the other side replies, and to which command: the commands wait in the order in which they were sent. */
export class Dialogue {
  /** The replies since the attempt began. */
  replies: Reply[] = []
  #begun = performance.now()
  #awaited: string[] = ['greeting']

  /** Begins another attempt. */
  restart(): void {
    this.replies = []
    this.#begun = performance.now()
  }

  /** Whether the final dot is sent and not answered: nobody knows then what became of the message. */
  get awaitsDot(): boolean {
    return this.#awaited[0] === 'DOT'
  }

  /** Notes something that is no reply: that a host could not be reached, or a name not be looked up. */
  note(stage: string, text: string): void {
    this.replies.push({ stage, code: null, enhanced: null, text: outsideText(text, longest), ms: this.#elapsed() })
  }

  /** What nodemailer tells of a session, as a logger of it. */
  readonly logger = {
    level: () => {},
    trace: () => {},
    info: (entry: { tnx?: string }) => {
      // Told when the last byte of a message was handed to the socket.
      if (entry.tnx === 'message') this.#awaited.push('DOT')
    },
    debug: (entry: { tnx?: string }, text: string) => {
      if (entry.tnx === 'client') this.#awaited.push(commandOf(text))
      else if (entry.tnx === 'server') this.#reply(text)
    },
    warn: () => {},
    error: () => {},
    fatal: () => {},
  }

  #reply(line: string): void {
    const stage = this.#awaited.shift() ?? 'unasked'
    if (stage.startsWith('AUTH') && line.startsWith('334')) this.#awaited.unshift(stage)
    this.replies.push({ stage, ...readReply(line), ms: this.#elapsed() })
  }

  #elapsed = () => Math.round(performance.now() - this.#begun)
}

/** The command alone: what comes behind it may be a secret. */
const commandOf = (line: string): string => /^[A-Z]+/.exec(line)?.[0].replace('HELO', 'EHLO') ?? 'AUTH'

/** Code, enhanced code and text of a reply; each line of one repeats both codes (RFC 5321 §4.2.1, RFC 2034 §4). */
export function readReply(reply: string): Pick<Reply, 'code' | 'enhanced' | 'text'> {
  const lines = reply.split(/\r?\n/)
  const [, code] = /^(\d{3})/.exec(lines[0] ?? '') ?? []
  const [, enhanced] =
    /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(lines.at(-1) ?? '') ??
    /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/.exec(lines[0] ?? '') ??
    []
  const text = lines.map((line) => line.replace(/^\d{3}[ -]?(?:[245]\.\d{1,3}\.\d{1,3}(?!\S) ?)?/, '').trim())
  return {
    code: code === undefined ? null : Number(code),
    enhanced: enhanced ?? null,
    text: outsideText(text.filter(Boolean).join(' '), longest),
  }
}
