/**
 * Reads the cell from keys, secrets and tokens. The router uses the cell name without verifying it. The cell that
 * handles the request verifies the key.
 */

const letters = '[a-z][a-z0-9]{0,15}'
const prefixes = '(?:bt_live_|bt_site_|bt_test_|snd_live_|snd_test_|mtz_live_)'

/**
 * Matches a key or secret of the form that `lib/tokens.ts` creates. The exact length avoids matches with keys from
 * other systems.
 */
const marked = new RegExp(`^${prefixes}?(${letters})_[0-9A-Za-z]{43}$`)

const markedInUrl = new RegExp(`[/=]${prefixes}?(${letters})_[0-9A-Za-z]{43}(?![0-9A-Za-z_-])`)

const opening = 'eyJjZWxsIjoi'

const saidFirst = new RegExp(`^(${letters})"`)

export function getTokenPrefix(cell: string): string {
  const bytes = Buffer.from(`{"cell":"${cell}",`)
  return bytes.toString('base64url').slice(0, Math.floor((bytes.length * 4) / 3))
}

export function findCell(text: string): string | undefined {
  return marked.exec(text)?.[1] ?? (text.startsWith(opening) ? inToken(text) : undefined)
}

export function findCellInUrl(url: string): string | undefined {
  const at = url.indexOf(opening)
  return (at === -1 ? undefined : inToken(url.slice(at))) ?? markedInUrl.exec(url)?.[1]
}

function inToken(text: string): string | undefined {
  const start = Buffer.from(text.slice(opening.length, opening.length + 24), 'base64url').toString('latin1')
  return saidFirst.exec(start)?.[1]
}
