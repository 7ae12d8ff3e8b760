import type { Reply } from '#sql/email/delivery/attempts.ts'

const refuses = ({ code }: Reply): boolean => code !== null && code >= 400

/**
 * Returns the reply that decided an attempt. Undefined if no reply was received. With PIPELINING (RFC 2920), the server
 * also replies to the commands after the rejected command, for example `503 need RCPT command`. If no session was
 * opened, the last rejection decides.
 */
export function findDecidingReply(replies: readonly Reply[]): Reply | undefined {
  const mail = replies.findLastIndex(({ stage }) => stage === 'MAIL')
  if (mail < 0) return replies.findLast(refuses) ?? replies.at(-1)
  return replies.slice(mail).find(refuses) ?? replies.at(-1)
}

export const formatReply = ({ code, enhanced, text }: Pick<Reply, 'code' | 'enhanced' | 'text'>): string =>
  [code, enhanced, text].filter((part) => part !== null && part !== '').join(' ')
