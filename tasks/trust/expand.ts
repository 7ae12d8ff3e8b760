import { z } from 'zod'
import { OutboundError, type OutboundFault } from '#lib/address-guard.ts'
import type { OutboundClient } from '#lib/http.ts'
import { task } from '../queue/task.ts'

/** Redirects that are followed. */
const mostRedirects = 5

/** One URL on the way, and what it answered; none for the last one when it could not be asked. */
export interface Hop {
  url: string
  status: number | null
  /** How it leads on. */
  by: 'location' | 'meta_refresh' | null
}

/** Where a URL leads, and why the way was not followed to its end, if so. */
export interface Expansion {
  hops: Hop[]
  fault: OutboundFault | null
}

/** Follows the redirects of a URL, without cookies and over guarded connections: a question (tasks/queue/ask.ts). */
export const expand = task({
  name: 'trust/expand',
  pool: 'web',
  payload: z.object({ url: z.string() }),
  tracked: true,
  attempts: 1,
  timeout: 10_000,
  async run({ url }, { outbound, signal }): Promise<Expansion> {
    return await follow(url, outbound, signal)
  },
})

async function follow(first: string, outbound: OutboundClient, signal: AbortSignal): Promise<Expansion> {
  const hops: Hop[] = []
  const deadline = Date.now() + 8_000
  for (let next: string | undefined = first; next !== undefined; ) {
    const hop: Hop = { url: next, status: null, by: null }
    hops.push(hop)
    if (hops.length > mostRedirects + 1) return { hops, fault: 'too_many_redirects' }
    try {
      next = await ask(hop, { outbound, signal, timeout: Math.max(1, Math.min(4_000, deadline - Date.now())) })
    } catch (error) {
      if (error instanceof OutboundError) return { hops, fault: error.code }
      throw error
    }
  }
  return { hops, fault: null }
}

interface Asking {
  outbound: OutboundClient
  signal: AbortSignal
  timeout: number
}

/** Asks for one URL; returns where it leads. */
async function ask(hop: Hop, { outbound, ...asking }: Asking): Promise<string | undefined> {
  const headers = { accept: 'text/html,*/*;q=0.8', 'user-agent': 'Millrace (link check)' }
  const limits = { maxBytes: 65_536, tooLong: 'cut' as const }
  const { status, headers: told, body } = await outbound.request(hop.url, { ...asking, ...limits, headers })
  hop.status = status
  const location = status >= 300 && status < 400 ? told.location : undefined
  const target = typeof location === 'string' ? location : await refreshOf(told['content-type'], body)
  if (target === undefined) return
  hop.by = location === undefined ? 'meta_refresh' : 'location'
  const url = URL.parse(target, hop.url)
  if (!url) throw new OutboundError('bad_url', 'It leads to what is not a URL.')
  return url.href
}

/** Where the head of a page leads on by `<meta http-equiv="refresh">` (HTML, "Refresh state"). */
async function refreshOf(type: string | string[] | undefined, body: Buffer): Promise<string | undefined> {
  if (!String(type).startsWith('text/html') || !/http-equiv/i.test(body.toString('latin1'))) return
  // Only here: the ingress, which knows this task, has no use for it.
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(body.toString())
  for (const meta of document.querySelectorAll('meta')) {
    const given = new Map([...meta.attributes].map(({ name, value }) => [name.toLowerCase(), value]))
    if (given.get('http-equiv')?.toLowerCase() !== 'refresh') continue
    const [, url] = /^[\s\d.]*[;,\s]\s*(?:url\s*=\s*)?(.+)$/is.exec(given.get('content') ?? '') ?? []
    const target = url?.trim().replace(/^(['"])(.*)\1$/s, '$2')
    if (target) return target
  }
  return
}
