import type { Context } from 'koa'
import { open } from '../pages/open-routes.ts'

/** Scripts and requests stay with this host; the page's own library writes inline styles and data: images. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What routes have in common whose page shows the OpenAPI document at `document`. */
export function docsPage(title: string, document: string) {
  return {
    ...open,
    raw: 'text/html',
    handle: async ({ ctx }: { ctx: Context }) => sendDocs(ctx, title, document),
  } as const
}

function sendDocs(ctx: Context, title: string, document: string): void {
  ctx.set('content-security-policy', docsPolicy)
  ctx.set('referrer-policy', 'no-referrer')
  ctx.set('cache-control', 'no-cache')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<script src="/docs/assets/theme.js"></script>
</head>
<body>
<a href="/docs">Guides and all areas</a>
<div id="docs" data-document="${document}"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/assets/reference.js"></script>
</body>
</html>
`
}
