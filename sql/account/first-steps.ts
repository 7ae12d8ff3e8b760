import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { managed } from './keys.ts'

const FirstSteps = z.object({
  key: z.boolean(),
  domain: z.boolean(),
  mail: z.boolean(),
  testMail: z.boolean(),
  video: z.boolean(),
  webhook: z.boolean(),
  member: z.boolean(),
})

export type FirstSteps = z.infer<typeof FirstSteps>

export async function findFirstSteps(db: Db, orgId: string): Promise<FirstSteps> {
  return await db.one(sql.type(FirstSteps)`
    select
      exists (select from account.keys where org_id = ${orgId} and revoked_at is null and ${managed}) as key,
      exists (select from email.domains where org_id = ${orgId} and status = 'verified') as domain,
      exists (select from email.messages where org_id = ${orgId}) as mail,
      exists (select from account.test_messages where org_id = ${orgId} and channel = 'email') as "testMail",
      exists (select from video.assets where org_id = ${orgId}) as video,
      exists (select from webhooks.endpoints where org_id = ${orgId} and app_id is null) as webhook,
      (select count(*) > 1 from (select from account.members where org_id = ${orgId} limit 2) as first) as member`)
}
