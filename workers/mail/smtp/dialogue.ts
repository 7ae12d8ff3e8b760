import { toStorableText } from '#lib/outside-text.ts'
import type { Reply } from '#sql/email/delivery/attempts.ts'

const longest = 500

/** Records replies with their commands, in the order in which the commands were sent. */
export class Dialogue {
  replies: Reply[] = []
  #begun = performance.now()
  #awaited: string[] = ['greeting']

  restart(): void {
    this.replies = []
    this.#begun = performance.now()
  }

  /** True if the final dot was sent and no reply was received: the result is unknown. */
  get awaitsDot(): boolean {
    return this.#awaited[0] === 'DOT'
  }

  /** Records an event without a reply, for example a failed connection or lookup. */
  note(stage: string, text: string): void {
    this.replies.push({ stage, code: null, enhanced: null, text: toStorableText(text, longest), ms: this.#elapsed() })
  }

  /** Logger for nodemailer that receives the dialogue of a session. */
  readonly logger = {
    level: () => {},
    trace: () => {},
    info: (entry: { tnx?: string }) => {
      // Called when the last byte of a message was written to the socket.
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

/** Returns only the command, because its parameters may be secret. */
const commandOf = (line: string): string => /^[A-Z]+/.exec(line)?.[0].replace('HELO', 'EHLO') ?? 'AUTH'

/** Parses a reply. Each line of a reply repeats both codes (RFC 5321 §4.2.1, RFC 2034 §4). */
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
    text: toStorableText(text.filter(Boolean).join(' '), longest),
  }
}
