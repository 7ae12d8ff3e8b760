import { area } from '../http/area.ts'
import { dashboardFrame } from '../http/dashboard/contents.ts'
import * as assets from './assets.ts'
import * as audit from './audit.ts'
import * as live from './live.ts'
import * as members from './members.ts'
import * as start from './start.ts'

/**
 * The dashboard: pages for members of an organisation. A page is a `page`, `formPage` or `action` in a file of its area, and a
 * line under `dashboard` in the area's index; what belongs to no other area is here and in `account`.
 */
export const app = area({
  name: 'app',
  title: 'Dashboard',
  description: 'Pages for members of an organisation.',
  base: dashboardFrame.base,
  routes: { start, members, audit, live, assets },
  dashboard: { sections: [start.start, members.people, audit.log] },
})
