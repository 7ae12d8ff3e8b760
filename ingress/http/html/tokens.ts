import { readFileSync } from 'node:fs'

/** A colour for light and one for dark pages. Browsers before 2024 do not know this function. */
const lightDark = /light-dark\((#\w{3,8}), (#\w{3,8})\)/g

/** Adds colours for browsers without `light-dark()` to the first rule of a style sheet, which declares its tokens. */
function withFallbacks(css: string): string {
  const end = css.indexOf('}') + 1
  const [rule, rest] = [css.slice(0, end), css.slice(end)]
  if (!rule.includes('light-dark(')) return css
  const [light, dark] = [rule.replace(lightDark, '$1'), rule.replace(lightDark, '$2')]
  return `${light}
@media (prefers-color-scheme: dark) {
${dark}
}
@supports (color: light-dark(#000, #fff)) {
${rule}
}
${rest}`
}

const tokens = withFallbacks(readFileSync(new URL('./tokens.css', import.meta.url), 'utf8'))

/** Returns style sheets, joined, after the design tokens of all pages. A URL is read. */
export const withTokens = (...sheets: readonly (URL | string)[]): Buffer =>
  Buffer.from(
    [
      tokens,
      ...sheets.map((sheet) => withFallbacks(typeof sheet === 'string' ? sheet : readFileSync(sheet, 'utf8'))),
    ].join(''),
  )
