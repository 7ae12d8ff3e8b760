import { S3Error } from './errors.ts'

/** Content of an element. An array repeats the element, and `undefined` omits it. */
export type Content = string | number | boolean | undefined | { readonly [name: string]: Content | readonly Content[] }

export interface Element {
  readonly name: string
  readonly text: string
  readonly children: readonly Element[]
}

export function writeDocument(root: string, content: Content): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, content, ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"')}`
}

export function writeError(content: Content): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write('Error', content)}`
}

function write(name: string, content: Content | readonly Content[], attributes = ''): string {
  if (content === undefined) return ''
  if (isList(content)) return content.map((item) => write(name, item)).join('')
  const inner =
    typeof content === 'object'
      ? Object.entries(content)
          .map(([child, value]) => write(child, value))
          .join('')
      : writeText(String(content))
  return `<${name}${attributes}>${inner}</${name}>`
}

function isList(content: Content | readonly Content[]): content is readonly Content[] {
  return Array.isArray(content)
}

function writeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys may hold control characters, which S3 writes as references.
  return text.replace(/[&<>"\u0000-\u001f]/g, (mark) => entities.get(mark) ?? `&#x${mark.charCodeAt(0).toString(16)};`)
}

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
])

/** Parses a small document of elements and text. Throws MalformedXML for everything else, including a DOCTYPE. */
export function readDocument(xml: string, rootName: string): Element {
  const root: Draft = { name: '', text: '', children: [] }
  const open = [root]
  token.lastIndex = xml.startsWith('\ufeff') ? 1 : 0
  while (token.lastIndex < xml.length) readToken(open, token.exec(xml)?.groups)
  const [document, ...others] = root.children
  if (open.length !== 1 || !document || others.length > 0 || document.name !== rootName) throw malformed()
  return document
}

interface Draft extends Element {
  text: string
  readonly children: Element[]
}

const token =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<\/(?<close>[\w:.-]+)\s*>|<(?<open>[\w:.-]+)(?:\s[^<>]*?)?(?<empty>\/)?>|(?<text>[^<]+)/gy

function readToken(open: Draft[], groups: Record<string, string | undefined> | undefined): void {
  const parent = open.at(-1)
  if (!groups || !parent || open.length > 8) throw malformed()
  if (groups.text !== undefined) parent.text += readText(groups.text)
  if (groups.close !== undefined && open.pop()?.name !== local(groups.close)) throw malformed()
  if (groups.open === undefined) return
  const element: Draft = { name: local(groups.open), text: '', children: [] }
  parent.children.push(element)
  if (groups.empty === undefined) open.push(element)
}

/** Returns the text of a child. Throws MalformedXML if a required child is missing. */
export function textOf(element: Element, name: string): string
export function textOf(element: Element, name: string, fallback: undefined): string | undefined
export function textOf(element: Element, name: string, ...fallback: [undefined?]): string | undefined {
  const child = element.children.find((candidate) => candidate.name === name)
  if (!child && fallback.length === 0) throw malformed()
  return child?.text
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function readText(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));|&/gi,
    (_, hex?: string, decimal?: string, name?: string) => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      if (!name && code <= 0x10ffff) return String.fromCodePoint(code)
      const mark = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[name ?? '']
      if (mark === undefined) throw malformed()
      return mark
    },
  )
}

function malformed(): S3Error {
  return new S3Error('MalformedXML', 'The XML you provided was not well-formed or did not validate against our schema.')
}
