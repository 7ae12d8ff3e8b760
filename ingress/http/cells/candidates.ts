import type { Context } from 'koa'
import { Id } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import type { Reference } from '#sql/account/move/moved.ts'

const secretForm = /^(?:[a-z][a-z0-9]{0,15}_)?[0-9A-Za-z]{43}$/

const most = 4

/**
 * Returns the references in a request without a key that can belong to a moved organisation: IDs, including IDs in
 * tokens, and the host.
 */
export function findCellReferences({ url }: Context, host: string): Reference[] {
  const parts = url.split(/[/?&=#]/)
  const tokens = parts.filter((part) => part.startsWith('eyJ') && part.includes('.')).slice(0, most)
  const ids = [...parts, ...tokens.flatMap(valuesOf)].filter((text) => text.length === 36 && Id.safeParse(text).success)
  const secrets = [...tokens, ...parts.filter((part) => secretForm.test(part))]
  const said = (kind: Reference['kind'], values: readonly string[]): Reference[] =>
    [...new Set(values)].slice(0, most).map((value) => ({ kind, value: value.toLowerCase() }))
  return [
    ...said('id', ids),
    ...said('token', secrets.slice(0, most).map(hashSecret)),
    ...(host.includes('.') ? said('host', [host]) : []),
  ]
}

function valuesOf(token: string): string[] {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
    return Object.values(payload ?? {}).filter((value) => typeof value === 'string')
  } catch {
    return []
  }
}
