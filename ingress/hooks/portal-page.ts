import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import * as publishers from '#sql/account/publishers.ts'
import { type Content, Html, html } from '../http/html/html.ts'
import { htmlReply } from '../http/html/problem-page.ts'
import { sendPublicPage } from '../http/html/public-page.ts'
import { withTokens } from '../http/html/tokens.ts'
import { route } from '../http/route.ts'
import { findPortalHolder } from './portal/holder.ts'

const style = withTokens(`* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; padding: 24px; background: var(--page); color: var(--text); font: 16px/1.5 var(--font); }
main { max-width: 60rem; margin: 0 auto; padding: 24px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 12px; font-size: 1.35rem; line-height: 1.25; overflow-wrap: anywhere; }
mill-webhooks { --webhooks-background: var(--card); --webhooks-strong: var(--strong); --webhooks-on-strong: var(--on-strong); padding: 0; }
@media (max-width: 40rem) { body { padding: 0; } main { border: 0; border-radius: 0; padding: 16px; min-height: 100vh; } }
`).toString()

const hash = createHash('sha256').update(style).digest('base64')

const policy = {
  'style-src': `'sha256-${hash}'`,
  'script-src': "'self'",
  'connect-src': "'self'",
  'require-trusted-types-for': "'script'",
}

interface Page {
  title: string
  main: Content
  language?: 'en' | 'de'
  publisher?: publishers.Publisher | null
}

/** The page cannot be framed, is not indexed, and sends no referrer, because its URL gives access. */
function sendPage(ctx: Context, { title, main, language = 'en', publisher }: Page): void {
  sendPublicPage(ctx, {
    title,
    language,
    head: html`<style>${new Html(style)}</style>`,
    main: html`<h1>${title}</h1>
${main}`,
    policy,
    publisher,
    unlisted: true,
  })
}

function renderProblem(ctx: Context, { status }: Problem): void {
  const [title, sentence] =
    status === 404
      ? ['This link does not work', 'The link is incomplete or has expired. Open this page again from your account.']
      : ['Something went wrong', 'Nothing has changed. Try again in a minute.']
  sendPage(ctx, { title, main: html`<p role="alert">${sentence}</p>` })
}

export const show = route({
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 300, by: 'ip' },
  ...htmlReply,
  renderProblem,
  problems: ['not_found'],
  method: 'GET',
  path: '/hooks/portal/{token}',
  summary: 'Show the webhook portal of an app',
  async handle({ ctx, db, params: { token }, services }) {
    const { app } = await findPortalHolder(db, services, token, 'page')
    sendPage(ctx, {
      title: `Webhooks: ${app.name}`,
      language: ctx.acceptsLanguages('en', 'de') === 'de' ? 'de' : 'en',
      publisher: await publishers.find(db, app.org_id),
      main: html`<mill-webhooks token="${token}"></mill-webhooks>
<noscript><p>Turn on JavaScript to use this page.</p></noscript>
<script type="module" src="/v1/hooks/portal-element.js"></script>`,
    })
  },
})
