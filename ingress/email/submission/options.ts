import libmime from 'libmime'
import type { HeaderLines } from 'mailparser'

export interface Options {
  idempotencyKey: string | undefined
  stream?: string
  tags?: { name: string; value: string }[]
  metadata?: Record<string, unknown>
  send_at?: string
  track_opens?: boolean | string
  track_clicks?: boolean | string
}

/**
 * Reads the options of a message from its headers: `X-Stream`, `X-Tag` (`name` or `name:value`, repeatable),
 * `X-Metadata` (JSON object), `X-Metadata-<name>`, `X-Send-At`, `X-Track-Opens`, `X-Track-Clicks` and `X-Idempotency-Key`. The API checks the values.
 */
export function readOptions(lines: HeaderLines): Options {
  const fields = lines.map(({ key, line }) => ({ key, value: decoded(line) }))
  const first = (key: string) => fields.find((field) => field.key === key)?.value
  const [stream, sendAt] = [first('x-stream'), first('x-send-at')]
  const [opens, clicks] = [first('x-track-opens'), first('x-track-clicks')]
  const tags = fields.filter(({ key }) => key === 'x-tag').map(({ value }) => tagOf(value))
  const metadata = metadataOf(fields)
  return {
    idempotencyKey: first('x-idempotency-key'),
    ...(stream !== undefined && { stream }),
    ...(sendAt !== undefined && { send_at: sendAt }),
    ...(opens !== undefined && { track_opens: booleanOf(opens) }),
    ...(clicks !== undefined && { track_clicks: booleanOf(clicks) }),
    ...(tags.length > 0 && { tags }),
    ...(metadata && { metadata }),
  }
}

/** Returns other texts unchanged, so that the API reports them. */
const booleanOf = (text: string): boolean | string => ({ true: true, false: false })[text.toLowerCase()] ?? text

/** Mailers encode values with unusual characters (RFC 2047). */
const decoded = (line: string) =>
  libmime.decodeWords(line.slice(line.indexOf(':') + 1).replace(/\r?\n[ \t]/g, ' ')).trim()

function tagOf(text: string): { name: string; value: string } {
  const at = text.indexOf(':')
  return at < 0 ? { name: text, value: 'true' } : { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() }
}

function metadataOf(fields: readonly { key: string; value: string }[]): Record<string, unknown> | undefined {
  const whole = fields.find(({ key }) => key === 'x-metadata')?.value
  const single = fields
    .filter(({ key }) => key.startsWith('x-metadata-'))
    .map(({ key, value }) => [key.slice('x-metadata-'.length), value] as const)
  if (whole === undefined && single.length === 0) return undefined
  return { ...(whole === undefined ? {} : parsed(whole)), ...Object.fromEntries(single) }
}

/** Returns the text itself if it is not a JSON object, so that the API reports it. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : { value }
  } catch {
    return { value: text }
  }
}
