import { area } from '../http/area.ts'
import * as actions from './actions.ts'
import * as assets from './assets.ts'
import * as confirm from './confirm.ts'
import * as failures from './failures.ts'
import * as files from './files.ts'
import * as jobs from './jobs.ts'
import * as live from './live.ts'
import * as overview from './overview.ts'
import * as pools from './pools.ts'
import * as quality from './quality.ts'
import * as signIn from './sign-in.ts'
import * as workers from './workers.ts'

/**
 * The console: pages for whoever operates the queue. A page is a `page` in a file here and a line below; a region of it that
 * shall stay as it is on the server is a line in topics.ts, an action a line in acts.ts, a plot a `figure` in a region.
 */
export const console = area({
  name: 'console',
  title: 'Console',
  description: 'Pages for operators.',
  base: '/ops',
  routes: {
    overview: { show: overview.show },
    pools: { show: pools.show },
    jobs: { list: jobs.list, show: jobs.show },
    failures: { list: failures.list, group: failures.group },
    workers: { show: workers.show },
    quality: { list: quality.list, show: quality.show },
    files: { list: files.list },
    actions: { list: actions.list },
    confirm: { question: confirm.question, perform: confirm.perform },
    'sign-in': { form: signIn.form, enter: signIn.enter, leave: signIn.leave },
    live: { stream: live.stream },
    assets: { file: assets.file },
  },
})
