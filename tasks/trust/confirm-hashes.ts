import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as confirmations from '#sql/trust/confirmations.ts'
import type { Tools } from '../pools.ts'
import { type Attempt, task } from '../queue/task.ts'
import { SourceError } from '../sources/rules/source-error.ts'
import { categoryOfThreatType } from './rules/safe-browsing/categories.ts'
import { parseJson } from './rules/safe-browsing/parse-json.ts'

const SearchHashesResponse = z.object({
  fullHashes: z
    .array(
      z.object({
        fullHash: z.base64().transform((text) => Buffer.from(text, 'base64')),
        fullHashDetails: z.array(z.object({ threatType: z.string() })).default([]),
      }),
    )
    .default([]),
  cacheDuration: z
    .string()
    .regex(/^\d+(\.\d+)?s$/)
    .default('300s'),
})

/**
 * Requests the full hashes for prefixes from Safe Browsing, and stores them for as long as it allows. Callers wait for
 * it with `ask` (tasks/queue/ask.ts).
 */
export const confirmHashes = task({
  name: 'trust/confirm-hashes',
  pool: 'web',
  payload: z.object({ url: z.string(), prefixes: z.array(z.number().int()).max(30) }),
  tracked: true,
  attempts: 1,
  timeout: 5_000,
  run: ({ url, prefixes }, tools) => confirmPrefixes(tools, url, prefixes),
})

/**
 * Requests the full hashes for up to 30 prefixes from Safe Browsing at `base`, and stores them. Throws `SourceError` and
 * `OutboundError`.
 */
export async function confirmPrefixes(
  { db, outbound, signal }: Pick<Attempt & Tools['web'], 'db' | 'outbound' | 'signal'>,
  base: string,
  prefixes: readonly number[],
): Promise<confirmations.Confirmation[]> {
  const key = config.SAFE_BROWSING_KEY
  if (key === undefined) throw new SourceError('`SAFE_BROWSING_KEY` is not set for the workers of the `web` pool.')
  const url = new URL('v5/hashes:search', base)
  for (const prefix of prefixes) url.searchParams.append('hashPrefixes', bytesOf(prefix).toString('base64'))
  const options = { timeout: 4_000, maxBytes: 2 ** 20, signal, headers: { 'x-goog-api-key': key } }
  const { status, body } = await outbound.request(url.href, options)
  if (status !== 200) throw new SourceError(`Safe Browsing returned ${status}.`)
  const answer = SearchHashesResponse.safeParse(parseJson(body))
  if (!answer.success) throw new SourceError('The response of Safe Browsing does not match its documentation.')
  const { fullHashes, cacheDuration } = answer.data
  const found = prefixes.map((prefix) => ({
    prefix,
    hashes: fullHashes
      .filter(({ fullHash }) => fullHash.length === 32 && fullHash.readInt32BE() === prefix)
      .map(({ fullHash, fullHashDetails }) => ({
        hash: fullHash.toString('hex'),
        categories: [...new Set(fullHashDetails.flatMap(({ threatType }) => categoryOfThreatType[threatType] ?? []))],
      }))
      .filter(({ categories }) => categories.length > 0),
  }))
  await confirmations.put(db, found, Math.min(86_400, Math.max(1, Number.parseFloat(cacheDuration))))
  return found
}

function bytesOf(prefix: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(prefix)
  return bytes
}
