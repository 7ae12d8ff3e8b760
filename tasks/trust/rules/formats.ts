import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import { z } from 'zod'
import { toStorableText } from '#lib/outside-text.ts'
import type { Feed } from '#sql/trust/feeds.ts'
import { type CanonicalUrl, canonicalizeUrl } from '#sql/trust/safe-browsing/canonical-url.ts'
import { getPrefix, hashExpression, listExpressions } from '#sql/trust/safe-browsing/expressions.ts'
import { isPublicSuffix } from '#sql/trust/safe-browsing/hosts.ts'
import type { StagedEntry } from '#sql/trust/staging.ts'
import { SourceError } from '../../sources/rules/source-error.ts'

/** Entries of a feed, line by line. `null` for a line without a usable entry. */
export type Lines = AsyncIterable<StagedEntry | null>

/** Maximum number of characters of a line: the longest URL that browsers accept, and other columns. */
const longestLine = 65_536

export const mostBytes = 2 ** 30
export const mostLines = 5_000_000

export async function* readFeed(feed: Pick<Feed, 'kind' | 'category'>, bytes: AsyncIterable<Buffer>): Lines {
  const text = bounded(await plain(bytes))
  let lines = 0
  for await (const line of feed.kind === 'urlhaus' ? readUrlhaus(text) : readList(text, feed.category)) {
    if (++lines > mostLines) throw new SourceError(`The feed has more than ${mostLines} lines.`)
    yield line
  }
}

async function plain(bytes: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer>> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first = await iterator.next()
  const head: Buffer = first.done ? Buffer.alloc(0) : first.value
  const whole = Readable.from(
    (async function* () {
      yield head
      yield* { [Symbol.asyncIterator]: () => iterator }
    })(),
  )
  return head[0] === 0x1f && head[1] === 0x8b ? pipeline(whole, createGunzip(), () => {}) : whole
}

async function* bounded(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > mostBytes) throw new SourceError(`The feed is larger than ${mostBytes} bytes.`)
    yield chunk
  }
}

const categoryOfThreat: Record<string, string> = { malware_download: 'malware', phishing: 'phishing' }
const Instant = z.iso
  .datetime({ local: true })
  .transform((text) => new Date(`${text}Z`))
  .catch(() => new Date(Number.NaN))

/**
 * Reads URLhaus’ CSV: id, dateadded, url, url_status, last_online, threat, tags, urlhaus_link, reporter
 * (urlhaus.abuse.ch/api).
 */
async function* readUrlhaus(text: AsyncIterable<Buffer>): Lines {
  const rows = Readable.from(text).pipe(
    parse({
      comment: '#',
      comment_no_infix: true,
      relaxColumnCount: true,
      relax_quotes: true,
      trim: true,
      max_record_size: longestLine,
    }),
  )
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      const [, added = '', url = '', , , threat = '', tags = ''] = row
      const listed = listedUrl(url, categoryOfThreat[threat] ?? 'malware')
      const seen = Instant.parse(added.replace(' ', 'T'))
      yield listed && { ...listed, detail: shortened(tags), first_seen: Number.isNaN(seen.getTime()) ? null : seen }
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')) {
      throw new SourceError(`The feed is not valid CSV: ${error.message}`)
    }
    throw error
  }
}

/** Reads a URL, a host, or a line of a hosts file per line. Text after `#` is a comment, unless it is part of a URL. */
async function* readList(text: AsyncIterable<Buffer>, category: string): Lines {
  for await (const line of linesOf(text)) {
    const words = line.trim().split(/\s+/)
    if (words[0] === '' || words[0]?.startsWith('#') || words[0]?.startsWith('!')) continue
    const isHosts = /^(0\.0\.0\.0|127\.0\.0\.1|::1?)$/.test(words[0] ?? '') && words[1] !== undefined
    const word = (isHosts ? words[1] : words[0]) as string
    yield /[/?]/.test(word) ? listedUrl(word, category) : listedHost(word, category)
  }
}

async function* linesOf(text: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of Readable.from(text).setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLine) throw new SourceError(`A line of the feed has more than ${longestLine} characters.`)
    yield* lines
  }
  yield rest
}

const listedAt = (url: CanonicalUrl, exact: boolean, category: string): StagedEntry => {
  const hash = exact ? (listExpressions(url)[0]?.hash as Buffer) : hashExpression(`${url.host}/`)
  return { prefix: getPrefix(hash), hash, exact, category, detail: null, first_seen: null }
}

/** Matches only this URL, because others may use the same host, such as a code hosting site. */
function listedUrl(text: string, category: string): StagedEntry | null {
  const url = canonicalizeUrl(text)
  return url && (!url.named || isName(url.host)) ? listedAt(url, true, category) : null
}

/** Matches a host with all its URLs and subdomains. Public suffixes are skipped. */
function listedHost(text: string, category: string): StagedEntry | null {
  const url = canonicalizeUrl(text.replace(/^\*?\./, ''))
  if (!url || (url.named && !isOwned(url.host))) return null
  return listedAt(url, false, category)
}

const isName = (host: string) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(host)

const isOwned = (host: string) => isName(host) && !isPublicSuffix(host)

const shortened = (text: string) => (text === '' || text === 'None' ? null : toStorableText(text, 200))
