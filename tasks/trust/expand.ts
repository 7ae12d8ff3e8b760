import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { OutboundError, type OutboundFault } from '#lib/network/address-guard.ts'
import { ThreadLimitError } from '#lib/threads.ts'
import type { Tools } from '../pools.ts'
import { task } from '../queue/task.ts'

const mostRedirects = 5

/** One URL of the redirects and its response. The last URL has no response if it could not be requested. */
export interface Hop {
  url: string
  status: number | null
  by: 'location' | 'meta_refresh' | null
}

/** Redirects of a URL, and the reason if they were not followed to the end. `busy`: Millrace had no capacity. */
export interface Expansion {
  hops: Hop[]
  fault: OutboundFault | 'busy' | null
}

/**
 * Follows the redirects of a URL without cookies and over guarded connections. Callers wait for it with `ask`
 * (tasks/queue/ask.ts).
 */
export const expand = task({
  name: 'trust/expand',
  pool: 'web',
  payload: z.object({ url: z.string(), orgId: Id }),
  tracked: true,
  attempts: 1,
  timeout: 10_000,
  async run({ url, orgId }, { outbound, metaRefresh, signal }): Promise<Expansion> {
    return await follow(url, { outbound, metaRefresh, signal, orgId })
  },
})

interface FollowTools extends Pick<Tools['web'], 'outbound' | 'metaRefresh'> {
  signal: AbortSignal
  orgId: string
}

async function follow(first: string, following: FollowTools): Promise<Expansion> {
  const hops: Hop[] = []
  const deadline = Date.now() + 8_000
  for (let next: string | undefined = first; next !== undefined; ) {
    const hop: Hop = { url: next, status: null, by: null }
    hops.push(hop)
    if (hops.length > mostRedirects + 1) return { hops, fault: 'too_many_redirects' }
    try {
      next = await ask(hop, { ...following, timeout: Math.max(1, Math.min(4_000, deadline - Date.now())) })
    } catch (error) {
      if (error instanceof OutboundError) return { hops, fault: error.shown }
      if (error instanceof ThreadLimitError) return { hops, fault: 'busy' }
      throw error
    }
  }
  return { hops, fault: null }
}

async function ask(
  hop: Hop,
  { outbound, metaRefresh, orgId, ...asking }: FollowTools & { timeout: number },
): Promise<string | undefined> {
  const headers = { accept: 'text/html,*/*;q=0.8', 'user-agent': 'Millrace (link check)' }
  const limits = { maxBytes: 65_536, bodyOptional: true }
  const { status, headers: told, body } = await outbound.request(hop.url, { ...asking, ...limits, headers })
  hop.status = status
  const location = status >= 300 && status < 400 ? told.location : undefined
  const isPage = String(told['content-type']).startsWith('text/html')
  const target =
    typeof location === 'string' ? location : isPage ? await metaRefresh(body.toString(), orgId) : undefined
  if (target === undefined) return
  hop.by = location === undefined ? 'meta_refresh' : 'location'
  const url = URL.parse(target, hop.url)
  if (!url) throw new OutboundError('bad_url', 'The redirect target is not a URL.')
  return url.href
}
