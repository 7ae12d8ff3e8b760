import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as members from '#sql/account/people/members.ts'
import * as users from '#sql/account/people/users.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import { ask, type Reply } from '../support/ingress.ts'

/** A member who is signed in. */
export interface SignedIn {
  userId: string
  email: string
  cookie: string
  sessionId: string
}

let made = 0

/** Adds a member to an organisation and begins a session of theirs, without a sign-in. */
export async function signedIn(
  db: DatabasePool,
  url: string,
  orgId: string,
  role: members.Role,
  { steppedUp = true }: { steppedUp?: boolean } = {},
): Promise<SignedIn> {
  const email = `${role}-${++made}@members.example`
  return await db.transaction(async (tx) => {
    const user = await users.insert(tx, { email, name: role, verified: true })
    if (!user) throw new Error(`${email} is there already`)
    await members.insert(tx, { org_id: orgId, user_id: user.id, role, invited_by: null })
    const given = {
      userId: user.id,
      orgId,
      method: 'passkey',
      steppedUp,
      network: '127.0.0.0/24',
      agent: 'test',
    } as const
    const cookie = `millrace_app_${new URL(url).port}=${await sessions.begin(tx, given)}`
    const [session] = await sessions.listOf(tx, user.id)
    return { userId: user.id, email, cookie, sessionId: session?.id ?? '' }
  })
}

/** A page as the holder of a cookie gets it. */
export const get = (url: string, path: string, { cookie }: Pick<SignedIn, 'cookie'>): Promise<Reply> =>
  ask(url, `GET ${path}`, { headers: { cookie } })

/** The session's token, as the pages' forms carry it. */
export const tokenOf = (page: Reply): string => /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''

/** What the audit log says that a member did, newest first: of a kind of action. */
export async function toldOf(db: DatabasePool, orgId: string, member: SignedIn, kind: RegExp) {
  const found = await audit.list(db, orgId, {
    where: whereOf(audit.filters, { actor: member.userId }),
    before: undefined,
    limit: 100,
  })
  return found
    .filter(({ action }) => kind.test(action))
    .map(({ action, target, actor_kind: by, actor_name: name, after }) => ({ action, target, by, name, after }))
}

/** Sends a form as a browser does, with the session's token; `headers` replace what it would send. */
export async function submit(
  url: string,
  path: string,
  member: Pick<SignedIn, 'cookie'>,
  fields: Readonly<Record<string, string | readonly string[]>>,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const token = tokenOf(await get(url, '/app/you', member))
  const body = new URLSearchParams({ token })
  for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one as string)
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: url, 'sec-fetch-site': 'same-origin' }
  return await ask(url, `POST ${path}`, {
    raw: body.toString(),
    headers: { ...form, cookie: member.cookie, ...headers },
  })
}

/** The cookie of a member as a browser is given it. */
export function browserCookie(url: string, { cookie }: Pick<SignedIn, 'cookie'>) {
  const [name = '', value = ''] = cookie.split('=')
  return { name, value, url }
}
