import type { Context } from 'koa'
import { hashSecret } from '#lib/tokens.ts'
import type { Reference } from '#sql/account/moved.ts'

const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const tokens = /eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{20,100}/g
const secrets = /[/=]((?:[a-z][a-z0-9]{0,15}_)?[0-9A-Za-z]{43})(?![0-9A-Za-z_-])/g

/** How many of each kind are looked up: no route of ours has more in its URL. */
const most = 4

/** What a request without a key may be known by, if its organisation has moved: ids, also those that a token carries, and its host. */
export function candidatesOf({ url }: Context, host: string): Reference[] {
  const given = url.match(tokens)?.slice(0, most) ?? []
  const named = [url, ...given.map(payloadOf)].flatMap((text) => text.match(ids) ?? [])
  const short = [...url.matchAll(secrets)].map(([, secret = '']) => secret)
  const said = (kind: Reference['kind'], values: readonly string[]): Reference[] =>
    [...new Set(values)].slice(0, most).map((value) => ({ kind, value: value.toLowerCase() }))
  return [
    ...said('id', named),
    ...said('token', [...given, ...short].slice(0, most).map(hashSecret)),
    ...(host.includes('.') ? said('host', [host]) : []),
  ]
}

const payloadOf = (token: string): string => Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('latin1')
