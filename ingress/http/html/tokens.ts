import { readFileSync } from 'node:fs'

/** Design tokens of all pages. Each page's style sheet starts with them. */
export const tokens = readFileSync(new URL('./tokens.css', import.meta.url))

/** Returns a style sheet with the tokens. */
export const withTokens = (sheet: URL): Buffer => Buffer.concat([tokens, readFileSync(sheet)])
