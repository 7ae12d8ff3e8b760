import * as runs from '#sql/notify/runs.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [findById('Workflow run', '/app/notify/runs', runs.find, { permission: 'log:read' })]
