import type { ChatMessage } from './chats.ts'
import type { SentMessage, SentTemplate } from './sent-message.ts'
import type { SandboxTemplate } from './templates.ts'

type Fields = Record<string, unknown>

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export function chatMessageOf(
  sent: SentMessage,
  id: string,
  template: SentTemplate | undefined,
  templates: readonly SandboxTemplate[],
): ChatMessage {
  const { type, context, biz_opaque_callback_data: ref } = sent
  const facts = {
    id,
    from: 'business' as const,
    type,
    at: new Date().toISOString(),
    status: 'sent' as const,
    ...(ref !== undefined && { ref }),
    ...(context && { quoted: context.message_id }),
  }
  return { ...facts, ...(template ? ofTemplate(template, templates) : ofContent(type, fields(sent[type]))) }
}

type ChatContent = Pick<ChatMessage, 'text' | 'buttons'> &
  Partial<Pick<ChatMessage, 'header' | 'footer' | 'file' | 'template'>>

function ofContent(type: string, content: Fields): ChatContent {
  switch (type) {
    case 'text':
      return { text: text(content.body), buttons: [] }
    case 'location':
      return {
        text: [text(content.name), text(content.address), `${content.latitude}, ${content.longitude}`]
          .filter(Boolean)
          .join('\n'),
        file: { kind: 'location', name: 'Location' },
        buttons: [],
      }
    case 'interactive':
      return ofInteractive(content)
    default: {
      const link = text(content.link)
      const name = text(content.filename) || link.split('/').at(-1) || text(content.id)
      return { text: text(content.caption), file: { kind: type, name, ...(link && { link }) }, buttons: [] }
    }
  }
}

function ofInteractive({ header, body, footer, action }: Fields): ChatContent {
  const { buttons, sections, parameters } = fields(action)
  const replies = Array.isArray(buttons) ? buttons.map((button) => fields(fields(button).reply)) : []
  const rows = Array.isArray(sections) ? sections.flatMap((section) => (fields(section).rows as Fields[]) ?? []) : []
  const link = fields(parameters)
  return {
    ...(header !== undefined && { header: text(fields(header).text) }),
    ...(footer !== undefined && { footer: text(fields(footer).text) }),
    text: text(fields(body).text),
    buttons: [
      ...[...replies, ...rows].map(({ id, title }) => ({ id: text(id), text: text(title) })),
      ...(link.url === undefined ? [] : [{ text: text(link.display_text), url: text(link.url) }]),
    ],
  }
}

function ofTemplate({ name, language, components }: SentTemplate, templates: readonly SandboxTemplate[]): ChatContent {
  const known = templates.find((one) => one.name === name && one.language === language.code)
  const part = (type: string) => known?.components.find((one) => one.type === type)
  const given = (type: string) =>
    components.filter((one) => one.type.toUpperCase() === type).flatMap(({ parameters }) => parameters.map(fields))
  const filled = (type: string) => fill(part(type)?.text ?? '', given(type))
  const [footer, header] = [part('FOOTER')?.text, filled('HEADER')]
  const buttons = (part('BUTTONS')?.buttons ?? []).map(({ text: label, url }, index) => {
    const button = components.find((one) => one.type === 'button' && Number(one.index) === index)
    return { text: label, ...(url !== undefined && { url: fill(url, (button?.parameters ?? []).map(fields)) }) }
  })
  return {
    text: filled('BODY'),
    buttons,
    template: name,
    ...(header && { header }),
    ...(footer !== undefined && { footer }),
  }
}

function fill(pattern: string, parameters: readonly Fields[]): string {
  return pattern.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const found = parameters.find((one) => one.parameter_name === name) ?? parameters[Number(name) - 1] ?? {}
    const { fallback_value } = fields(found.currency ?? found.date_time)
    return text(found.text) || text(fallback_value)
  })
}
