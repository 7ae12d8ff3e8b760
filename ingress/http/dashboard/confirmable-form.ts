import { checkToken } from '../html/csrf.ts'
import { type FormValues, readGiven } from '../html/form.ts'
import type { Html } from '../html/html.ts'
import { type Allowed, type AnyCall, type Gate, requireMember } from './admit.ts'
import { type ConfirmationState, type Confirmer, splitProof } from './confirmation.ts'
import { dashboardContents } from './contents.ts'
import { isSteppedUp } from './session.ts'

/** Reads a form of a member. If the form contains a proof of the member’s identity, confirms the identity with it. */
export async function readConfirmableForm(
  call: AnyCall,
  declaration: Gate & { formBytes?: number },
): Promise<Entered | undefined> {
  const allowed = await requireMember(call, declaration)
  if (!allowed) return undefined
  const { token = '', ...sent } = await readGiven(call.ctx, declaration.formBytes)
  checkToken(allowed.member, String(token))
  const { given, proof } = splitProof(sent)
  const { member } = allowed
  if (!proof || isSteppedUp(member)) return { allowed, given }
  const result = await confirmerOf(call).check({ ...call, member }, proof)
  return 'member' in result ? { allowed: { ...allowed, member: result.member }, given } : { allowed, given, result }
}

interface Entered {
  allowed: Allowed
  given: FormValues
  result?: Pick<ConfirmationState, 'fault' | 'sent'>
}

/** Renders the dialog that asks for the confirmation. `back` is a link if no page is below the dialog. */
export const showConfirmation = (call: AnyCall, { allowed, given, result }: Entered, back?: string): Promise<Html> =>
  confirmerOf(call).show(
    { ...call, member: allowed.member },
    { fields: given, ...result, ...(back !== undefined && { back }) },
  )

function confirmerOf({ services }: AnyCall): Confirmer {
  const { confirmer } = services(dashboardContents)
  if (!confirmer) throw new Error('No area of this process can confirm the identity of members.')
  return confirmer
}
