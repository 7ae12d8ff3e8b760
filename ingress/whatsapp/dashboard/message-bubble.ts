import { changeHidden, maskHidden } from '#lib/hidden-text.ts'
import type { Message } from '#sql/whatsapp/messages.ts'
import type { Template } from '#sql/whatsapp/templates.ts'
import { formatInstant } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { type Bubble, toBubble } from './bubble.ts'

export type TemplateOf = (name: string, language: string) => Template | undefined

const textIn = (value: unknown, name: string): string | undefined => {
  const found = (value as Record<string, unknown> | null | undefined)?.[name]
  return typeof found === 'string' && found !== '' ? found : undefined
}

const partIn = (value: unknown, name: string): unknown => (value as Record<string, unknown> | null | undefined)?.[name]

/** Returns a message as a bubble with a link to its page. */
export function messageBubble(message: Message, templateOf: TemplateOf): Bubble {
  const { status, error, direction, created_at } = message
  const isReceived = direction === 'inbound'
  const state = html`${message.fell_back && 'fallback template, '}${!isReceived && html`<a href="/app/whatsapp/messages/${message.id}"${error && html` class="bad"`}>${status === 'sending' ? 'queued' : status}</a> `}${formatInstant(created_at).slice(0, 16)} UTC`
  return { ...contentOf(message, templateOf), isReceived, state }
}

function contentOf({ type, ...message }: Message, templateOf: TemplateOf): Bubble {
  const content = changeHidden(message.content, maskHidden)
  // Received text has the content of the webhook, where the text is under the name of its type.
  const own = partIn(content, type) ?? content
  switch (type) {
    case 'text':
      return { text: textIn(own, 'body') ?? '' }
    case 'template':
      return templateBubble(content, templateOf)
    case 'interactive':
      return interactiveBubble(own)
    case 'reaction':
      return { text: textIn(own, 'emoji') ?? '(reaction removed)' }
    case 'button':
      return { text: textIn(own, 'text') ?? '' }
    case 'location':
      return { media: 'location', text: [textIn(own, 'name'), textIn(own, 'address')].filter(Boolean).join('\n') }
    default:
      return { media: [type, textIn(own, 'filename')].filter(Boolean).join(' '), text: textIn(own, 'caption') ?? '' }
  }
}

interface Parameters {
  type?: string
  index?: number
  parameters?: { type?: string; text?: string; parameter_name?: string }[]
}

function templateBubble(content: Message['content'], templateOf: TemplateOf): Bubble {
  const name = textIn(content, 'name') ?? ''
  const language = textIn(content.language, 'code') ?? ''
  const given = (Array.isArray(content.components) ? content.components : []) as Parameters[]
  const values = new Map(
    given.flatMap(({ type = '', parameters = [] }) =>
      parameters.map((one, i) => [`${type} ${one.parameter_name ?? i + 1}`, one.text ?? ''] as const),
    ),
  )
  const known = templateOf(name, language)
  if (known) return toBubble(known, values)
  return { header: `Template ${name} (${language})`, text: [...values.values()].join('\n') }
}

function interactiveBubble(own: unknown): Bubble {
  const answer = partIn(own, 'button_reply') ?? partIn(own, 'list_reply')
  if (answer) return { text: textIn(answer, 'title') ?? '' }
  const action = partIn(own, 'action')
  const buttons = partIn(action, 'buttons')
  const titles = Array.isArray(buttons) ? buttons.map((one) => textIn(partIn(one, 'reply'), 'title') ?? '') : []
  const list = textIn(action, 'button') ?? textIn(partIn(action, 'parameters'), 'display_text')
  return {
    header: textIn(partIn(own, 'header'), 'text'),
    text: textIn(partIn(own, 'body'), 'text') ?? '',
    footer: textIn(partIn(own, 'footer'), 'text'),
    buttons: list === undefined ? titles : [list],
  }
}
