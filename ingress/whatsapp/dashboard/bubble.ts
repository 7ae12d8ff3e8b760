import type { Template } from '#sql/whatsapp/templates.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'

/** A message as a phone shows it. */
export interface Bubble {
  isReceived?: boolean
  media?: string | undefined
  header?: string | undefined
  text: string
  footer?: string | undefined
  buttons?: readonly string[]
  state?: Content
}

export const renderBubble = ({ isReceived, media, header, text, footer, buttons = [], state }: Bubble): Html =>
  html`<div class="bubble${isReceived && ' is-received'}">${media && html`<p class="bubble-media">${media}</p>`}
${header && html`<p class="bubble-head">${header}</p>`}
<p class="bubble-text">${withMarks(text)}</p>
${footer && html`<p class="bubble-foot">${footer}</p>`}
${state && html`<p class="bubble-state">${state}</p>`}
${buttons.length > 0 && html`<ul class="bubble-buttons">${buttons.map((one) => html`<li>${one}</li>`)}</ul>`}</div>`

const markup = /(\*[^*\n]+\*|_[^_\n]+_|~[^~\n]+~)/

/** Renders WhatsApp’s marks for bold, italic and struck text. */
const withMarks = (text: string): Html[] =>
  text.split(markup).map((part) => {
    if (part.length < 3 || part[0] !== part.at(-1)) return html`${part}`
    const inner = part.slice(1, -1)
    if (part.startsWith('*')) return html`<b>${inner}</b>`
    if (part.startsWith('_')) return html`<i>${inner}</i>`
    return part.startsWith('~') ? html`<s>${inner}</s>` : html`${part}`
  })

/** Values of the variables by component and name: `body 1`, `header 1`, `body customer`. */
export type VariableValues = ReadonlyMap<string, string>

const fill = (text: string, component: 'header' | 'body', values: VariableValues): string =>
  text.replace(
    /\{\{\s{0,9}(\w{1,100})\s{0,9}\}\}/g,
    (whole, name: string) => values.get(`${component} ${name}`) || whole,
  )

const otpText = 'is your verification code.'

/** Returns a template as a bubble, with the values of its variables. */
export function toBubble({ components }: Pick<Template, 'components'>, values: VariableValues): Bubble {
  const bubble: Bubble = { text: '' }
  for (const component of components) {
    const text = String(component.text ?? '')
    switch (component.type.toUpperCase()) {
      case 'HEADER':
        if (component.format === undefined || component.format === 'TEXT') bubble.header = fill(text, 'header', values)
        else bubble.media = String(component.format).toLowerCase()
        break
      case 'BODY':
        bubble.text = component.text === undefined ? `*123456* ${otpText}` : fill(text, 'body', values)
        break
      case 'FOOTER':
        bubble.footer = text || `This code expires in ${component.code_expiration_minutes ?? 10} minutes.`
        break
      case 'BUTTONS':
        bubble.buttons = wordsOf(component.buttons)
        break
    }
  }
  return bubble
}

const wordsOf = (buttons: unknown): string[] =>
  Array.isArray(buttons)
    ? buttons.map((one) => String(one?.text ?? (one?.type === 'COPY_CODE' ? 'Copy offer code' : 'Copy code')))
    : []

/** Renders a bubble on the background of a chat, in light and in dark. */
export const chatPreview = (bubble: Bubble): Html =>
  html`<div class="chat is-light">${renderBubble(bubble)}</div><div class="chat is-dark">${renderBubble(bubble)}</div>`
