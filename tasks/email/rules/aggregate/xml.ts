/** An element of a document, without attributes. Names have no prefix. */
export interface Element {
  name: string
  text: string
  children: Element[]
}

export class XmlFaultError extends Error {
  override name = 'XmlFaultError'
}

const most = { depth: 20, elements: 400_000, text: 4_000 }

const references: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Tags and other markup. Values of attributes can contain `>` (XML 1.0 §3.1). */
const markup =
  /<(?:!--|!\[CDATA\[|!|\?|(\/)?([^\s<>/"'=]{1,200})(?:[^<>"']|"[^"]{0,4000}"|'[^']{0,4000}'){0,2000}?(\/?)>)/gy

class Tree {
  readonly #root: Element = { name: '', text: '', children: [] }
  readonly #open: Element[] = [this.#root]
  #count = 0

  get current(): Element {
    return this.#open.at(-1) as Element
  }

  begin(name: string, isEmpty: boolean): void {
    if (++this.#count > most.elements) throw new XmlFaultError('The XML has too many elements.')
    const element: Element = { name, text: '', children: [] }
    this.current.children.push(element)
    if (!isEmpty && this.#open.push(element) > most.depth) throw new XmlFaultError('The XML is nested too deeply.')
  }

  end(name: string): void {
    if (this.#open.length === 1 || this.#open.pop()?.name !== name)
      throw new XmlFaultError('The tags of the XML do not match.')
  }

  finish(): Element {
    const [document, ...more] = this.#root.children
    if (this.#open.length > 1 || !document || more.length > 0) throw new XmlFaultError('The XML is incomplete.')
    return document
  }
}

/**
 * Parses a document (XML 1.0) without a document type, so that there are no entities. Throws `XmlFaultError` if the
 * document is not well-formed or exceeds a limit.
 */
export function parseXml(text: string): Element {
  const tree = new Tree()
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('<', at)
    const until = next < 0 ? text.length : next
    if (until > at) addText(tree.current, decode(text.slice(at, until)))
    at = next < 0 ? text.length : readMarkup(text, next, tree)
  }
  return tree.finish()
}

/** Reads a tag, a comment or an instruction. Returns the place after it. */
function readMarkup(text: string, from: number, tree: Tree): number {
  markup.lastIndex = from
  const found = markup.exec(text)
  if (!found) throw new XmlFaultError('The XML is not well-formed.')
  const [all, end, name, empty] = found
  const after = from + all.length
  if (name === undefined) return skip(text, all, after, tree.current)
  const local = name.slice(name.indexOf(':') + 1)
  if (end) tree.end(local)
  else tree.begin(local, empty === '/')
  return after
}

/** Skips a comment or an instruction, or reads character data. Returns the place after it. */
function skip(text: string, opening: string, at: number, current: Element): number {
  if (opening === '<!') throw new XmlFaultError('The XML has a document type, which is not allowed.')
  const close = { '<!--': '-->', '<?': '?>' }[opening] ?? ']]>'
  const end = text.indexOf(close, at)
  if (end < 0) throw new XmlFaultError('The XML is incomplete.')
  if (close === ']]>') addText(current, text.slice(at, end))
  return end + close.length
}

function addText(element: Element, text: string): void {
  if (element.text.length < most.text) element.text += text.slice(0, most.text)
}

const decode = (text: string): string =>
  text.includes('&')
    ? text.replace(
        /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{1,8}));/gi,
        (all, decimal?: string, hex?: string, name?: string) => {
          if (name !== undefined) return references[name] ?? all
          const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
          return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
        },
      )
    : text

export const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((child) => child.name === name)

export const childrenOf = (element: Element | undefined, name: string): Element[] =>
  element?.children.filter((child) => child.name === name) ?? []

/** Returns the text of a child without surrounding blanks. Undefined if it is missing or empty. */
export const textOf = (element: Element | undefined, name: string): string | undefined =>
  childOf(element, name)?.text.trim() || undefined
