import { isMediaName } from './media-limits.ts'

export interface Reply {
  /** ID of the button or row. For a template's button, its payload. */
  id: string
  title: string
}

type Content = Readonly<Record<string, unknown>>

export function getMediaId(type: string, content: Content): string | undefined {
  const { id } = content
  return isMediaName(type) && typeof id === 'string' && id.length > 0 && id.length <= 200 ? id : undefined
}

export function getReply(type: string, content: Content): Reply | null {
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
