import { z } from 'zod'
import { hashSecret } from '#lib/tokens.ts'
import type { Db } from '#sql/db.ts'
import * as tokens from '#sql/guard/tokens.ts'
import { type Content, html, queryString } from '../http/html/html.ts'
import { formFields } from '../http/pages/form-fields.ts'
import { route } from '../http/route.ts'
import { findSiteByKey, tokenField } from './noscript.ts'
import { publicPageSettings, sendPage } from './page.ts'

const action = 'demo'

const WidgetOptions = {
  auto: z.enum(['off', 'onload', 'onfocus', 'onsubmit']).default('off'),
  lang: z.string().max(20).default(''),
  theme: z.enum(['light', 'dark', 'auto']).default('auto'),
  workers: z.stringFormat('number of workers', /^[0-8]$/).optional(),
}

export const show = route({
  ...publicPageSettings,
  method: 'GET',
  path: '/demo',
  summary: 'Show the demo form with the widget',
  query: z.strictObject({
    ...WidgetOptions,
    sitekey: z.string().max(200).optional(),
    [tokenField]: z.string().max(200).optional(),
  }),
  problems: ['not_found'],
  async handle({ ctx, db, query, origin, services }) {
    const { sitekey, auto, lang, theme, workers } = query
    if (sitekey === undefined) return sendPage(ctx, { title: 'Guard', main: explanation })
    const site = await findSiteByKey(db, services, sitekey)
    if (!site.origins.includes(origin)) return sendPage(ctx, { title: 'Guard', main: notThisPage(origin) })
    const back = `${origin}/v1/guard/demo${queryString({ sitekey })}`
    const main = html`<p>The check takes your device about one second. Anyone who sends a million forms needs a million seconds.</p>
<form method="post" action="/v1/guard/demo">
<input type="hidden" name="sitekey" value="${sitekey}">
<label for="name">Your name</label><input id="name" name="name" required maxlength="100" autocomplete="name">
<label for="message">Message</label><textarea id="message" name="message" rows="3" maxlength="1000"></textarea>
${guardField(query[tokenField], { sitekey, auto, lang, theme, workers, back })}
<button id="send">Send</button>
</form>`
    const head = html`<script type="module" src="/v1/guard/widget.js"></script>\n`
    sendPage(ctx, { title: 'Protected form', main, head })
  },
})

const explanation = html`<p>This page shows a form with the widget. Open it with the key of a site that lists this page’s origin: <code>/v1/guard/demo?sitekey=bt_site_…</code>. <code>npm start</code> prints such a URL.</p>`

const notThisPage = (origin: string) =>
  html`<p>The site of this key does not list the origin of this page, <code>${origin}</code>, so the key does not work here.</p>`

function guardField(
  token: string | undefined,
  look: { sitekey: string; auto: string; lang: string; theme: string; workers: string | undefined; back: string },
): Content {
  if (token !== undefined)
    return html`<input type="hidden" name="${tokenField}" value="${token}"><p class="good">Check passed.</p>`
  const { sitekey, auto, lang, theme, workers, back } = look
  return html`<mill-guard sitekey="${sitekey}" action="${action}" auto="${auto}" theme="${theme}"${lang !== '' && html` lang="${lang}"`}${workers !== undefined && html` workers="${workers}"`}></mill-guard>
<noscript><p><a href="/v1/guard/noscript${queryString({ sitekey, action, return: back })}">Pass the check without JavaScript</a> before you fill in the form.</p></noscript>`
}

export const send = route({
  ...publicPageSettings,
  method: 'POST',
  path: '/demo',
  summary: 'Submit the demo form with the widget',
  alsoTakes: { 'application/x-www-form-urlencoded': formFields },
  bodyLimit: 16 * 1024,
  body: z.strictObject({
    sitekey: z.string().max(200),
    name: z.string().max(100),
    message: z.string().max(1000).optional(),
    [tokenField]: z.string().max(200).default(''),
  }),
  problems: ['not_found'],
  async handle({ ctx, db, body, services }) {
    const site = await findSiteByKey(db, services, body.sitekey)
    const { reason, token } = await db.transaction((tx) => spend(tx, site.id, String(body[tokenField])))
    const facts: [string, Content][] = [
      ['valid', String(reason === undefined)],
      ...(reason === undefined ? [] : [['reason', reason] as [string, Content]]),
      ...(token ? [['tier', token.tier] as [string, Content], ['solve_ms', token.solve_ms] as [string, Content]] : []),
    ]
    const words = reason === undefined ? `Thank you, ${body.name}. The form was accepted.` : 'The form was rejected.'
    const main = html`<p id="outcome" class="${reason === undefined ? 'good' : 'bad'}" role="status">${words}</p>
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd id="${name}">${value}</dd>`)}</dl>
<p>Reload this page to send the same token again. It is rejected as <code>replayed</code>.</p>
<p><a href="/v1/guard/demo${queryString({ sitekey: body.sitekey })}">Send another form</a></p>`
    sendPage(ctx, { title: reason === undefined ? 'Sent' : 'Not sent', main })
  },
})

/** Verifies a token in the same way as `POST /v1/guard/tokens/verify` with a server key. */
async function spend(tx: Db, siteId: string, text: string): Promise<{ reason?: string; token?: tokens.Facts }> {
  const hash = hashSecret(text)
  const token = (await tokens.lockMany(tx, [hash])).get(hash)
  if (!token || token.site_id !== siteId) return { reason: 'unknown' }
  if (token.action !== action) return { reason: 'action_mismatch', token }
  if (token.spent) {
    await tokens.countReplays(tx, [hash])
    return { reason: 'replayed', token }
  }
  if (token.expired) return { reason: 'expired', token }
  await tokens.markManyUsed(tx, [hash])
  return { token }
}
