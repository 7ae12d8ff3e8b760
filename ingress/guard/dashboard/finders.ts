import * as sites from '#sql/guard/sites.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [findById('Guard site', '/app/guard', sites.find, { permission: 'log:read', name: 'name' })]
