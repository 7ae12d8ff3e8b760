import type { Message } from '#sql/whatsapp/messages.ts'
import { getReply } from '../../../whatsapp/rules/inbound-content.ts'
import { isMediaName } from '../../../whatsapp/rules/media-limits.ts'
import { cleanText } from './clean-text.ts'

/** Content of a received message, as people and the bot read it. */
export interface Said {
  content: string
  /** False if the bot cannot read the message, for example an image without a caption. */
  readable: boolean
}

/** Returns the text of a WhatsApp message. A placeholder stands for a file. Returns `null` for a reaction. */
export function readWhatsapp({ type, content }: Pick<Message, 'type' | 'content'>): Said | null {
  if (type === 'reaction') return null
  const text = cleanText(textOf(type, content))
  const placeholder = type === 'text' || getReply(type, content) ? '' : `[${placeholderOf(type, content)}]`
  if (text === '') return { content: placeholder || '[empty message]', readable: false }
  return { content: placeholder ? `${placeholder}\n${text}` : text, readable: true }
}

function textOf(type: string, content: Message['content']): string {
  const reply = getReply(type, content)
  if (reply) return reply.title
  const { body, caption } = content
  const text = type === 'text' ? body : isMediaName(type) ? caption : undefined
  return typeof text === 'string' ? text : ''
}

function placeholderOf(type: string, { filename }: Message['content']): string {
  if (type === 'document' && typeof filename === 'string') return `document: ${cleanText(filename).slice(0, 100)}`
  return /^[a-z_]{1,30}$/.test(type) ? type : 'unsupported message'
}
