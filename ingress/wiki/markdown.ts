import type { StateBlock, Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import sanitize from 'sanitize-html'

const citation = /\[\^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\]/y

const markdown = new MarkdownIt({ html: false, linkify: false })

markdown.inline.ruler.before('link', 'citation', (state, silent) => {
  citation.lastIndex = state.pos
  const [whole, claimId] = citation.exec(state.src) ?? []
  if (!whole || !claimId) return false
  if (!silent) state.push('citation', '', 0).content = claimId
  state.pos += whole.length
  return true
})

markdown.renderer.rules.citation = (tokens, at, _options, env) => {
  const notes = env?.notes as ReadonlyMap<string, number> | undefined
  const number = notes?.get(tokens[at]?.content ?? '')
  return number === undefined ? '' : `<sup><a href="#note-${number}">${number}</a></sup>`
}

const ownPicture = /^files:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

// Images from our storage are allowed here, because markdown-it rejects schemes that it does not know.
const { validateLink } = markdown
markdown.validateLink = (url) => ownPicture.test(url) || validateLink(url)

// An image from another host would reveal the readers to that host, so it becomes a link.
markdown.renderer.rules.image = (tokens, at) => {
  const [src = '', alt = ''] = [String(tokens[at]?.attrGet('src') ?? ''), tokens[at]?.content]
  const [, own] = ownPicture.exec(src) ?? []
  if (own !== undefined) return `<img src="/wiki/pictures/${own}" alt="${escapeHtml(alt)}" loading="lazy">`
  return `<a href="${escapeHtml(src)}">${escapeHtml(alt || src)}</a>`
}

/**
 * Maximum number of omitted cells in a text's tables. Each omitted cell is added, so a row of one character can become
 * hundreds of cells.
 */
const mostFilled = 2_000

const table = markdown.block.ruler.getRules('').find(({ name }) => name === 'table')
if (!table) throw new Error('markdown-it has no rule for tables.')
markdown.block.ruler.at(
  'table',
  (state, from, to, silent) => {
    if (!table(state, from, to, true)) return false
    const known = Number(state.env.filled ?? 0)
    const filled = known + filledBelow(state, from, to, mostFilled - known)
    if (filled > mostFilled) return false
    if (!silent) state.env.filled = filled
    return table(state, from, to, silent)
  },
  { alt: ['paragraph', 'reference'] },
)

function filledBelow(state: StateBlock, from: number, to: number, most: number): number {
  const cells = (line: number) => {
    const row = state.src.slice(state.bMarks[line], state.eMarks[line]).trim()
    return row.replace(/^\||\|$/g, '').split('|').length
  }
  const columns = cells(from)
  let filled = 0
  for (let line = from + 2; line < to && !state.isEmpty(line) && filled <= most; line++)
    filled += Math.max(0, columns - cells(line))
  return filled
}

export const { escapeHtml } = markdown.utils

export const escapeAsText = (text: string): string => `<pre>${escapeHtml(text)}</pre>`

/** Allowed HTML of an article. The levels of its headings are below the levels of the page's own headings. */
const allowed: sanitize.IOptions = {
  allowedTags: [
    ...['h2', 'h3', 'h4', 'h5', 'h6', 'p', 'blockquote', 'ul', 'ol', 'li', 'hr', 'br', 'pre', 'code'],
    ...['strong', 'em', 's', 'sup', 'a', 'img', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href', 'title', 'rel'], ol: ['start'], img: ['src', 'alt', 'loading'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  transformTags: {
    h1: 'h2',
    a: (tagName, { href = '', title }) => ({
      tagName,
      attribs: {
        href,
        ...(title && { title }),
        ...(!href.startsWith('#') && { rel: 'nofollow ugc noopener' }),
      },
    }),
  },
}

/** Maximum length of the HTML in characters. A URL that is written once can be linked a thousand times. */
const mostHtml = 1024 ** 2

/**
 * Renders Markdown as safe HTML. `notes` contains the footnote number of each claim, for `#note-1`. If the result is
 * larger than 1 MiB, returns the plain text instead.
 */
export function renderMarkdown(text: string, notes: ReadonlyMap<string, number>): string {
  const html = markdown.render(text, { notes })
  return html.length > mostHtml ? escapeAsText(text) : sanitize(html, allowed)
}

export const listCitedClaims = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(new RegExp(citation, 'g')), ([, claimId]) => claimId as string)),
]

export interface Plain {
  text: string
  pictures: string[]
}

export function toPlainText(markup: string): Plain {
  const pictures = new Set<string>()
  const written = (token: Token): string => {
    const [, own] = (token.type === 'image' && ownPicture.exec(String(token.attrGet('src') ?? ''))) || []
    if (own !== undefined) pictures.add(own)
    if (token.children) return token.children.map(written).join('')
    return token.type === 'softbreak' || token.type === 'hardbreak'
      ? ' '
      : token.type === 'citation'
        ? ''
        : token.content
  }
  const text = markdown
    .parse(markup, {})
    .filter(({ type }) => type === 'inline' || type === 'fence' || type === 'code_block')
    .map(written)
    .join('\n')
  return { text, pictures: [...pictures] }
}
