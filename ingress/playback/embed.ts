import type { Context } from 'koa'
import { config, publicUrl } from '#lib/config.ts'
import { headerOf } from '#lib/origin.ts'
import { toProblem } from '../http/problems.ts'
import { page, sentenceBlock } from './embed-page.ts'
import { sentenceFor } from './sentences.ts'

/** What a player page is made of. */
export interface Embed<Right> {
  storageOrigin: string
  /** Whether it may be played, and what is known of it then. */
  admitted: Promise<Right>
  content: (right: Right) => string
  /** What is played, as its owner calls it. */
  title: (right: Right) => string | null
}

/**
 * Answers with the player page; its address says what it plays, so that it needs no word of the playback token in its text.
 * Whoever is refused is told in words, as this is a page that people see; so is who comes while the database is away.
 */
export async function sendEmbed<Right extends { embed_origins: readonly string[] }>(
  ctx: Context,
  { storageOrigin, admitted, content, title }: Embed<Right>,
): Promise<void> {
  try {
    const right = await admitted
    send(ctx, storageOrigin, page(content(right), title(right)), framedBy(right.embed_origins))
  } catch (error) {
    const problem = toProblem(error)
    if (problem.status === 500) throw error
    send(ctx, storageOrigin, page(sentenceBlock(sentenceFor(problem.code))))
    ctx.status = problem.status
    if (problem.retryAfter !== undefined) ctx.set('retry-after', String(problem.retryAfter))
  }
}

/**
 * Unless its owner has named sites, any may frame it: the token is bound to the host that serves the player, not to the page
 * around it. Pages of our own always may.
 */
function framedBy(origins: readonly string[]): string {
  if (origins.length === 0) return '*'
  const ours = config.PUBLIC_URL ? [new URL(publicUrl()).origin] : []
  return ["'self'", ...ours, headerOf(origins)].join(' ')
}

function send(ctx: Context, storageOrigin: string, body: string, ancestors = '*'): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${storageOrigin}`,
    // The player library begins its captions with an empty track of its own.
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
