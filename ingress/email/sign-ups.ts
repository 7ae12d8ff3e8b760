import { z } from 'zod'
import { originalFormIfDifferent, toStoredForm, WrittenAddress } from '#lib/email-address.ts'
import { Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import * as closures from '#sql/account/closures.ts'
import * as publishers from '#sql/account/publishers.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as forms from '#sql/email/forms.ts'
import * as signUps from '#sql/email/sign-ups.ts'
import * as topics from '#sql/email/topics.ts'
import * as sites from '#sql/guard/sites.ts'
import * as tokens from '#sql/guard/tokens.ts'
import { askSignUp } from '#tasks/email/ask-sign-up.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { getClientNetwork } from '../http/limits/buckets.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { sendPage, sharedRouteOptions } from './page.ts'
import { donePage, type FormView, formPage, guardAction, guardField } from './sign-ups/pages.ts'
import { readSignUp } from './sign-ups/read.ts'

/** Maximum number of sign-ups of a network within an hour. */
const mostPerHour = 30

const options = {
  ...sharedRouteOptions,
  path: '/subscribe/{id}',
  params: z.object({ id: pathId('form') }),
  problems: ['not_found', 'rate_limited'],
} as const

export const show = route({
  ...options,
  method: 'GET',
  summary: 'Show a sign-up form',
  query: z.object({ [guardField]: z.string().max(200).optional() }),
  async handle({ ctx, db, params: { id }, query }) {
    const view = await findView(db, id)
    sendPage(ctx, formPage(view, { token: query[guardField] }))
  },
})

/**
 * Takes a sign-up. The reply is always the same, so that nobody learns whether an address is a contact. A job checks the
 * contact and sends the confirmation request.
 */
export const submit = route({
  ...options,
  method: 'POST',
  summary: 'Send a sign-up form',
  limit: { perMinute: 120, by: 'ip' },
  cors: true,
  alsoTakes: { 'application/x-www-form-urlencoded': readSignUp },
  body: z.object({
    email: z.string().max(1_000).default(''),
    topic: z.array(z.string().max(64)).max(20).optional(),
    website: z.string().max(1_000).default(''),
    [guardField]: z.string().max(2_048).default(''),
  }),
  async handle({ ctx, db, params: { id }, body, ip }) {
    const view = await findView(db, id)
    const { form } = view
    const address = WrittenAddress.safeParse(body.email.trim())
    if (!address.success) {
      sendPage(ctx, formPage(view, { email: body.email, fault: 'Enter an email address, such as name@example.com.' }))
      ctx.status = 400
      return
    }
    const network = getClientNetwork(ip)
    if ((await signUps.countOfNetwork(db, network)) >= mostPerHour)
      throw new Problem(429, 'rate_limited', 'Your network has sent too many sign-ups. Try again in an hour.', {
        retryAfter: 3_600,
      })
    const passed = await db.transaction(async (tx) => {
      if (form.guard_site_id !== null && !(await useToken(tx, form.guard_site_id, String(body[guardField]))))
        return false
      // The field is invisible, so only programs fill it in.
      if (body.website !== '') return true
      await record(tx, form, { address: address.data, chosen: body.topic, ip, network })
      return true
    })
    if (!passed) {
      sendPage(ctx, formPage(view, { email: body.email, fault: 'The security check failed. Try again.' }))
      ctx.status = 400
      return
    }
    if (form.success_url === null) return sendPage(ctx, donePage(view))
    ctx.redirect(form.success_url)
    ctx.status = 303
  },
})

/** Returns what the page of a form shows. Throws 404 if the form is not active or its organisation is closed. */
async function findView(db: DatabasePool, id: string): Promise<FormView> {
  const form = await mustFind(forms.findAny(db, id), 'page')
  await mustFind(Promise.resolve(form.active && !(await closures.isClosed(db, form.org_id)) ? form : null), 'page')
  const [publisher, all, site] = await Promise.all([
    publishers.find(db, form.org_id),
    topics.listAll(db, form.org_id),
    form.guard_site_id === null ? null : sites.find(db, form.org_id, form.guard_site_id),
  ])
  return {
    form,
    publisher,
    topics: all.filter(({ key }) => form.topics.includes(key)),
    siteKey: site?.site_key ?? null,
  }
}

/** Uses a token of the guard area, once. Returns false if it is not valid for this form. */
async function useToken(tx: Db, siteId: string, text: string): Promise<boolean> {
  const hash = hashSecret(text)
  const token = (await tokens.lockMany(tx, [hash])).get(hash)
  if (!token || token.site_id !== siteId || token.action !== guardAction || token.expired) return false
  if (token.spent) {
    await tokens.countReplays(tx, [hash])
    return false
  }
  await tokens.markManyUsed(tx, [hash])
  return true
}

interface Entered {
  address: string
  chosen: readonly string[] | undefined
  ip: string
  network: string
}

async function record(tx: Db, form: forms.Form, { address, chosen, ip, network }: Entered): Promise<void> {
  const id = newId()
  const wanted = form.topics.filter((key) => form.topics.length === 1 || chosen === undefined || chosen.includes(key))
  await signUps.insert(tx, {
    id,
    org_id: form.org_id,
    form_id: form.id,
    email: toStoredForm(address),
    written: originalFormIfDifferent(address),
    topics: wanted,
    source: form.name,
    title: form.title,
    consent_text: form.consent_text,
    text_version: form.text_version,
    ip,
    network,
  })
  await enqueue(tx, askSignUp, { signUpId: id }, { orgId: form.org_id })
}
