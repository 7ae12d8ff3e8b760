import { forbidden, Problem } from '#lib/errors.ts'
import type { Locks } from '#sql/account/keys.ts'
import type { Scope } from './scopes.ts'

/** The name of a lock. */
export type LockName = keyof Locks

/** What a lock means to operations, each named by its id; `*` is any part of one. */
interface Binding {
  /** A key without one of these could never use what the lock restricts. */
  scopes: readonly Scope[] | 'any'
  /** Operations that are allowed or refused by what they are about. */
  binds: readonly string[]
  /** Operations that are about more than a key with this lock may reach. */
  refuses: readonly string[]
}

const webhooks = ['*.webhooks.*', '*.webhook-deliveries.*']

/** Which lock binds which operation. */
export const bindings: Readonly<Record<LockName, Binding>> = {
  from_domains: {
    scopes: ['email:send', 'email:manage', 'notify:write'],
    binds: [
      ...['email.messages.create', 'email.campaigns.create', 'email.campaigns.send', 'email.reconfirmations.create'],
      ...['email.campaigns.update', 'email.campaigns.test', 'email.campaigns.schedule'],
      'notify.events.create',
    ],
    refuses: [],
  },
  app_id: {
    scopes: ['push:manage', 'push:receipt', 'push:send', 'push:subscribe', 'notify:write'],
    binds: [
      ...['push.messages.*', 'push.trace.read', 'push.installations.*', 'push.users.*', 'push.topics.*'],
      ...['push.apps.list'],
      ...['push.apps.read', 'push.apps.update', 'push.apps.remove', 'push.credentials.*', 'push.receipts.create'],
      ...['push.insights.*', 'push.deliveries.list', 'push.browser.*', 'push.user-tokens.create', 'push.public-keys.*'],
      'notify.events.create',
    ],
    refuses: [
      ...['push.apps.create', 'push.templates.create', 'push.templates.update', 'push.templates.remove'],
      ...webhooks,
    ],
  },
  site_id: {
    scopes: ['guard:challenge', 'guard:verify'],
    binds: ['guard.assess.create', 'guard.challenges.create', 'guard.answers.complete', 'guard.tokens.verify'],
    refuses: [],
  },
  origins: { scopes: 'any', binds: ['*.*.*'], refuses: [] },
  tenant_id: {
    scopes: ['files:read', 'files:write'],
    binds: ['files.objects.*', 'files.uploads.*', 'files.rescans.*'],
    refuses: webhooks,
  },
  calls: {
    scopes: ['voice:read', 'voice:call'],
    binds: [],
    refuses: ['voice.click-to-call.create', 'voice.calls.hangUp'],
  },
}

/** The names of locks. */
export const lockNames = Object.keys(bindings) as LockName[]

/** Whether a pattern of `bindings` names an operation. */
export function names(pattern: string, operation: string): boolean {
  const parts = operation.split('.')
  return pattern.split('.').every((part, i) => part === '*' || part === parts[i])
}

/** Throws 400 for locks that restrict nothing that keys with these scopes may do. */
export function demandUse(locks: Locks, scopes: readonly string[]): void {
  const idle = lockNames.filter((name) => {
    const { scopes: used } = bindings[name]
    return locks[name] !== undefined && used !== 'any' && !used.some((scope) => scopes.includes(scope))
  })
  if (idle.length === 0) return
  const details = idle.map((name) => ({
    field: `body.locks.${name}`,
    issue: `is for keys with ${[bindings[name].scopes].flat().join(', ')}`,
  }))
  const message = details.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  throw new Problem(400, 'lock_without_scope', message, { details })
}

/** The locks of a key that somebody with `held` ones makes: those that are not named are taken over, none is wider. */
export function narrowed(held: Locks, wanted: Locks): Locks {
  const locks = { ...held, ...wanted }
  demandNoWider(held, locks)
  return locks
}

/** Throws 403 for locks that leave more open than those that are held. */
export function demandNoWider(held: Locks, locks: Locks): void {
  for (const name of lockNames) {
    const outer = held[name]
    if (outer === undefined) continue
    const inner = locks[name]
    const fits = inner !== undefined && [inner].flat().every((value) => [outer].flat().includes(value))
    if (!fits) throw forbidden(`You are locked to ${name} ${[outer].flat().join(', ')}, and so are keys of yours.`)
  }
}
