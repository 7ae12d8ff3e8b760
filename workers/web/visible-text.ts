/** What is needed of a node of a document. */
export interface DomNode {
  nodeType: number
  nodeName: string
  nodeValue: string | null
  parentNode: DomNode | null
  firstChild: DomNode | null
  nextSibling: DomNode | null
  getAttribute?(name: string): string | null
}

const list = (names: string) => new Set(names.split(' '))

const unseen = list('SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT EMBED SVG CANVAS AUDIO VIDEO HEAD SELECT TEXTAREA')
const blocks = list(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BR DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 ' +
    'HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TR UL',
)
const cells = list('TD TH')

/** The text that a node shows, a line for each block; walks without recursion, as pages may be nested however deep. */
export function visibleText(root: DomNode): string {
  const parts: string[] = []
  let node: DomNode | null = root
  while (node) {
    const name = node.nodeName.toUpperCase()
    if (node.nodeType === 3) parts.push(node.nodeValue ?? '')
    else parts.push(breakAt(name))
    if (node.nodeType === 1 && isSeen(node, name) && node.firstChild) {
      node = node.firstChild
      continue
    }
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode
      if (node) parts.push(breakAt(node.nodeName.toUpperCase()))
    }
    if (!node || node === root) break
    node = node.nextSibling
  }
  return tidy(parts.join(''))
}

/** Marks the breaks of blocks by a character that no text of a page keeps, as its line ends are mere white space. */
const blockBreak = '\0'
const breakAt = (name: string) => (blocks.has(name) ? blockBreak : cells.has(name) ? ' ' : '')

function isSeen(node: DomNode, name: string): boolean {
  if (unseen.has(name)) return false
  if (node.getAttribute?.('hidden') !== null) return false
  return !/display\s*:\s*none|visibility\s*:\s*hidden/i.test(node.getAttribute('style') ?? '')
}

const tidy = (text: string): string =>
  text
    .split(blockBreak)
    .map((line) => line.replace(/[^\S\u00a0]+/g, ' ').trim())
    .filter(Boolean)
    .join('\n')
