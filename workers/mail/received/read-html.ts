import { convert } from 'html-to-text'

/** Characters of HTML that are read as text, and elements within each other. */
const limits = { maxInputLength: 2 ** 20, maxDepth: 100, ellipsis: '' }

/** Stands where a quoted mail begins: no text has it. */
const mark = '\u{f8ff}\u{f8fe}'

/**
 * Where programs begin the mail that they quote: Gmail, Thunderbird, Apple Mail, Outlook in browsers, on phones and on desktops,
 * Yahoo, Proton, Zoho, GMX and Yandex. They write this the same in every language.
 */
const quotes = [
  ...['.gmail_quote', '.gmail_quote_container', '.gmail_extra', '.moz-cite-prefix', '.moz-forward-container'],
  ...['blockquote[type="cite"]', '#divRplyFwdMsg', '#appendonsend', '#stopSpelling', '#OLK_SRC_BODY_SECTION'],
  ...['#mail-editor-reference-message-container', '.ms-outlook-mobile-reference-message', '.yahoo_quoted'],
  ...['.protonmail_quote', '.zmail_extra', '.tutanota_quote', '[name="quote"]', '#isForwardContent', '#isReplyContent'],
  ...['div[style*="border-top:solid #E1E1E1"]', 'div[style*="border-top:solid #B5C4DF"]'],
  ...['div[style*="border-top: solid #E1E1E1"]', 'div[style*="border-top:solid #e1e1e1"]'],
]

interface Element {
  children: unknown[]
}

interface Builder {
  openBlock(options: object): void
  addInline(text: string): void
  closeBlock(options: object): void
}

/** The text of a mail that is HTML, and the part of it in front of a quoted mail; undefined when the HTML marks none. */
export function readHtml(html: string): { text: string; unquoted: string | undefined } {
  const marked = convert(html.replaceAll(mark, ''), {
    wordwrap: false,
    limits,
    formatters: { quote: markAndWalk },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
      ...quotes.map((selector) => ({ selector, format: 'quote' })),
    ],
  })
  const at = marked.indexOf(mark)
  const text = marked.replaceAll(new RegExp(`\\n?${mark}\\n?`, 'g'), '\n').trim()
  return { text, unquoted: at < 0 ? undefined : marked.slice(0, at).trim() }
}

function markAndWalk(element: Element, walk: (nodes: unknown[], builder: Builder) => void, builder: Builder): void {
  builder.openBlock({ leadingLineBreaks: 1 })
  builder.addInline(mark)
  builder.closeBlock({ trailingLineBreaks: 1 })
  walk(element.children, builder)
}
