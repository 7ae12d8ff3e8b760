/** Names that the common style sheets give to what only screen readers are told, or nobody. */
const names = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only)|d-none)(?:\s|$)/i

const gone: Record<string, RegExp> = {
  display: /^none/,
  visibility: /^(hidden|collapse)/,
  'content-visibility': /^hidden/,
  opacity: /^0*(\.0*)?%?$/,
  'font-size': /^0*(\.0*)?(px|r?em|%|pt)?$/,
  color: /^transparent/,
  'text-decoration': /line-through/,
  'text-decoration-line': /line-through/,
  clip: /^rect\(\s*[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?\s*\)/,
  'clip-path': /^(inset\(\s*(50|[6-9]\d|100)%|circle\(\s*0)/,
  transform: /scale[xy]?\( ?0?(\.0{1,9})? ?[,)]|translate(x|y|3d)?\([^)]{0,60}-\d{3}/,
  'text-indent': /^-\d{3,}/,
}
const sides = ['left', 'right', 'top', 'bottom', 'margin-left', 'margin-top', 'inset', 'margin']
/** Farther from its place than so many hundred pixels something is out of sight. */
const far = /(^|\s)-\d{3,}(\.\d+)?(px|r?em|v[wh]|%|pt)/

/** Whether an element is hidden, struck out or moved out of sight by its own style, or by a class known for that. */
export function hides(style: string, classes: string): boolean {
  if (names.test(classes)) return true
  if (style === '') return false
  const facts = factsOf(style)
  if (Object.entries(gone).some(([property, hidden]) => hidden.test(facts.get(property) ?? ' '))) return true
  if (sides.some((side) => far.test(facts.get(side) ?? ''))) return true
  const isNothing = (property: string) => /^[01]?(px)?$/.test(facts.get(property) ?? ' ')
  const cuts = /^(hidden|clip)/.test(facts.get('overflow') ?? '')
  return cuts && ['width', 'height', 'max-width', 'max-height'].some(isNothing)
}

/** What a `style` declares, in lower case, the last of a property. */
function factsOf(style: string): Map<string, string> {
  const plain = style.replace(/\/\*.*?(\*\/|$)/gs, '').toLowerCase()
  return new Map(
    plain.split(';').map((fact) => {
      const colon = fact.indexOf(':')
      return [fact.slice(0, Math.max(colon, 0)).trim(), fact.slice(colon + 1).trim()]
    }),
  )
}
