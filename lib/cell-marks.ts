/** How keys, secrets and tokens say their cell; who routes by it believes them, and who answers checks them. */

const letters = '[a-z][a-z0-9]{0,15}'
const prefixes = '(?:bt_live_|bt_site_|bt_test_|snd_live_|snd_test_|mtz_live_)'

/** A key or a secret as `lib/tokens.ts` makes it: of exactly that length, so that keys made elsewhere are hardly taken for one. */
const marked = new RegExp(`^${prefixes}?(${letters})_[0-9A-Za-z]{43}$`)

/** The same in a URL. */
const markedInUrl = new RegExp(`[/=]${prefixes}?(${letters})_[0-9A-Za-z]{43}(?![0-9A-Za-z_-])`)

/** `{"cell":"` in base64url: nine bytes are twelve letters. */
const opening = 'eyJjZWxsIjoi'

const saidFirst = new RegExp(`^(${letters})"`)

/** What tokens of a cell begin with, as far as whole groups of letters go. */
export function tokenOpening(cell: string): string {
  const bytes = Buffer.from(`{"cell":"${cell}",`)
  return bytes.toString('base64url').slice(0, Math.floor((bytes.length * 4) / 3))
}

/** The cell that a key, a secret or a token says; undefined for what says none. */
export function cellIn(text: string): string | undefined {
  return marked.exec(text)?.[1] ?? (text.startsWith(opening) ? inToken(text) : undefined)
}

/** The cell that a URL's path or query says by a key, a secret or a token in it. */
export function cellInUrl(url: string): string | undefined {
  const at = url.indexOf(opening)
  return (at === -1 ? undefined : inToken(url.slice(at))) ?? markedInUrl.exec(url)?.[1]
}

function inToken(text: string): string | undefined {
  const start = Buffer.from(text.slice(opening.length, opening.length + 24), 'base64url').toString('latin1')
  return saidFirst.exec(start)?.[1]
}
