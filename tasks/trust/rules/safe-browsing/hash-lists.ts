import { createHash } from 'node:crypto'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as feeds from '#sql/trust/feeds.ts'
import type { StagedEntry } from '#sql/trust/staging.ts'
import { SourceError } from '../../../sources/rules/source-error.ts'
import type { FeedWithUrl, ImportTools } from '../importing.ts'
import { replaceEntries } from '../replace-entries.ts'
import { threatLists } from './categories.ts'
import { parseJson } from './parse-json.ts'
import { decodeRice } from './rice.ts'

const mostBytes = 256 * 2 ** 20

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'))
const number = z.coerce
  .number()
  .int()
  .min(0)
  .max(2 ** 32 - 1)

/** `HashList` in JSON, which omits zero values. */
const HashList = z.object({
  name: z.string(),
  additionsFourBytes: z
    .object({
      firstValue: number.default(0),
      riceParameter: number.max(30).default(0),
      entriesCount: number.max(20_000_000).default(0),
      encodedData: bytes.default(Buffer.alloc(0)),
    })
    .optional(),
  sha256Checksum: bytes.optional(),
  minimumWaitDuration: z
    .string()
    .regex(/^\d+(\.\d+)?s$/)
    .optional(),
})
const HashLists = z.object({ hashLists: z.array(HashList) })

/** Fetches the complete threat lists of Safe Browsing v5 and replaces the stored prefixes. */
export async function importHashLists(feed: FeedWithUrl, tools: ImportTools, anyway: boolean) {
  const { db, own, signal, outbound } = tools
  const key = config.SAFE_BROWSING_KEY
  if (key === undefined) throw new SourceError('`SAFE_BROWSING_KEY` is not set for the workers of the `web` pool.')
  const url = new URL('v5/hashLists:batchGet', feed.url)
  for (const name of Object.keys(threatLists)) url.searchParams.append('names', name)
  const options = { timeout: 5 * 60_000, maxBytes: mostBytes, signal, headers: { 'x-goog-api-key': key } }
  const { status, body } = await outbound.request(url.href, options)
  if (status !== 200) throw new SourceError(`Safe Browsing returned ${status}.`)
  const parsed = HashLists.safeParse(parseJson(body))
  if (!parsed.success)
    throw new SourceError(`The response of Safe Browsing is invalid: ${z.prettifyError(parsed.error)}`)
  const { hashLists } = parsed.data
  const waits = hashLists.map(({ minimumWaitDuration = '0s' }) => Number.parseFloat(minimumWaitDuration))
  const read = hashLists.map((list) => ({ category: threatLists[list.name], hashes: hashesOf(list) }))
  const imported = await replaceEntries(db, feed, entriesOf(read), { own, signal, anyway })
  await feeds.postpone(db, feed.id, Math.min(86_400, Math.max(0, ...waits)))
  return imported
}

/** Returns the four-byte hashes of a list, concatenated. Throws if its checksum does not match. */
function hashesOf({ name, additionsFourBytes, sha256Checksum }: z.infer<typeof HashList>): Buffer {
  if (!additionsFourBytes) return Buffer.alloc(0)
  const values = decode(name, additionsFourBytes)
  // Big-endian, from version 5 on.
  const hashes = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) hashes.writeUInt32BE(value, i * 4)
  if (sha256Checksum && !createHash('sha256').update(hashes).digest().equals(sha256Checksum)) {
    throw new SourceError(`The checksum of the Safe Browsing list ${name} does not match.`)
  }
  return hashes
}

function decode(name: string, additions: Parameters<typeof decodeRice>[0]): Uint32Array {
  try {
    return decodeRice(additions)
  } catch (error) {
    if (error instanceof RangeError)
      throw new SourceError(`The Safe Browsing list ${name} is invalid: ${error.message}`)
    throw error
  }
}

async function* entriesOf(
  lists: readonly { category: string | undefined; hashes: Buffer }[],
): AsyncGenerator<StagedEntry> {
  for (const { category, hashes } of lists) {
    if (category === undefined) continue
    for (let at = 0; at < hashes.length; at += 4) {
      const hash = hashes.subarray(at, at + 4)
      yield { prefix: hash.readInt32BE(), hash, exact: false, category, detail: null, first_seen: null }
    }
  }
}
