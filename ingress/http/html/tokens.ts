import { readFileSync } from 'node:fs'

const source = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

/** A colour for light and one for dark pages. Browsers before 2024 do not know this function. */
const lightDark = /light-dark\((#\w{3,8}), (#\w{3,8})\)/g

const light = source.replace(lightDark, '$1')
const dark = source.replace(lightDark, '$2')

/** Design tokens of all pages. Each page’s style sheet starts with them. */
export const tokens = Buffer.from(
  `${light}@media (prefers-color-scheme: dark) {\n${dark}}\n@supports (color: light-dark(#000, #fff)) {\n${source}}\n`,
)

/** Returns a style sheet with the tokens. */
export const withTokens = (sheet: URL): Buffer => Buffer.concat([tokens, readFileSync(sheet)])
