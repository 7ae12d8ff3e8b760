import { hides } from './hidden-style.ts'

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

/** What browsers show as no text of the page, and what its author has struck out. */
const unseen = list(
  'SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT EMBED SVG CANVAS AUDIO VIDEO HEAD TITLE SELECT DATALIST TEXTAREA NOFRAMES NOEMBED ' +
    'PROGRESS METER RP DEL S STRIKE',
)
const blocks = list(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BUTTON CAPTION CENTER DD DETAILS DIALOG DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM ' +
    'H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML LEGEND LI MAIN MENU NAV OL P PRE SEARCH SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL',
)

/** Digits that stand higher or lower: 10<sup>2</sup> is 10², and no number of three digits. */
const raised: Record<string, string> = { SUP: '⁰¹²³⁴⁵⁶⁷⁸⁹', SUB: '₀₁₂₃₄₅₆₇₈₉' }

/**
 * The text that a node shows, by its blocks: paragraphs, list items, cells. A `br` is a line end in its block. Walks once, without
 * recursion, as pages may be nested however deep.
 */
export function visibleBlocks(root: DomNode): string[] {
  const parts: string[] = []
  let node: DomNode | null = root
  let digits: { of: DomNode; as: string } | undefined
  while (node) {
    const name = node.nodeName.toUpperCase()
    if (node.nodeType === 3) parts.push(digits ? moved(node.nodeValue ?? '', digits.as) : (node.nodeValue ?? ''))
    else parts.push(breakAt(name))
    if (node.nodeType === 1 && node.firstChild && isSeen(node, name)) {
      const as = raised[name]
      if (as && !digits) digits = { of: node, as }
      node = node.firstChild
      continue
    }
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode
      if (node && node === digits?.of) digits = undefined
      if (node) parts.push(breakAt(node.nodeName.toUpperCase(), true))
    }
    if (!node || node === root) break
    node = node.nextSibling
  }
  return tidy(parts.join(''))
}

/** Mark the breaks of blocks and lines by characters that no text of a page keeps, as its own line ends are mere white space. */
const [blockBreak, lineBreak] = ['\0', '\x01']

const breakAt = (name: string, isEnd = false) =>
  blocks.has(name) ? blockBreak : name === 'BR' && !isEnd ? lineBreak : ''

function isSeen(node: DomNode, name: string): boolean {
  if (unseen.has(name)) return false
  const given = (attribute: string) => node.getAttribute?.(attribute) ?? null
  if (given('hidden') !== null || given('aria-hidden')?.trim().toLowerCase() === 'true') return false
  if (name === 'DIALOG' && given('open') === null) return false
  return !hides(given('style') ?? '', given('class') ?? '')
}

const moved = (text: string, digits: string) => text.replace(/\d/g, (digit) => digits[Number(digit)] as string)

const tidy = (text: string): string[] =>
  text
    .split(blockBreak)
    .map((block) =>
      block
        .split(lineBreak)
        .map((line) => line.replace(/[^\S\u00a0]+/g, ' ').trim())
        .filter(Boolean)
        .join('\n'),
    )
    .filter(Boolean)
