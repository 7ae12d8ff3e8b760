import { shared } from '../http/dashboard/page.ts'
import { route } from '../http/route.ts'
import { readMemberForm } from './form.ts'
import { sendOptions } from './passkey-sign-in.ts'
import { beginAuthentication } from './passkeys.ts'

export const challenge = route({
  ...shared,
  method: 'POST',
  path: '/passkeys/step-up',
  summary: 'Start a passkey confirmation',
  limit: { perMinute: 30, by: 'ip' },
  async handle(call) {
    const { member } = await readMemberForm(call, {})
    sendOptions(call.ctx, await beginAuthentication(call.db, call.origin, member))
  },
})
