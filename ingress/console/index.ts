import { area } from '../http/area.ts'
import { consoleBase } from '../http/console/contents.ts'
import * as actions from './actions.ts'
import * as assets from './assets.ts'
import * as confirm from './confirm.ts'
import * as failures from './failures.ts'
import * as jobs from './jobs.ts'
import * as live from './live.ts'
import * as overview from './overview.ts'
import * as pools from './pools.ts'
import { regions } from './regions.ts'
import { sections } from './sections.ts'
import * as signIn from './sign-in.ts'
import * as workers from './workers.ts'

/**
 * Pages for operators. To add a page, add a `page` in a file here and a line below. Live regions are listed in
 * regions.ts, actions in actions/all.ts. A plot is a `figure` in a region. Other areas add pages and regions in their
 * index.
 */
export const console = area({
  name: 'console',
  title: 'Console',
  description: 'Pages for operators.',
  base: consoleBase,
  routes: { overview, pools, jobs, failures, workers, actions, confirm, signIn, live, assets },
  console: { sections: Object.values(sections), regions },
})
