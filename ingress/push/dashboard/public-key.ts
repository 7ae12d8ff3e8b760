import { z } from 'zod'
import * as apps from '#sql/push/apps.ts'
import { grantorWith } from '#tasks/account/rules/grant.ts'
import { issueKey } from '#tasks/account/rules/keys.ts'
import { scopesOf } from '#tasks/account/rules/roles.ts'
import { html } from '../../http/console/html.ts'
import { action } from '../../http/dashboard/page.ts'
import { secretOnce, trail } from '../../http/dashboard/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'

/** Makes a public key that is bound to an app, and shows it this once. */
export const make = action({
  path: '/push/{app_id}/public-key',
  summary: 'Make a public key of an app',
  permission: 'keys:live',
  stepUp: true,
  params: z.object({ app_id: pathId('app') }),
  back: ({ app_id }) => `/app/push/${app_id}`,
  async perform({ db, member, doer, params }) {
    const { role, ...by } = doer
    const { app, secret } = await db.transaction(async (tx) => {
      const app = await mustFind(apps.find(tx, member.orgId, params.app_id), 'app')
      const wanted = {
        name: `${app.name.slice(0, 80)}, public`,
        scopes: ['push:receipt' as const],
        locks: { app_id: app.id },
        public: true,
      }
      return { app, ...(await issueKey(tx, { ...by, grantor: grantorWith(scopesOf(role)) }, wanted)) }
    })
    const main = html`${trail(app.name, `/app/push/${app.id}`)}<h1>A public key of ${app.name}</h1>
${secretOnce(secret, 'It may stand in pages and apps, reports receipts for this app, and is shown this once.')}
<p><a class="button" href="/app/push/${app.id}">Done</a></p>`
    return { view: { title: 'A public key', main } }
  },
})
