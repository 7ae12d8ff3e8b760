import type { Action } from '../action.ts'
import { customerActions } from './customers.ts'
import { emailActions } from './email.ts'
import { erpActions } from './erp.ts'
import { fileActions } from './file.ts'
import { fleetActions } from './fleet.ts'
import { identityActions } from './identity.ts'
import { jobActions } from './job.ts'
import { manyActions } from './many.ts'
import { trustActions } from './trust.ts'

export const actions: Readonly<Record<string, Action>> = {
  ...jobActions,
  ...manyActions,
  ...fleetActions,
  ...fileActions,
  ...trustActions,
  ...erpActions,
  ...emailActions,
  ...identityActions,
  ...customerActions,
}
