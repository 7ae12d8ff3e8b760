import type { Doer } from '#tasks/account/rules/doer.ts'
import { actOf } from '#tasks/account/rules/doer.ts'
import { grantorWith } from '#tasks/account/rules/grant.ts'
import type { By } from '#tasks/account/rules/keys.ts'
import { scopesOf } from '#tasks/account/rules/roles.ts'

/** A member as who manages keys: with what their role holds, and restricted by nothing else. */
export const byMember = (doer: Doer): By => ({ ...actOf(doer), grantor: grantorWith(scopesOf(doer.role)) })
