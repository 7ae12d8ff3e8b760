import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import { type ClientCall, callTabs, clientOf } from '../http/html/call-tabs.ts'
import { codeBlock } from '../http/html/highlight.ts'
import { Html, html } from '../http/html/html.ts'
import { fileUrl, type Guide, guides, isHere } from './guides.ts'

/** The part of a guide below one heading, or a table row whose first cell is code. */
export interface Section {
  heading: string
  anchor: string
  text: string
}

const markdown = new MarkdownIt({ html: false, linkify: false })
markdown.renderer.rules.fence = (tokens, at) =>
  `${codeBlock(tokens[at]?.content ?? '', tokens[at]?.info.trim() ?? '').text}\n`
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
markdown.renderer.rules.table_close = () => '</table></div>\n'

/** Returns the anchor of a heading in GitHub's format. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

type Token = ReturnType<typeof markdown.parse>[number]

const textOf = (token: Token | undefined): string => (token?.children ?? []).map((child) => child.content).join('')

/** Renders inline Markdown. */
export const inline = (text: string): Html => new Html(markdown.renderInline(text))

/** Renders block Markdown. */
export const rendered = (text: string): Html => new Html(markdown.render(text))

export interface Heading {
  title: string
  anchor: string
}

/**
 * Renders a guide. Headings and table rows that begin with code get anchors. Links to guides and to served files go to
 * their pages.
 */
export function renderGuide(guide: Guide, text = guide.markdown): { body: Html; headings: Heading[] } {
  const tokens = markdown.parse(withoutComments(text), {})
  const taken = new Set<string>()
  const headings: Heading[] = []
  for (const [i, token] of tokens.entries()) {
    const anchor = anchorAt(tokens, i)
    if (anchor !== undefined && !taken.has(anchor)) {
      taken.add(anchor)
      token.attrSet('id', anchor)
      if (token.tag === 'h2') headings.push({ title: textOf(tokens[i + 1]), anchor })
    }
    withoutStyle(token)
    for (const child of token.children ?? []) resolveLink(child, guide)
  }
  return { body: new Html(markdown.renderer.render(withCallTabs(tokens), markdown.options, {})), headings }
}

/** Replaces each shell block by tabs. The tabs include the Node and Python blocks directly after the shell block. */
function withCallTabs(tokens: readonly Token[]): Token[] {
  const result: Token[] = []
  let calls: { label: ClientCall['label']; code: string; token: Token }[] = []
  let groups = 0
  const endGroup = () => {
    const [first] = calls
    if (first && calls.length > 1) {
      groups++
      const { text } = html`<div class="calls">${callTabs(calls, String(groups))}</div>`
      result.push(Object.assign(Object.create(first.token), { type: 'html_block', content: `${text}\n` }))
    } else result.push(...calls.map(({ token }) => token))
    calls = []
  }
  for (const token of tokens) {
    const label = token.type === 'fence' ? clientOf(token.info.trim()) : undefined
    const continues = label !== undefined && (label === 'curl' ? calls.length === 0 : calls.length > 0)
    if (!continues || calls.some((call) => call.label === label)) endGroup()
    if (label === 'curl' || (label && calls.length > 0)) calls.push({ label, code: token.content, token })
    else result.push(token)
  }
  endGroup()
  return result
}

/** Returns the anchor of a heading, or of a table row whose first cell is code. Otherwise returns undefined. */
function anchorAt(tokens: readonly Token[], i: number): string | undefined {
  const [token, next, inside] = [tokens[i], tokens[i + 1], tokens[i + 2]]
  if (token?.type === 'heading_open') return anchorOf(textOf(next))
  const [only, ...more] = inside?.children ?? []
  if (token?.type !== 'tr_open' || next?.type !== 'td_open' || only?.type !== 'code_inline' || more.length > 0)
    return undefined
  return /^[\w:.-]+$/.test(only.content) ? only.content : undefined
}

