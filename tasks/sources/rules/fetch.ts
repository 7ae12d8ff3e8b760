import type { OutboundClient, OutboundResponse, OutboundStream } from '#lib/http.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Validators } from '#sql/sources/schedule.ts'
import { SourceError } from './source-error.ts'

const redirects = 5

/** Maximum length of a validator. Longer validators are not sent back to the server. */
const longestValidator = 500

type Headers = OutboundResponse['headers']

function validatorOf(headers: Headers, name: string): string | null {
  const value = [headers[name]].flat()[0]
  return value === undefined || value.length > longestValidator ? null : toStorableText(value)
}

export const validatorsOf = (headers: Headers): Validators => ({
  etag: validatorOf(headers, 'etag'),
  last_modified: validatorOf(headers, 'last-modified'),
})

const conditionsOf = ({ etag, last_modified }: Validators): Record<string, string> => ({
  ...(etag !== null && { 'if-none-match': etag }),
  ...(last_modified !== null && { 'if-modified-since': last_modified }),
})

function checkStatus({ status, hops }: Pick<OutboundResponse, 'status' | 'hops'>, server: string): void {
  if (status === 200) return
  const passes = status >= 500 || status === 429 || status === 408
  const facts = { code: 'http_status', passing: passes, http_status: status, final_url: hops.at(-1) }
  throw new SourceError(`${server} returned ${status}.`, facts)
}

interface FileRequest {
  timeout: number
  maxBytes: number
  signal: AbortSignal
  headers?: Record<string, string>
  /** Name of the server in errors. */
  server?: string
  /** True to reject redirects to URLs that are not https. */
  secure?: boolean
}

/**
 * Fetches a file of any size if it has changed since `known`. Returns the result of `take`, which reads the body.
 * Throws `SourceError` and `OutboundError`.
 */
export async function fetchFile<T>(
  outbound: OutboundClient,
  { url, ...known }: Validators & { url: string },
  { timeout, maxBytes, signal, headers, server = 'The server', secure = false }: FileRequest,
  take: (response: OutboundStream, validators: Validators) => Promise<T>,
): Promise<T | 'unchanged'> {
  const options = { timeout, maxBytes, redirects, signal, headers: { ...headers, ...conditionsOf(known) } }
  return await outbound.stream(url, options, async (response) => {
    if (secure && response.hops.some((hop) => !hop.startsWith('https:')))
      throw new SourceError(`${server} redirects to a URL that is not https.`)
    if (response.status === 304) return 'unchanged'
    checkStatus(response, server)
    return await take(response, validatorsOf(response.headers))
  })
}

interface PageRequest {
  /** Name of the client in the `User-Agent` header. */
  client: string
  accept: string
  maxBytes: number
  /** Organisation that requests the page. */
  holder: string
  signal: AbortSignal
  /** Validators of the stored page. Omit them if no page is stored. */
  known?: Validators | undefined
}

const pageTimeoutMs = 30_000

/**
 * Fetches a page into memory. The status is 200, or 304 if the page has not changed since `known`. Throws `SourceError`
 * and `OutboundError`.
 */
export async function fetchPage(
  outbound: OutboundClient,
  url: string,
  { client, accept, maxBytes, holder, signal, known }: PageRequest,
): Promise<OutboundResponse> {
  const agent = { 'user-agent': `Mozilla/5.0 (compatible; ${client}/1.0)`, accept }
  const headers = { ...agent, ...(known && conditionsOf(known)) }
  const response = await outbound.request(url, { headers, timeout: pageTimeoutMs, maxBytes, redirects, holder, signal })
  if (response.status === 304 && known) return response
  checkStatus(response, 'The server')
  if (response.body.length === 0) {
    const facts = { code: 'empty', http_status: 200, final_url: response.hops.at(-1) }
    throw new SourceError('The server returned 200 with an empty body.', facts)
  }
  return response
}
