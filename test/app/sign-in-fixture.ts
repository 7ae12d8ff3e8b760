import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import { mailCode } from '#tasks/account/mail-code.ts'
import { mailInvitation } from '#tasks/account/mail-invitation.ts'
import { ask, type Reply } from '../support/ingress.ts'

/** Seals and signs what the tests' platform sends. */
export const secret = 'a signing secret of the tests alone'

/** A browser as far as these pages go: it keeps cookies, and says where a form comes from. */
export class TestBrowser {
  readonly cookies = new Map<string, string>()
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.#keep(await ask(this.url, `GET ${path}`, { headers: { ...this.#own(), ...headers } }))
  }

  /** Sends a form of a page of ours; `headers` replace what a browser would say. */
  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Reply> {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const source = { origin: this.url, 'sec-fetch-site': 'same-origin' }
    const raw = new URLSearchParams(fields).toString()
    const all = { ...form, ...source, ...this.#own(), ...headers }
    return this.#keep(await ask(this.url, `POST ${path}`, { raw, headers: all }))
  }

  /** The value of the session's cookie. */
  get session(): string | undefined {
    return this.cookies.get(this.#nameOf('app'))
  }

  /** Takes over a session's cookie, `name=value`. */
  adopt(cookie: string): this {
    const [name = '', value = ''] = cookie.split('=')
    this.cookies.set(name, value)
    return this
  }

  #nameOf = (what: string) => `millrace_${what}_${new URL(this.url).port}`

  #own(): Record<string, string> {
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
  }

  #keep(reply: Reply): Reply {
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0;/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return reply
  }
}

const Job = z.object({ task: z.string(), payload: z.object({ payload: z.record(z.string(), z.string()) }) })

/** Does the jobs that mail codes and invitations, and returns what was mailed to an address last. */
export async function mailTo(db: DatabasePool, email: string) {
  const jobs = await db.any(sql.type(Job)`
    select t.identifier as task, j.payload from jobs_mail_transactional._private_jobs as j
    join jobs_mail_transactional._private_tasks as t on t.id = j.task_id
    where t.identifier in (${mailCode.name}, ${mailInvitation.name}) order by j.id`)
  for (const { task, payload } of jobs) {
    const tools = { db, secret } as never
    if (task === mailCode.name) await mailCode.run(payload.payload as never, tools)
    if (task === mailInvitation.name) await mailInvitation.run(payload.payload as never, tools)
  }
  const found = await db.maybeOne(sql.type(z.object({ text: z.string(), html: z.string() }))`
    select c.text, c.html from email.messages as m join email.contents as c on c.id = m.content_id
    where m.to_email = ${email} order by m.id desc limit 1`)
  if (found === null) return null
  const { text, html } = found
  const paths = [...text.matchAll(/https?:\/\/[^/\s]+(\/app\/\S+)/g)].map(([, path]) => path as string)
  const link = paths.find((path) => /\/(link|join)\//.test(path)) ?? ''
  return { text, html, code: /^Your (?:sign-in|confirmation) code is (\d{6})\./.exec(text)?.[1] ?? '', link }
}

/** What the audit log of an organisation says was done, oldest first. */
export async function actionsOf(db: DatabasePool, orgId: string): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ action: z.string() }))`
    select action from account.audit where org_id = ${orgId} order by number`)
}