/** Replaces the style attribute by a class, because the content security policy of the pages forbids inline styles. */
function withoutStyle(token: Token): void {
  const style = token.attrGet('style')
  if (style === null) return
  token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null
  token.attrJoin('class', String(style).replace('text-align:', ''))
}

/** Removes the marks of generated tables. */
const withoutComments = (text: string): string => text.replace(/^<!-- [^\n]{1,200} -->$/gm, '')

/**
 * Returns the target of a link: the file, relative to the root and without a trailing slash, and the heading. Returns
 * undefined for absolute URLs.
 */
function targetOf(target: string, { path }: Guide): { file: string; anchor: string | undefined } | undefined {
  if (/^https?:|^\//.test(target)) return undefined
  const [file = '', anchor] = target.split('#')
  return { file: file ? posix.join(posix.dirname(path), file).replace(/\/$/, '') : path, anchor }
}

/** Returns the files and folders that a guide links to, relative to the root. */
export function linkedFrom(guide: Guide): string[] {
  const links = markdown.parse(guide.markdown, {}).flatMap(({ children }) => children ?? [])
  return links.flatMap((link) =>
    link.type === 'link_open' || link.type === 'image'
      ? (targetOf(String(link.attrGet('href') ?? link.attrGet('src') ?? ''), guide)?.file ?? [])
      : [],
  )
}

/** Returns the URL of the page for a link target, or undefined if no page shows the target. */
function addressOf(target: string, guide: Guide, ending = ''): string | undefined {
  const aimed = targetOf(target, guide)
  if (!aimed) return undefined
  const found = guides().find(({ path }) => path === aimed.file || path === `${aimed.file}/README.md`)?.name
  if (found) return `/docs/guides/${found}${ending}${aimed.anchor ? `#${aimed.anchor}` : ''}`
  return isHere(aimed.file) ? fileUrl(aimed.file) : undefined
}

/** Replaces the target of a link or image by the URL where the documentation shows it. */
function resolveLink(token: Token, guide: Guide): void {
  if (token.type === 'link_open') aim(token, guide)
  if (token.type === 'image') token.attrSet('src', addressOf(String(token.attrGet('src')), guide) ?? '')
}

function aim(link: Token, guide: Guide): void {
  const target = String(link.attrGet('href') ?? '')
  const aimed = targetOf(target, guide)
  if (!aimed) return
  const address = addressOf(target, guide)
  if (address) link.attrSet('href', address)
  else {
    link.attrs = link.attrs?.filter(([attribute]) => attribute !== 'href') ?? null
    link.attrSet('title', aimed.file)
  }
}

/** Returns the text of a guide with links to the Markdown pages. */
export const withAddresses = (guide: Guide, text: string): string =>
  text.replace(/\]\(([^()\s]{1,300})\)/g, (link, target: string) => {
    const address = addressOf(target, guide, '.md')
    return address ? `](${address})` : link
  })

/** Returns the sections of a guide by heading, and table rows whose first cell is code. */
export function sectionsOf(guide: Guide, text = guide.markdown): Section[] {
  const sections: Section[] = [{ heading: guide.title, anchor: '', text: '' }]
  const rows: Section[] = []
  const tokens = markdown.parse(text, {})
  for (const [i, token] of tokens.entries()) {
    const isHeading = tokens[i - 1]?.type === 'heading_open'
    if (isHeading && tokens[i - 1]?.tag !== 'h1')
      sections.push({ heading: textOf(token), anchor: anchorOf(textOf(token)), text: '' })
    const last = sections.at(-1) as Section
    if (token.type === 'inline' && !isHeading) last.text += `${textOf(token)} `
    if (token.type === 'fence') last.text += `${token.content} `
    const name = token.type === 'tr_open' ? anchorAt(tokens, i) : undefined
    if (name !== undefined) rows.push({ heading: name, anchor: name, text: rowText(tokens, i) })
  }
  return [...sections, ...rows]
}

function rowText(tokens: readonly Token[], from: number): string {
  const end = tokens.findIndex(({ type }, i) => i > from && type === 'tr_close')
  return tokens.slice(from, end).map(textOf).join(' ')
}
