import * as audit from '#sql/account/audit.ts'
import * as settings from '#sql/ai/settings.ts'
import type { Db } from '#sql/db.ts'
import { readAuthority } from '../../account/rules/authority.ts'
import { type Doer, toAct } from '../../account/rules/doer.ts'

type Wanted = Pick<settings.AiSettings, 'cache_seconds' | 'fallbacks'>

/** Replaces the AI settings of the organisation. */
export async function setAiSettings(tx: Db, by: Doer, wanted: Wanted): Promise<settings.AiSettings> {
  await readAuthority(tx, by, 'areas:write')
  const before = await settings.find(tx, by.orgId)
  const after = await settings.put(tx, { org_id: by.orgId, ...wanted })
  await audit.append(tx, {
    ...toAct(by),
    action: 'ai.settings.changed',
    target: by.orgId,
    ...(before && { before: describe(before) }),
    after: describe(after),
  })
  return after
}

const describe = ({ cache_seconds, fallbacks }: Wanted) => ({
  cache_seconds,
  fallbacks: JSON.stringify(fallbacks),
})
