import ipaddr from 'ipaddr.js'
import type { Message } from '#sql/email/messages.ts'

export type MessageWords = Partial<Pick<Message, 'to_email' | 'from_email' | 'from_name' | 'subject'>>

export interface ReplyWords {
  /**
   * What the server says about the recipient: the reply without email addresses, and without phrases and domains of the
   * message.
   */
  text: string
  /**
   * What the server says against the message or its sender: `text` also without single words of the message, such as a
   * local part.
   */
  blame: string
}

export function getReplyWords(
  reply: string,
  { to_email, from_email, from_name, subject }: MessageWords = {},
): ReplyWords {
  const parts = [to_email, from_email].flatMap((address) => address?.split('@') ?? [])
  const own = [...parts, from_name, subject].flatMap((said) => said?.trim() || [])
  // A one-word subject such as "User" must not change what the server says about the recipient.
  const [phrases, words] = [own.filter(isPhrase), own.filter((said) => !isPhrase(said))]
  const text = without(withoutAddresses(reply), phrases)
  return { text, blame: without(text, words) }
}

const withoutAddresses = (reply: string): string =>
  reply
    .split(/([\s<>()[\]"',;])/)
    .filter((part) => !part.includes('@'))
    .join('')

const isPhrase = (said: string): boolean => /[\s.:]/.test(said) && said.length > 3

/** Removes whole phrases, longest first, ignoring case. */
const without = (reply: string, phrases: readonly string[]): string =>
  phrases.toSorted((a, b) => b.length - a.length).reduce(withoutPhrase, reply)

function withoutPhrase(reply: string, phrase: string): string {
  const [lower, wanted] = [reply.toLowerCase(), phrase.toLowerCase()]
  let left = ''
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    if (at < from || isPartOfWord(lower, at, end)) continue
    left += reply.slice(from, at)
    from = end
  }
  return left + reply.slice(from)
}

const isPartOfWord = (text: string, at: number, end: number): boolean => isWord(text[at - 1]) || isWord(text[end])

const isWord = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}]/u.test(letter)

/** True if a reply names one of these IP addresses or host names outside an email address. */
export function mentionsAny(reply: string, names: readonly string[]): boolean {
  const tokens = new Set(
    withoutAddresses(reply)
      .split(/[^\w.:-]+/)
      .flatMap(formsOf),
  )
  return names.some((name) => name !== '' && tokens.has(canonical(name)))
}

function formsOf(token: string): string[] {
  const bare = token.replace(/[.:-]{1,3}$/, '')
  return [canonical(token), canonical(bare)]
}

const canonical = (name: string): string =>
  ipaddr.isValid(name) && /[.:]/.test(name) ? ipaddr.process(name).toString() : name.toLowerCase()
