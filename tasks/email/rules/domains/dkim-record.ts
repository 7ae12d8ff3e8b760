import { toStorableText } from '#lib/outside-text.ts'
import type { Check, DkimKey } from '#sql/email/domains.ts'
import { readTags } from './tags.ts'

const shown = (text: string) => toStorableText(text, 500)

const different = (texts: readonly string[], why: string): Check => ({
  state: 'different',
  found: `${why} Found: ${shown(texts.join(' | '))}`,
})

/** Compares a DKIM record with its key (RFC 6376 §3.6.1). */
export function checkKeyRecord(texts: readonly string[], key: Pick<DkimKey, 'algorithm' | 'public_key'>): Check {
  const [text, ...more] = texts
  if (text === undefined) return { state: 'missing', found: null }
  // RFC 6376 §3.6.2.2: the result of several records is undefined.
  if (more.length > 0) return different(texts, 'Only one record is allowed.')
  const tags = readTags(text)
  if (!tags) return different(texts, 'The record must be a list of tags, such as v=DKIM1; k=rsa; p=….')
  const fault = faultOf(tags, key)
  return fault ? different(texts, fault) : { state: 'found', found: shown(text) }
}

function faultOf(tags: ReadonlyMap<string, string>, key: Pick<DkimKey, 'algorithm' | 'public_key'>) {
  const kind = key.algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'
  const list = (name: string) =>
    tags
      .get(name)
      ?.split(':')
      .map((part) => part.trim().toLowerCase())
  if (tags.has('v') && (tags.get('v') !== 'DKIM1' || tags.keys().next().value !== 'v'))
    return 'The record must start with v=DKIM1.'
  if ((tags.get('k') ?? 'rsa').toLowerCase() !== kind) return `The tag k= must be ${kind}.`
  if (tags.get('p') === undefined) return 'The tag p=, which contains the key, is missing.'
  if (tags.get('p') === '') return 'The key is revoked: p= is empty.'
  if (tags.get('p')?.replace(/\s+/g, '') !== key.public_key)
    return 'The tag p= contains a different key, or only a part of the key.'
  if (!(list('h') ?? ['sha256']).includes('sha256')) return 'The tag h= must allow sha256.'
  if (!(list('s') ?? ['*']).some((service) => service === '*' || service === 'email'))
    return 'The tag s= must allow email.'
  return undefined
}
