import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { Problem } from '#lib/errors.ts'
import type { Publisher } from '#sql/account/publishers.ts'
import { type Content, Html, html } from '../http/html/html.ts'
import { htmlReply } from '../http/html/problem-page.ts'
import { sendPublicPage } from '../http/html/public-page.ts'
import { withTokens } from '../http/html/tokens.ts'

const style = withTokens(`* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--page); color: var(--text);
  font: 17px/1.5 var(--font); }
main { width: 100%; max-width: 30rem; padding: 32px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 12px; font-size: 1.35rem; line-height: 1.25; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
p:last-child { margin-bottom: 0; }
.quiet { color: var(--quiet); font-size: .9rem; }
button { width: 100%; min-height: 48px; padding: 10px 20px; border: 0; border-radius: 8px; background: var(--strong); color: var(--on-strong);
  font: inherit; font-weight: 600; cursor: pointer; }
button:hover { filter: brightness(1.1); }
button:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
form { margin: 8px 0 16px; }
button.plain { background: none; color: var(--text); border: 1px solid var(--line); }
fieldset { margin: 0 0 16px; padding: 12px 16px; border: 1px solid var(--line); border-radius: 8px; }
legend { padding: 0 6px; font-weight: 600; overflow-wrap: anywhere; }
.choice { display: flex; gap: 10px; min-height: 32px; padding: 6px 0; align-items: flex-start; }
.choice input { flex: none; width: 20px; height: 20px; margin: 2px 0 0; accent-color: var(--strong); }
.choice .quiet { display: block; }
.field { margin: 0 0 16px; }
.field label { display: block; margin: 0 0 4px; font-weight: 600; }
.field input { width: 100%; min-height: 44px; padding: 8px 12px; border: 1px solid var(--edge); border-radius: 8px; background: var(--page);
  color: var(--text); font: inherit; }
.field input:focus-visible { outline: 3px solid var(--strong); outline-offset: 1px; }
.fault { color: var(--bad); }
.trap { position: absolute; left: -9999px; }
`).toString()

const styleHash = createHash('sha256').update(style).digest('base64')

const policy = { 'style-src': `'sha256-${styleHash}'`, 'form-action': "'self'" }

export interface Page {
  title: string
  main: Content
  publisher?: Publisher | null
  head?: Content
  /** Additions to the policy of the page. */
  policy?: Readonly<Record<string, string>>
}

/** Sends a web page that has no JavaScript, cannot be framed, is not indexed and sends no referrer. */
export function sendPage(ctx: Context, { title, main, publisher, head, policy: more }: Page): void {
  sendPublicPage(ctx, {
    title,
    head: html`<style>${new Html(style)}</style>${head}`,
    main: html`<h1>${title}</h1>
${main}`,
    policy: { ...policy, ...more },
    publisher,
    unlisted: true,
  })
}

export function renderProblem(ctx: Context, { status }: Problem): void {
  const [title, sentence] =
    status === 404
      ? [
          'This link does not work',
          'The link is incomplete or has expired. Open the link in the message, or reply to the sender.',
        ]
      : ['Something went wrong', 'Nothing has changed. Try again in a minute.']
  sendPage(ctx, { title, main: html`<p role="alert">${sentence}</p>` })
}

export const button = (label: string, action = ''): Html =>
  html`<form method="post" action="${action}"><button>${label}</button></form>`

/** Masks an email address. The owner can recognise it, but others cannot learn it from a forwarded email. */
export function maskAddress(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, 1)}…${email.slice(at)}`
}

export const getSenderName = ({ from_name, from_email }: { from_name: string | null; from_email: string }): string =>
  from_name ? `${from_name} (${from_email})` : from_email

/** The URLs are not logged, because they are secrets. */
export const sharedRouteOptions = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  // There is no limit, because mailbox providers send requests for all their users from few IP addresses.
  limit: false,
  ...htmlReply,
  renderProblem,
  problems: ['not_found'],
} as const
