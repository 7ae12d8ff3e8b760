import type { StateBlock, Token } from 'markdown-it'
import MarkdownIt from 'markdown-it'
import sanitize from 'sanitize-html'

/** Cites a claim of the article: `[^` its id `]`. */
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

/** A file of the organisation's: `files:` and its id. */
const ownPicture = /^files:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

// markdown-it takes no scheme that it does not know.
const { validateLink } = markdown
markdown.validateLink = (url) => ownPicture.test(url) || validateLink(url)

// A picture of another host would tell that who reads the article; a link to it is followed by those who want to.
markdown.renderer.rules.image = (tokens, at) => {
  const [src = '', alt = ''] = [String(tokens[at]?.attrGet('src') ?? ''), tokens[at]?.content]
  const [, own] = ownPicture.exec(src) ?? []
  if (own !== undefined) return `<img src="/wiki/pictures/${own}" alt="${escapeHtml(alt)}" loading="lazy">`
  return `<a href="${escapeHtml(src)}">${escapeHtml(alt || src)}</a>`
}

/** Cells of a text that its rows leave out: each is filled, so that a row of one letter may be hundreds of cells. */
const mostFilled = 2_000

const table = markdown.block.ruler.getRules('').find(({ name }) => name === 'table')
if (!table) throw new Error('markdown-it has no rule for tables.')
// A table that leaves out too much is shown as it is written.
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

/** Cells that the rows of a table leave out, counted until there are more than asked for. */
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

/** Text as HTML shows it. */
export const { escapeHtml } = markdown.utils

/** A text as it is written, as HTML. */
export const asWritten = (text: string): string => `<pre>${escapeHtml(text)}</pre>`

/** What an article's HTML may hold; headings begin below the page's own. */
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

/** Characters of HTML that are made of a text: an address that is written once may be led to a thousand times. */
const mostHtml = 1024 ** 2

/**
 * Markdown as HTML in which nothing is active; `notes` has the number of each claim's footnote, as `#note-1`. What would be more than
 * 1 MiB is shown as it is written.
 */
export function renderMarkdown(text: string, notes: ReadonlyMap<string, number>): string {
  const html = markdown.render(text, { notes })
  return html.length > mostHtml ? asWritten(text) : sanitize(html, allowed)
}

/** The claims that a text cites, each once, in the order of their first citations. */
export const citedIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(new RegExp(citation, 'g')), ([, claimId]) => claimId as string)),
]

/** What a reader sees of Markdown: its words without markup, and the files that it shows as pictures, each once. */
export interface Plain {
  text: string
  pictures: string[]
}

/** Reads Markdown as its readers see it. */
export function plainOf(markup: string): Plain {
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
