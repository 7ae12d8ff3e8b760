import { isBlockByStyle, isHiddenByStyle } from './hidden-style.ts'

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

/** Elements that browsers do not show as text of the page, and elements for text that the author has struck out. */
const unseen = list(
  'SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT EMBED SVG CANVAS AUDIO VIDEO HEAD TITLE SELECT DATALIST TEXTAREA NOFRAMES NOEMBED ' +
    'ANNOTATION ANNOTATION-XML PROGRESS METER RP DEL S STRIKE',
)
const blocks = list(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BUTTON CAPTION CENTER DD DETAILS DIALOG DIR DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM ' +
    'H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML LEGEND LI MAIN MENU NAV OL P PRE SEARCH SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL',
)

/** Superscript and subscript digits: 10<sup>2</sup> is 10², not a number of three digits. */
const raised: Record<string, string> = { SUP: '⁰¹²³⁴⁵⁶⁷⁸⁹', SUB: '₀₁₂₃₄₅₆₇₈₉' }

/** Returns the visible text of a node by blocks: paragraphs, list items, cells. A `br` is a line break in its block. */
export function visibleBlocks(root: DomNode): string[] {
  const parts: string[] = []
  let digits: { of: DomNode; as: string } | undefined
  for (const { node, name, isEnd } of walk(root)) {
    if (node.nodeType === 3) parts.push(isFolded(node) ? '' : moved(node.nodeValue ?? '', digits?.as))
    else parts.push(breakAt(node, name, isEnd))
    const as = raised[name]
    if (isEnd && node === digits?.of) digits = undefined
    else if (as && !isEnd) digits ??= { of: node, as }
  }
  return tidy(parts.join(''))
}

interface Step {
  node: DomNode
  name: string
  isEnd: boolean
}

const step = (node: DomNode, isEnd: boolean): Step => ({ node, name: node.nodeName.toUpperCase(), isEnd })

/** Visits each visible node once. Not recursive, because pages can be nested to any depth. */
function* walk(root: DomNode): Generator<Step> {
  let node: DomNode | null = root
  while (node) {
    const begin = step(node, false)
    const inner: DomNode | null = node.nodeType === 1 && isSeen(node, begin.name) ? node.firstChild : null
    // An empty or hidden element has no end step, so it is not raised.
    if (inner || !(begin.name in raised)) yield begin
    node = inner ?? (yield* leave(node, root))
  }
}

function* leave(from: DomNode, root: DomNode): Generator<Step, DomNode | null> {
  let node: DomNode | null = from
  while (node && node !== root && !node.nextSibling) {
    node = node.parentNode
    if (node) yield step(node, true)
  }
  return node === root ? null : (node?.nextSibling ?? null)
}

/**
 * Characters that mark breaks of blocks and lines. The text of a web page cannot contain them, and its own line breaks
 * are white space.
 */
const [blockBreak, lineBreak] = ['\0', '\x01']

const breakAt = (node: DomNode, name: string, isEnd: boolean) =>
  blocks.has(name) || (node.nodeType === 1 && isBlockByStyle(node.getAttribute?.('style') ?? ''))
    ? blockBreak
    : name === 'BR' && !isEnd
      ? lineBreak
      : ''

const isFolded = ({ parentNode }: DomNode): boolean =>
  parentNode?.nodeName.toUpperCase() === 'DETAILS' && parentNode.getAttribute?.('open') === null

function isSeen(node: DomNode, name: string): boolean {
  if (unseen.has(name)) return false
  const given = (attribute: string) => node.getAttribute?.(attribute) ?? null
  if (given('hidden') !== null || given('aria-hidden')?.trim().toLowerCase() === 'true') return false
  if (given('popover') !== null) return false
  if (name !== 'SUMMARY' && isFolded(node)) return false
  if (name === 'DIALOG' && given('open') === null) return false
  return !isHiddenByStyle(given('style') ?? '', given('class') ?? '')
}

const moved = (text: string, digits: string | undefined) =>
  digits === undefined ? text : text.replace(/\d/g, (digit) => digits[Number(digit)] as string)

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
