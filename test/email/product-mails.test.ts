import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { quickTextOf } from '#tasks/email/rules/html-text.ts'
import { chromiumPath, startBrowser } from '../support/browser.ts'
import { footer, layout, mails, toTemplate } from './product-mails.ts'
import { sending } from './sending.ts'

t.setTimeout(240_000)
const { db, sender } = await sending(t)
const own = await sender()
const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

const sent = new Map<string, { subject: string; html: string; text: string | null }>()
const Content = z.object({ subject: z.string(), html: z.string(), text: z.string().nullable() })

t.test(
  'the emails of a product are made of a layout, a partial and eight templates, and say what they are for',
  async (t) => {
    for (const body of [footer, layout, ...mails.map(toTemplate)]) {
      const made = await own.ask('POST /send/v1/templates', { body })
      t.equal(made.status, 201, made.text)
    }
    for (const { alias, data: variables, says } of mails) {
      const { status, body, text } = await own.send({ subject: undefined, text: undefined, template: alias, variables })
      t.equal(status, 202, text)
      const mail = await db.one(sql.type(Content)`
      select m.subject, c.html, c.text from email.messages as m join email.contents as c on c.id = m.content_id where m.id = ${body.id}`)
      sent.set(alias, mail)
      const read = (mail.text ?? quickTextOf(mail.html) ?? '').replaceAll(/\s+/g, ' ')
      for (const piece of [...says, 'Sadama 5', 'https://tidewater.example/do?a=1&b=2'])
        t.ok(read.includes(piece), `${alias}: ${piece} in ${read}`)
      t.notMatch(mail.html, /<script|\{\{|\{%/, alias)
    }
    t.match(
      [...sent.values()].map(({ subject }) => subject),
      [
        'Welcome to Tidewater, Ann',
        ...['Receipt R-1042 from Tidewater', 'Invoice I-77: €150.00 due on 31 December', 'Set a new password'],
        ...['Bob invited you to R&D <Tallinn>', 'Your trial ends tomorrow', 'Eve commented on Plan of the harbour'],
        'Payment of €150.00 failed',
      ],
    )
  },
)

t.test('a text browser shows them with their links', async (t) => {
  for (const { alias, says } of mails) {
    const args = ['-stdin', '-force_html', '-dump', '-width=200', '-assume_charset=utf-8', '-display_charset=utf-8']
    const shown = execFileSync('lynx', args, { input: sent.get(alias)?.html ?? '', encoding: 'utf8' })
    const read = shown.replaceAll(/\[\d+\]/g, '').replaceAll(/\s+/g, ' ')
    for (const piece of [...says, 'Sadama 5', 'https://tidewater.example/do?a=1&b=2'])
      t.ok(read.includes(piece), `${alias}: ${piece} in ${read}`)
  }
})

t.test(
  'a browser shows them on a phone and on a desk, in light and dark, without scrolling sideways',
  { skip },
  async (t) => {
    const browser = await startBrowser(t)
    const page = await (await browser.newContext()).newPage()
    for (const [alias, { html }] of sent)
      for (const [width, colorScheme] of [
        ...([
          [390, 'light'],
          [390, 'dark'],
        ] as const),
        ...([
          [600, 'light'],
          [600, 'dark'],
        ] as const),
      ]) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        await page.setContent(html)
        t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${alias} at ${width}`)
        await page.evaluate(axe.source)
        const found = await page.evaluate(
          "axe.run(document, { runOnly: ['color-contrast'] }).then(({ violations }) => violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)))",
        )
        t.same(found, [], `${alias} at ${width} in ${colorScheme} has contrast`)
      }
  },
)
