import { area } from '../http/area.ts'
import * as importPages from './dashboard/imports.ts'
import { section } from './dashboard/section.ts'
import * as startPages from './dashboard/start.ts'
import * as imports from './imports.ts'

/**
 * Imports of data from other providers. Terms:
 * - provider: service from which an organisation moves, such as Resend
 * - part: kind of objects, such as templates
 * - row: object that an import has read, with its result
 */
export const moving = area({
  name: 'moving',
  title: 'Move from another provider',
  description: 'Imports of templates, suppressions, contacts, devices and videos.',
  base: '/v1/moving',
  routes: { imports },
  dashboard: { sections: [section], pages: { importPages, startPages } },
})
