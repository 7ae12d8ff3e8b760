/** Maximum number of characters of a style that are read. Mail clients cut longer ones. */
const most = 4_000

/** Values of a property that hide the element and its text. */
const hiding = new Map<string, (value: string) => boolean>(
  Object.entries({
    display: (value: string) => value === 'none',
    visibility: (value: string) => value === 'hidden' || value === 'collapse',
    opacity: (value: string) => Number.parseFloat(value) < 0.05,
    'font-size': (value: string) => /^[01](?:\.0*)?(?:px|pt)?$/.test(value) || /^0(?:\.0*)?(?:[a-z]+|%)$/.test(value),
    'line-height': (value: string) => /^0(?:[a-z]+|%)?$/.test(value),
    'max-height': (value: string) => /^[01](?:px|pt)?$/.test(value) || /^0(?:[a-z]+|%)$/.test(value),
    'max-width': (value: string) => /^0(?:[a-z]+|%)?$/.test(value),
    'text-indent': (value: string) => Number.parseFloat(value) <= -500,
    left: (value: string) => Number.parseFloat(value) <= -500,
    top: (value: string) => Number.parseFloat(value) <= -500,
    color: (value: string) => value === 'transparent',
    'mso-hide': (value: string) => value === 'all',
  }),
)

/** True if a `style` attribute hides its element from the reader of an email. */
export function hidesElement(style: string): boolean {
  const declared = new Map<string, string>()
  for (const declaration of style.slice(0, most).toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (colon < 0) continue
    const value = declaration.slice(colon + 1).replace('!important', '')
    declared.set(declaration.slice(0, colon).trim(), value.trim())
  }
  for (const [property, value] of declared) if (hiding.get(property)?.(value)) return true
  return false
}
