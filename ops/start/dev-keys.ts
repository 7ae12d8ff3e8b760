import { hashSecret, type KeyPrefix, operatorScope } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type Db, openPool } from '#sql/db.ts'
import { type Scope, scopes } from '#tasks/account/rules/scopes.ts'

const allAreas = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== operatorScope)

const wanted: Record<string, { prefix: KeyPrefix; scopes: string[] }> = {
  millrace: { prefix: 'bt_live_', scopes: allAreas },
  send: { prefix: 'snd_live_', scopes: ['email:content', 'email:send', 'email:manage'] },
  send_test: { prefix: 'snd_test_', scopes: ['email:content', 'email:send', 'email:manage'] },
  platform: {
    prefix: 'bt_live_',
    scopes: [
      ...['ai:invoke', 'bots:read', 'bots:write', 'files:read', 'files:write', 'notify:read', 'notify:write'],
      ...['jobs:read', 'jobs:write', 'intake:read', 'intake:write', 'automation:read', 'automation:write'],
      ...[
        'erp:read',
        'geo:read',
        'hooks:read',
        'hooks:write',
        'identity:read',
        'identity:verify',
        'voice:call',
        'voice:read',
        'sms:manage',
        'sms:send',
        'whatsapp:manage',
        'whatsapp:send',
      ],
      ...['streaming:read', 'streaming:write', 'trust:read', 'trust:write', 'wiki:read', 'wiki:write'],
    ],
  },
  guard_server: { prefix: 'bt_live_', scopes: ['guard:verify', 'guard:manage'] },
  push: { prefix: 'bt_live_', scopes: ['push:send', 'push:manage', 'push:receipt'] },
  stream: { prefix: 'bt_live_', scopes: ['stream:read', 'stream:write'] },
  operator: { prefix: 'bt_live_', scopes: [operatorScope] },
}

/** Returns the keys of the organisation `dev`: valid keys of earlier starts, and new keys for the rest. */
export async function devKeys(databaseUrl: string, kept: Record<string, string>): Promise<Record<string, string>> {
  const db = await openPool(databaseUrl, 1)
  try {
    return await db.transaction(async (tx) => {
      const org = (await orgs.findByName(tx, 'dev')) ?? (await orgs.insert(tx, { name: 'dev', plan: 'unlimited' }))
      const made: Record<string, string> = {}
      for (const [name, { prefix, scopes: demanded }] of Object.entries(wanted)) {
        const secret = kept[name]
        const good = secret !== undefined && (await isGood(tx, secret, org.id, demanded))
        made[name] = good ? secret : (await keys.create(tx, { orgId: org.id, prefix, name, scopes: demanded })).secret
      }
      return made
    })
  } finally {
    await db.end()
  }
}

async function isGood(db: Db, secret: string, orgId: string, demanded: string[]): Promise<boolean> {
  const caller = await keys.findCaller(db, hashSecret(secret))
  return caller !== null && caller.org.id === orgId && demanded.every((scope) => caller.key.scopes.includes(scope))
}
