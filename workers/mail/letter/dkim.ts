import { createHash, type KeyObject, sign } from 'node:crypto'
import type { SigningKey } from '#tasks/email/engine.ts'
import { relaxedField } from './canonical.ts'

/** Name and raw value of a header field, without the final CRLF. */
export type Field = readonly [name: string, value: string]

/**
 * Header fields that are signed if present (RFC 6376 §5.4.1). Both fields of one-click unsubscription must be signed
 * (RFC 8058 §4).
 */
const signed = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Message-ID',
  'Reply-To',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Feedback-ID',
]

/**
 * Header fields that are signed once more than they occur, so that an added field breaks the signature (RFC 6376
 * §8.15).
 */
const oversigned = ['From', 'Subject']

const names = new Set(signed.map((name) => name.toLowerCase()))

/**
 * Returns one DKIM-Signature field per key, each with its CRLF. Uses relaxed/relaxed canonicalisation and no l= tag.
 * `bodyHash` is the value of bh=. `at` is the signing time in seconds. The signatures are computed on the thread pool.
 */
export async function createSignatures(
  fields: readonly Field[],
  bodyHash: string,
  domain: string,
  keys: readonly SigningKey[],
  at: number,
): Promise<string> {
  // If a name occurs several times, its last field comes first (RFC 6376 §5.4.2).
  const chosen = fields.filter(([name]) => names.has(name.toLowerCase())).toReversed()
  const list = [...chosen.map(([name]) => name), ...oversigned].join(':')
  const canonical = chosen.map(([name, value]) => `${relaxedField(name, value)}\r\n`).join('')
  const made = keys.map(async ({ selector, algorithm, key }) => {
    const tags = `v=1; a=${algorithm}; c=relaxed/relaxed; d=${domain}; s=${selector};\r\n t=${at}; h=${foldList(list)};\r\n bh=${bodyHash};\r\n b=`
    const data = Buffer.from(canonical + relaxedField('DKIM-Signature', tags), 'latin1')
    // Ed25519 signs the hash (RFC 8463 §3).
    const signature =
      algorithm === 'rsa-sha256'
        ? await signWith('sha256', data, key)
        : await signWith(null, createHash('sha256').update(data).digest(), key)
    return `DKIM-Signature: ${tags}${fold(signature)}\r\n`
  })
  return (await Promise.all(made)).join('')
}

const signWith = (digest: string | null, data: Buffer, key: KeyObject): Promise<string> =>
  new Promise((resolve, reject) => {
    sign(digest, data, key, (error, signature) => (error ? reject(error) : resolve(signature.toString('base64'))))
  })

const fold = (text: string): string => text.match(/.{1,72}/g)?.join('\r\n ') ?? ''

/** Inserts line breaks after colons, where white space is allowed (RFC 6376 §3.5). */
const foldList = (list: string): string =>
  list
    .split(':')
    .reduce<string[]>((lines, name) => {
      const last = lines.at(-1)
      if (last === undefined || last.length + name.length > 70) lines.push(name)
      else lines[lines.length - 1] = `${last}:${name}`
      return lines
    }, [])
    .join(':\r\n ')
