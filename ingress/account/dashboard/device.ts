import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as logins from '#sql/account/device-logins.ts'
import type { DatabasePool } from '#sql/db.ts'
import { hashUserCode } from '#tasks/account/rules/device-code.ts'
import { approveLogin, denyLogin } from '#tasks/account/rules/device-login.ts'
import type { Services } from '../../http/container.ts'
import { formPage, type PageCall } from '../../http/dashboard/page.ts'
import { requireStepUp } from '../../http/dashboard/session.ts'
import { optionalField, repeatedField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { signingSecret } from '../../http/services.ts'
import { deviceCodes } from './device-codes.ts'
import { codeForm, requestForm } from './device-form.ts'
import { moveFaultsToFields } from './input.ts'
import { section } from './keys.ts'

const text = z.string().max(200).default('')

const Query = z.object({ code: optionalField(z.string().trim().max(40)) })

const fields = z.object({
  code: z.string().trim().max(40),
  decision: z.enum(['approve', 'deny']),
  name: text,
  scopes: repeatedField(z.string().max(100)),
  expires_days: z.enum(['7', '30', '90', '365', '']).default('90'),
})

const title = 'Connect a program'

/** Approves or denies the request of a program for an API key (RFC 8628 §3.3). */
export const { show: ask, submit: decide } = formPage({
  path: '/device',
  summary: 'Approve a device login',
  section,
  permission: 'keys:test',
  query: Query,
  fields,
  async view({ query, filled, fault, ...call }) {
    const code = String(filled.given.code ?? query.code ?? '')
    const login = code === '' ? null : await findLogin(call, code)
    if (login) return { title, main: requestForm(call.member, { login, code, filled, fault }) }
    const wrong =
      code === '' ? undefined : 'The code is incorrect or has expired. Enter the code that your program shows.'
    return { title, main: codeForm(fault ?? wrong), ...(wrong && { status: 404 }) }
  },
  async submit({ given: { code, decision, ...given }, ...call }) {
    const { db, doer, member } = call
    const login = await findLogin(call, code)
    if (!login) throw notFound('open code')
    if (decision === 'deny') {
      await db.transaction((tx) => denyLogin(tx, doer, login))
      return { view: { title: 'Request denied', main: deniedPage } }
    }
    requireStepUp(member)
    const granted = toGranted(login, given)
    await moveFaultsToFields(db.transaction((tx) => approveLogin(tx, doer, login, granted)))
    const main = html`<h1>Request approved</h1>
<p role="status">Return to your program. It collects the key <b>${granted.name}</b> within seconds.</p>
<p><a class="button" href="${section.path}">Open API keys</a></p>`
    return { view: { title: 'Request approved', main } }
  },
})

const deniedPage = html`<h1>Request denied</h1>
<p role="status">The program gets no access. If you did not start the request, another person may have sent you the code. Never approve codes from other people.</p>
<p><a class="button" href="/app">Open the dashboard</a></p>`

type Finding = Pick<PageCall<unknown, unknown>, 'member' | 'ctx'> & { db: DatabasePool; services: Services }

/** Returns the open login of a code. Each attempt counts, so that codes cannot be guessed. Throws 429. */
async function findLogin({ db, member, services }: Finding, code: string): Promise<logins.DeviceLogin | null> {
  await services(deviceCodes).countTry(member.userId)
  return await logins.findOpen(db, hashUserCode(code, services(signingSecret)))
}

function toGranted(
  { client_name, mode }: logins.DeviceLogin,
  { name, scopes, expires_days }: Omit<z.output<typeof fields>, 'code' | 'decision'>,
): logins.Granted {
  const expires = expires_days === '' ? null : new Date(Date.now() + Number(expires_days) * 86_400_000)
  return { name: name.trim() || client_name, scopes, mode, expires_at: expires?.toISOString() ?? null }
}
