import type { Db } from '#sql/db.ts'
import * as brands from '#sql/notify/brands.ts'
import type { EmailRequest } from './accept-mails.ts'
import { getBrandFacts, renderBranded } from './brand-html.ts'
import { formatMail } from './mail-text.ts'

export interface PlainMail {
  copies: EmailRequest['copies']
  /** Values for templates and layouts, in addition to those of the event. */
  facts?: Readonly<Record<string, unknown>>
  /** ID or alias of the email template. */
  template?: string | null | undefined
}

/**
 * Maximum time for the brands of one transaction in milliseconds. Emails after it are refused, because locks of the
 * transaction delay others.
 */
const budgetMs = 5_000

/** Returns emails with their template, otherwise in the brand of their product, otherwise as plain text. */
export async function dressMails(tx: Db, mails: readonly PlainMail[]): Promise<EmailRequest[]> {
  const keys = new Map(
    mails.map(({ copies: [{ org_id, product_key }] }) => [keyOf({ org_id, product_key }), { org_id, product_key }]),
  )
  const found = new Map((await brands.findMany(tx, [...keys.values()])).map((brand) => [keyOf(brand), brand]))
  const until = Date.now() + budgetMs
  const dressed: EmailRequest[] = []
  for (const mail of mails) dressed.push(await dress(tx, mail, found.get(keyOf(mail.copies[0])), until))
  return dressed
}

const keyOf = ({ org_id, product_key }: brands.BrandKey) => `${org_id} ${product_key}`

async function dress(
  tx: Db,
  { copies, facts, template }: PlainMail,
  brand: brands.Brand | undefined,
  until: number,
): Promise<EmailRequest> {
  const plain = { copies, ...formatMail(copies) }
  const variables = { ...eventFacts(copies), ...facts, brand: getBrandFacts(brand) }
  if (template) return { ...plain, template: { name: template, variables } }
  if (!brand) return plain
  if (Date.now() > until)
    return {
      ...plain,
      refused: { reason: 'template_failed', detail: 'The layouts of other emails took too much time.' },
    }
  const [first, ...others] = copies
  const text =
    others.length === 0
      ? { title: first.title, body: first.body, url: first.url }
      : { title: plain.subject, body: plain.text.trim(), url: null }
  const made = await renderBranded(tx, brand, text, variables)
  const footer = brand.footer === null ? '' : `\n-- \n${brand.footer}\n`
  return { ...plain, text: `${plain.text}${footer}`, ...made }
}

const eventFacts = ([first, ...others]: EmailRequest['copies']) => ({
  ...{ type: first.type, product_key: first.product_key, title: first.title, body: first.body ?? '' },
  ...{ url: first.url ?? '', data: first.data, count: String(1 + others.length) },
})
