import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { Publisher } from '#sql/account/publishers.ts'
import type { Video } from '#sql/directory/videos.ts'
import { getOpenBase, getPublicBase } from '#tasks/video/rules/open-url.ts'
import { type Content, Html, html, queryString } from '../http/html/html.ts'
import { htmlReply } from '../http/html/problem-page.ts'
import { sendPublicPage } from '../http/html/public-page.ts'
import { withTokens } from '../http/html/tokens.ts'

const style = withTokens(new URL('./watch.css', import.meta.url)).toString()
const styleHash = createHash('sha256').update(style).digest('base64')

export const getTitle = ({ title }: Pick<Video, 'title'>): string => title ?? 'Untitled video'

export const viewerPageSettings = {
  method: 'GET',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 600, by: 'ip' },
  ...htmlReply,
  renderProblem,
  problems: ['not_found'],
} as const

export interface Page {
  title: string
  head?: Content
  main: Content
  publisher?: Publisher | null
}

/** Sends a web page where only the player in its frame runs JavaScript. `storageOrigin` is the origin of posters. */
export function sendPage(
  ctx: Context,
  { title, head, main, publisher }: Page,
  { origin = '', storageOrigin = '' }: { origin?: string; storageOrigin?: string } = {},
): void {
  const ours = origin && new URL(getPublicBase(origin)).origin
  sendPublicPage(ctx, {
    title,
    head: html`<style>${new Html(style)}</style>
${head}`,
    main,
    publisher,
    policy: {
      'style-src': `'sha256-${styleHash}'`,
      'img-src': `'self' data: ${ours} ${storageOrigin}`,
      'frame-src': `'self' ${ours}`,
    },
    referrer: 'strict-origin-when-cross-origin',
    caching: 'no-cache',
  })
}

export function renderProblem(ctx: Context, { status }: Problem): void {
  const [title, sentence] =
    status === 404
      ? ['Not found', 'This page does not exist or is not public.']
      : ['Something went wrong', 'Try again in a minute.']
  sendPage(ctx, {
    title,
    head: html`<meta name="robots" content="noindex">`,
    main: html`<h1>${title}</h1><p role="alert">${sentence}</p>`,
  })
}

/** Formats seconds in the way that players do: `1:02:03`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}`
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })

export const formatDay = (at: Date): Html => html`<time datetime="${at.toISOString()}">${day.format(at)}</time>`

const number = new Intl.NumberFormat('en')

export const formatViews = ({ views }: Pick<Video, 'views'>): string =>
  views === 1 ? '1 view' : `${number.format(views)} views`

export const renderVideoGrid = (videos: readonly Video[], origin: string, listId?: string): Html =>
  html`<ul class="grid">${videos.map(
    (video) => html`<li><a href="/watch/${video.id}${queryString({ list: listId })}">
<div class="still">${video.poster && html`<img src="${getOpenBase(origin, video.id)}/poster.jpg" alt="" loading="lazy">`}
${video.duration_seconds !== null && html`<span>${formatDuration(video.duration_seconds)}</span>`}</div>
<strong>${getTitle(video)}</strong></a><span class="quiet">${formatDay(video.published_at)}${video.views > 0 && ` · ${formatViews(video)}`}</span></li>`,
  )}</ul>`
