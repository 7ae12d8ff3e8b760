import type { Context } from 'koa'
import { config, publicUrl } from '#lib/config.ts'
import { toOriginHeader } from '#lib/network/origin.ts'
import { toProblem } from '../http/problems.ts'
import { page, renderMessage } from './embed-page.ts'
import { getViewerMessage } from './sentences.ts'

export interface EmbedPage<Right> {
  storageOrigin: string
  admitted: Promise<Right>
  content: (right: Right) => string
  title: (right: Right) => string | null
  /** Origins of images in the content. */
  images?: (right: Right) => Promise<readonly string[]>
  /** Origins of other scripts that the page can load. */
  scripts?: readonly string[]
}

/**
 * Sends the player page. Its URL identifies the video, so the HTML does not contain the playback token. Errors are
 * shown as a web page, even if the database is unavailable.
 */
export async function sendEmbed<Right extends { embed_origins: readonly string[] }>(
  ctx: Context,
  { storageOrigin, admitted, content, title, images, scripts = [] }: EmbedPage<Right>,
): Promise<void> {
  try {
    const right = await admitted
    const from = images ? await images(right) : []
    send(
      ctx,
      { storageOrigin, images: from, scripts },
      page(content(right), title(right)),
      framedBy(right.embed_origins),
    )
  } catch (error) {
    const problem = toProblem(error)
    if (problem.status === 500) throw error
    send(ctx, { storageOrigin, images: [], scripts: [] }, page(renderMessage(getViewerMessage(problem.code))))
    ctx.status = problem.status
    if (problem.retryAfter !== undefined) ctx.set('retry-after', String(problem.retryAfter))
  }
}

/**
 * Returns the sites that can embed the page. Without a list, any site can, because the token is bound to the host that
 * serves the player and not to the embedding page. Millrace's own pages are always allowed.
 */
function framedBy(origins: readonly string[]): string {
  if (origins.length === 0) return '*'
  const ours = config.PUBLIC_URL ? [new URL(publicUrl()).origin] : []
  return ["'self'", ...ours, toOriginHeader(origins)].join(' ')
}

interface Sources {
  storageOrigin: string
  images: readonly string[]
  scripts: readonly string[]
}

function send(ctx: Context, { storageOrigin, images, scripts }: Sources, body: string, ancestors = '*'): void {
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "worker-src 'self'",
    "style-src 'self'",
    ['img-src', "'self'", 'data:', storageOrigin, ...images].join(' '),
    // The player library starts its captions with an empty track, which needs this source.
    `media-src 'self' blob: data: ${storageOrigin}`,
    `connect-src 'self' ${storageOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ]
  ctx.set('content-security-policy', policy.join('; '))
  ctx.set('referrer-policy', 'no-referrer')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = body
}
