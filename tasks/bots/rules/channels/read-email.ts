import type { Received } from '#sql/email/received.ts'
import { cleanText } from './clean-text.ts'
import type { Said } from './read-whatsapp.ts'

/** Maximum number of files that are named. */
const mostNamed = 10

/**
 * Returns the text of an email without quoted email and signature. The first email of a conversation has its subject,
 * because many people ask in the subject.
 */
export function readEmail(
  { subject, reply, text, attachments }: Pick<Received, 'subject' | 'reply' | 'text' | 'attachments'>,
  isFirst: boolean,
): Said {
  const written = cleanText(reply ?? text ?? '')
  const title = isFirst ? cleanText(subject ?? '').replaceAll(/\s+/g, ' ') : ''
  const files = attachments
    .filter(({ inline }) => !inline)
    .slice(0, mostNamed)
    .map(({ filename }) => `[file: ${cleanText(filename).slice(0, 100)}]`)
  const content = [title, written, files.join('\n')].filter((part) => part !== '').join('\n\n')
  const readable = written !== '' || title !== ''
  return { content: content || '[empty message]', readable }
}
