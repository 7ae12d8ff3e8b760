import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import { fileUrl, type Guide, guides, isHere } from './guides.ts'

/** A part of a guide under one heading. */
export interface Section {
  heading: string
  anchor: string
  text: string
}

const markdown = new MarkdownIt({ html: false, linkify: false })

/** The name by which a heading is linked to, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

type Token = ReturnType<typeof markdown.parse>[number]

/** The text of a heading or paragraph, without its marks. */
const textOf = (token: Token | undefined): string => (token?.children ?? []).map((child) => child.content).join('')

/** A guide's Markdown as HTML: headings can be linked to; links to other guides, and to files that are here, lead there. */
export function renderGuide(guide: Guide): string {
  const tokens = markdown.parse(withoutComments(guide.markdown), {})
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(textOf(tokens[i + 1])))
    for (const child of token.children ?? []) if (child.type === 'link_open') aim(child, guide)
  }
  return markdown.renderer.render(tokens, markdown.options, {})
}

/** Marks between which programs write are for those who edit the file. */
const withoutComments = (text: string): string => text.replace(/^<!-- [^\n]{1,200} -->$/gm, '')

/** From the repository's root, what a link of a guide leads to: the file, without a slash at its end, and the heading. */
function targetOf(link: Token, { path }: Guide): { file: string; anchor: string | undefined } | undefined {
  const target = String(link.attrGet('href') ?? '')
  if (/^https?:/.test(target)) return undefined
  const [file = '', anchor] = target.split('#')
  return { file: file ? posix.join(posix.dirname(path), file).replace(/\/$/, '') : path, anchor }
}

/** The files, and folders, that a guide links to, from the repository's root. */
export function linkedFrom(guide: Guide): string[] {
  const links = markdown.parse(guide.markdown, {}).flatMap(({ children }) => children ?? [])
  return links.flatMap((link) => (link.type === 'link_open' ? (targetOf(link, guide)?.file ?? []) : []))
}

function aim(link: Token, guide: Guide): void {
  const target = targetOf(link, guide)
  if (!target) return
  const { file: aimed, anchor } = target
  const found = guides().find(({ path }) => path === aimed || path === `${aimed}/README.md`)?.name
  if (found) link.attrSet('href', `/docs/guides/${found}${anchor ? `#${anchor}` : ''}`)
  else if (isHere(aimed)) link.attrSet('href', fileUrl(aimed))
  else {
    link.attrs = link.attrs?.filter(([attribute]) => attribute !== 'href') ?? null
    link.attrSet('title', aimed)
  }
}

/** What a guide says, by heading. */
export function sectionsOf(guide: Guide): Section[] {
  const sections: Section[] = [{ heading: guide.title, anchor: '', text: '' }]
  const tokens = markdown.parse(guide.markdown, {})
  for (const [i, token] of tokens.entries()) {
    const isHeading = tokens[i - 1]?.type === 'heading_open'
    if (isHeading && tokens[i - 1]?.tag !== 'h1')
      sections.push({ heading: textOf(token), anchor: anchorOf(textOf(token)), text: '' })
    const last = sections.at(-1) as Section
    if (token.type === 'inline' && !isHeading) last.text += `${textOf(token)} `
    if (token.type === 'fence') last.text += `${token.content} `
  }
  return sections
}
