import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { countHeld, hosts } from '#sql/jobs/fleet.ts'
import * as controls from '#tasks/jobs/rules/controls.ts'
import { demandPool, demandTask } from '#tasks/jobs/rules/names.ts'
import { queues } from '#tasks/pools.ts'
import { counted } from '../../http/console/format.ts'
import { html } from '../../http/console/html.ts'
import { type Action, type ActionFields, read } from '../action.ts'

const OfPool = z.object({ pool: z.string() })
const OfTask = z.object({ task: z.string() })
const OfHost = z.object({ host: z.string() })
const Reason = z.object({ reason: z.string().trim().max(200).optional() })

const poolOf = async (_: DatabasePool, given: ActionFields): Promise<controls.Target> => ({
  pool: demandPool(read(OfPool, given).pool),
  task: '',
})

const taskOf = async (db: DatabasePool, given: ActionFields): Promise<controls.Target> =>
  await demandTask(db, read(OfTask, given).task)

const reasonField = html`<div class="fields"><div class="wide"><label for="reason">Why (optional)</label>
<input id="reason" name="reason" maxlength="200" autocomplete="off"></div></div>`

/** Pausing a pool or a task, which `targetOf` finds. */
function pausing(kind: 'pool' | 'task', targetOf: typeof poolOf): { pause: Action; resume: Action } {
  const named = ({ pool, task }: controls.Target) => `${kind} ${task || pool}`
  return {
    pause: {
      async question(db, given) {
        const title = `Pause ${named(await targetOf(db, given))}?`
        const text = 'On every host, until it is resumed: jobs that run go on, none is begun, and new ones wait.'
        return { title, text, button: 'Pause', fields: reasonField }
      },
      async perform(db, given, { actor }) {
        const target = await targetOf(db, given)
        const reason = read(Reason, given).reason || undefined
        const changed = await controls.pause(db, target, { actor, reason })
        return changed ? `Paused ${named(target)}.` : `${named(target)} was paused already.`
      },
    },
    resume: {
      async question(db, given) {
        return {
          title: `Resume ${named(await targetOf(db, given))}?`,
          text: 'What waits is begun at once.',
          button: 'Resume',
        }
      },
      async perform(db, given, { actor }) {
        const target = await targetOf(db, given)
        return (await controls.resume(db, target, actor))
          ? `Resumed ${named(target)}.`
          : `${named(target)} was not paused.`
      },
    },
  }
}

async function hostOf(db: DatabasePool, given: ActionFields): Promise<string> {
  const { host } = read(OfHost, given)
  if (!(await hosts(db)).includes(host)) throw notFound('host')
  return host
}

const drain: Action = {
  async question(db, given) {
    const host = await hostOf(db, given)
    const held = await countHeld(db, queues, host)
    const text = `Its workers begin no job until you take that back; they finish the ${counted(held, 'job')} they hold. Then the host may be stopped.`
    return { title: `Drain ${host}?`, text, button: 'Drain' }
  },
  async perform(db, given, { actor }) {
    const host = await hostOf(db, given)
    return (await controls.drain(db, host, actor)) ? `Draining ${host}.` : `${host} was being drained already.`
  },
}

const undrain: Action = {
  async question(db, given) {
    const host = await hostOf(db, given)
    return { title: `Let ${host} take jobs again?`, text: 'Its workers fetch jobs at once.', button: 'Take jobs again' }
  },
  async perform(db, given, { actor }) {
    const host = await hostOf(db, given)
    return (await controls.undrain(db, host, actor)) ? `${host} takes jobs again.` : `${host} was not drained.`
  },
}

const pool = pausing('pool', poolOf)
const task = pausing('task', taskOf)

/** What is done to pools, tasks and hosts. */
export const fleetActions: Readonly<Record<string, Action>> = {
  'pause-pool': pool.pause,
  'resume-pool': pool.resume,
  'pause-task': task.pause,
  'resume-task': task.resume,
  'drain-host': drain,
  'undrain-host': undrain,
}
