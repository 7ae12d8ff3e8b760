import { convert } from 'html-to-text'
import { hidesElement } from './hidden-style.ts'

/** Limits of reading HTML as text: characters, and nesting. */
const limits = { maxInputLength: 2 ** 20, maxDepth: 100, ellipsis: '' }

/** Marker for the start of quoted email. These characters do not occur in text. */
const mark = '\u{f8ff}\u{f8fe}'

/**
 * Selectors for the start of quoted email in HTML. Clients: Gmail, Thunderbird, Outlook in browsers, on phones and on
 * desktops, Yahoo, Proton, Zoho, GMX and Yandex. The HTML is the same in every language.
 */
const beginnings = [
  ...['div.gmail_quote', '.gmail_extra', '.moz-cite-prefix', '.moz-forward-container', '.yahoo_quoted'],
  ...['#divRplyFwdMsg', '#appendonsend', '#stopSpelling', '#OLK_SRC_BODY_SECTION', '.zmail_extra', '[name="quote"]'],
  ...['#mail-editor-reference-message-container', '.ms-outlook-mobile-reference-message'],
  ...['#isForwardContent', '#isReplyContent', 'div.protonmail_quote', 'div.tutanota_quote'],
  ...['div[style*="border-top:solid #E1E1E1"]', 'div[style*="border-top:solid #B5C4DF"]'],
  ...['div[style*="border-top: solid #E1E1E1"]', 'div[style*="border-top:solid #e1e1e1"]'],
]

/** Selectors for elements that contain a whole quote. Other `blockquote` elements are indented text. */
const cites = ['blockquote[type="cite"]', 'blockquote.gmail_quote', 'blockquote.protonmail_quote']

interface Element {
  attribs?: Record<string, string>
  children: unknown[]
  data?: string
}

interface Builder {
  openBlock(options: object): void
  addInline(text: string): void
  closeBlock(options: object): void
}

type Walk = (nodes: unknown[], builder: Builder) => void

/** Visible text of an email. */
interface ReadPage {
  text: string
  /** The part before the quoted email. Undefined if the HTML marks no quote. */
  unquoted: string | undefined
  /** Beginnings of texts that the HTML hides from people, without blanks. */
  hidden: string[]
}

/** Maximum number and length of the hidden texts. */
const mostHidden = { texts: 50, length: 100 }

export function readHtml(html: string): ReadPage {
  const hidden: string[] = []
  const hide = (element: Element) => {
    const text = withoutBlanks(textOf(element)).slice(0, mostHidden.length)
    if (text !== '' && hidden.length < mostHidden.texts) hidden.push(text)
  }
  const styled = (element: Element, walk: Walk, builder: Builder): void => {
    const { style = '', ...attribs } = element.attribs ?? {}
    if (hidesElement(style)) hide(element)
    else {
      element.attribs = attribs
      walk([element], builder)
    }
  }
  const marked = convert(html.replaceAll(mark, ''), {
    wordwrap: false,
    limits,
    formatters: { beginning, cite, indented, styled, hide },
    selectors: [
      { selector: '[style]', format: 'styled' },
      { selector: '[hidden]', format: 'hide' },
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
      { selector: 'blockquote', format: 'indented' },
      ...beginnings.map((selector) => ({ selector, format: 'beginning' })),
      ...cites.map((selector) => ({ selector, format: 'cite' })),
    ],
  })
  const at = marked.indexOf(mark)
  const lines = marked.split('\n').filter((line) => line.replaceAll(/[> ]/g, '') !== mark)
  return { text: lines.join('\n').trim(), unquoted: at < 0 ? undefined : marked.slice(0, at).trim(), hidden }
}

export const withoutBlanks = (text: string): string => text.replaceAll(/\s+/g, '')

/** Returns the first text of an element. */
function textOf(element: Element): string {
  let text = ''
  const waiting: Element[] = [element]
  for (let n = 0; n < 500 && text.length < 4 * mostHidden.length; n++) {
    const next = waiting.pop()
    if (!next) break
    text += next.data ?? ''
    waiting.push(...((next.children ?? []) as Element[]).slice(0, 100).toReversed())
  }
  return text
}

function beginning({ children }: Element, walk: Walk, builder: Builder): void {
  block(builder, 1, () => builder.addInline(mark))
  walk(children, builder)
}

function cite({ children }: Element, walk: Walk, builder: Builder): void {
  block(builder, 1, () => builder.addInline(mark))
  const blockTransform = (text: string) =>
    text
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n')
  block(builder, 1, () => walk(children, builder), blockTransform)
}

const indented = ({ children }: Element, walk: Walk, builder: Builder): void =>
  block(builder, 2, () => walk(children, builder))

function block(builder: Builder, breaks: number, fill: () => void, blockTransform?: (text: string) => string): void {
  builder.openBlock({ leadingLineBreaks: breaks })
  fill()
  builder.closeBlock({ trailingLineBreaks: breaks, ...(blockTransform && { blockTransform }) })
}
