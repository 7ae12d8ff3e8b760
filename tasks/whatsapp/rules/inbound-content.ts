import { isMediaName } from './media-limits.ts'

/** What a person chose of what they were offered. */
export interface Reply {
  /** As it was given with the button or row; of a template's button its payload. */
  id: string
  title: string
}

type Content = Readonly<Record<string, unknown>>

/** The id at Meta of the file that a message is; undefined for one that is none. */
export function mediaIdOf(type: string, content: Content): string | undefined {
  const { id } = content
  return isMediaName(type) && typeof id === 'string' && id.length > 0 && id.length <= 200 ? id : undefined
}

/** The button or row that a message answers with; null for one that is no such answer. */
export function replyOf(type: string, content: Content): Reply | null {
  if (type === 'button') return chosen(content.payload, content.text)
  if (type !== 'interactive') return null
  const { button_reply, list_reply } = content
  const reply = isFields(button_reply) ? button_reply : isFields(list_reply) ? list_reply : undefined
  return reply ? chosen(reply.id, reply.title) : null
}

function chosen(id: unknown, title: unknown): Reply | null {
  if (typeof title !== 'string') return null
  return { id: typeof id === 'string' ? id : title, title }
}

const isFields = (value: unknown): value is Content => typeof value === 'object' && value !== null
