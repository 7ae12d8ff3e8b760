/** Class names of common style sheets for hidden text, and for text that is only for screen readers. */
const names = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only)|d-none)(?:\s|$)/i

const gone: Record<string, RegExp> = {
  display: /^none/,
  visibility: /^(hidden|collapse)/,
  'content-visibility': /^hidden/,
  opacity: /^0*(\.0\d{0,9})?%?$/,
  font: /(^|\s)0{1,9}(\.0{1,9})?(px|r?em|%|pt)?[\s/]/,
  'font-size': /^0*(\.0*)?(px|r?em|%|pt)?$/,
  color:
    /^(transparent|#[\da-f]{3}0$|#[\da-f]{6}00$|(rgb|hsl)a?\((([^,)]{1,20},){3}|[^),/]{1,60}\/)\s{0,9}0{0,9}(\.0{1,9})?%?\s{0,9}\))/,
  'text-decoration': /line-through/,
  'text-decoration-line': /line-through/,
  clip: /^rect\(\s*[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?\s*\)/,
  'clip-path': /^(inset\(\s*(50|[6-9]\d|100)%|circle\(\s*0|polygon\(\s*0(px|%)?\s+0(px|%)?\s*\))/,
  transform: /scale[xy]?\( ?0?(\.0{1,9})? ?[,)]|translate(x|y|3d)?\([^)]{0,60}-\d{3}/,
  scale: /^0{1,9}(\.0{1,9})?(\s|$)/,
  translate: /-\d{3}/,
  'text-indent': /^-\d{3,}/,
}
const sides = [
  ...['left', 'right', 'top', 'bottom', 'margin-left', 'margin-top', 'inset', 'margin'],
  ...['inset-inline-start', 'inset-inline-end', 'inset-inline', 'inset-block-start', 'inset-block-end', 'inset-block'],
]
/** Matches an offset of some hundred pixels, with which an element is out of sight. */
const far = /(^|[\s(])-\d{3,9}(\.\d{1,9})?(px|r?em|v[wh]|%|pt)/

/** To the right, only a larger offset hides an element. People can scroll down to elements below. */
const beyond = /(^|[\s(])\d{4,9}(\.\d{1,9})?(px|r?em|v[wh]|%|pt)/
const lengthwise = ['left', 'right', 'inset-inline-start', 'inset-inline-end', 'inset-inline', 'translate']

/** True if an element is hidden, struck out or moved out of sight by its own style, or by a known class. */
export function isHiddenByStyle(style: string, classes: string): boolean {
  if (names.test(classes)) return true
  if (style === '') return false
  const facts = factsOf(style)
  if (Object.entries(gone).some(([property, hidden]) => hidden.test(facts.get(property) ?? ' '))) return true
  if (lengthwise.some((side) => beyond.test(facts.get(side) ?? ''))) return true
  if (sides.some((side) => far.test(facts.get(side) ?? ''))) return true
  const isNothing = (property: string) => /^[01]?(px|r?em|%|pt|v[wh])?$/.test(facts.get(property) ?? ' ')
  const cuts = ['overflow', 'overflow-x', 'overflow-y'].some((one) => /(^|\s)(hidden|clip)/.test(facts.get(one) ?? ''))
  return cuts && ['width', 'height', 'max-width', 'max-height'].some(isNothing)
}

const apart = /^(block|flow-root|flex|grid|table|list-item)/

/** True if an element's own style separates it from the surrounding text, like a block. */
export function isBlockByStyle(style: string): boolean {
  if (style === '') return false
  const facts = factsOf(style)
  const [float, position] = [facts.get('float') ?? '', facts.get('position') ?? '']
  return (
    apart.test(facts.get('display') ?? '') || /^(left|right|inline)/.test(float) || /^(absolute|fixed)/.test(position)
  )
}

/** Returns the declarations of a `style` in lower case. If a property occurs several times, its last value counts. */
function factsOf(style: string): Map<string, string> {
  const plain = style.replace(/\/\*.*?(\*\/|$)/gs, '').toLowerCase()
  return new Map(
    plain.split(';').map((fact) => {
      const colon = fact.indexOf(':')
      return [fact.slice(0, Math.max(colon, 0)).trim(), fact.slice(colon + 1).trim()]
    }),
  )
}
