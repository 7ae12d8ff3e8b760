import type { Context } from 'koa'
import { Problem } from '#lib/errors.ts'

/**
 * Answers with the player page once `admitted` resolves; it plays what lies beside it, so that it needs no word of the token
 * in its text. Whoever is refused is told in words, as this is a page that people see.
 */
export async function sendEmbed(ctx: Context, storageOrigin: string, admitted: Promise<unknown>): Promise<void> {
  try {
    await admitted
    send(ctx, storageOrigin, player)
  } catch (error) {
    if (!(error instanceof Problem) || !(error.status in sentences)) throw error
    send(ctx, storageOrigin, told(sentences[error.status] ?? ''))
    ctx.status = error.status
  }
}

/** As player.js tells them when they come out later. */
const sentences: Record<number, string> = {
  403: 'This link is not valid any more.',
  404: 'This video is not here.',
}

function send(ctx: Context, storageOrigin: string, content: string): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${storageOrigin}`,
    `media-src 'self' blob: ${storageOrigin}`,
    `connect-src 'self' ${storageOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
  ]
  ctx.set('content-security-policy', policy.join('; '))
  ctx.set('referrer-policy', 'no-referrer')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = page(content)
}

const page = (content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Video</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/v1/stream/player/player.css">
</head>
<body>
${content}
</body>
</html>
`

const player = `<video id="video" controls playsinline preload="metadata" poster="poster.jpg"></video>
<p id="trouble" role="alert" hidden></p>
<script src="/v1/stream/player/hls.min.js"></script>
<script src="/v1/stream/player/player.js"></script>`

const told = (sentence: string) => `<p id="trouble" role="alert">${sentence}</p>`
