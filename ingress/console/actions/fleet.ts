import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import { countHeld, hosts } from '#sql/jobs/fleet.ts'
import * as controls from '#tasks/jobs/rules/controls.ts'
import { requirePool, requireTask } from '#tasks/jobs/rules/names.ts'
import { queues } from '#tasks/pools.ts'
import { counted } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { type Action, type ActionFields, read } from '../action.ts'

const OfPool = z.object({ pool: z.string() })
const OfTask = z.object({ task: z.string() })
const OfHost = z.object({ host: z.string() })
const Reason = z.object({ reason: z.string().trim().max(200).optional() })

const poolOf = async (_: DatabasePool, given: ActionFields): Promise<controls.Target> => ({
  pool: requirePool(read(OfPool, given).pool),
  task: '',
})

const taskOf = async (db: DatabasePool, given: ActionFields): Promise<controls.Target> =>
  await requireTask(db, read(OfTask, given).task)

const reasonField = html`<div class="fields"><div class="wide"><label for="reason">Reason (optional)</label>
<input id="reason" name="reason" maxlength="200" autocomplete="off"></div></div>`

function pausing(kind: 'pool' | 'task', targetOf: typeof poolOf): { pause: Action; resume: Action } {
  const named = ({ pool, task }: controls.Target) => `${kind} ${task || pool}`
  return {
    pause: {
      async question(db, given) {
        const title = `Pause ${named(await targetOf(db, given))}?`
        const text = 'Applies to every host until you resume. Running jobs finish. New jobs are queued.'
        return { title, text, button: 'Pause', fields: reasonField }
      },
      async perform(db, given, { actor }) {
        const target = await targetOf(db, given)
        const reason = read(Reason, given).reason || undefined
        const changed = await controls.pause(db, target, { actor, reason })
        return changed ? `Paused ${named(target)}.` : `${named(target)} was already paused.`
      },
    },
    resume: {
      async question(db, given) {
        return {
          title: `Resume ${named(await targetOf(db, given))}?`,
          text: 'Pending jobs start immediately.',
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
    const text = `The workers on this host start no new jobs until you undo this action. They finish the ${counted(held, 'job')} in progress. You can then stop the host.`
    return { title: `Drain ${host}?`, text, button: 'Drain host' }
  },
  async perform(db, given, { actor }) {
    const host = await hostOf(db, given)
    return (await controls.drain(db, host, actor)) ? `Draining ${host}.` : `${host} was already draining.`
  },
}

const undrain: Action = {
  async question(db, given) {
    const host = await hostOf(db, given)
    return {
      title: `Start jobs on ${host} again?`,
      text: 'The workers on this host fetch jobs immediately.',
      button: 'Start jobs again',
    }
  },
  async perform(db, given, { actor }) {
    const host = await hostOf(db, given)
    return (await controls.undrain(db, host, actor)) ? `${host} starts jobs again.` : `${host} was not draining.`
  },
}

const pool = pausing('pool', poolOf)
const task = pausing('task', taskOf)

export const fleetActions: Readonly<Record<string, Action>> = {
  'pause-pool': pool.pause,
  'resume-pool': pool.resume,
  'pause-task': task.pause,
  'resume-task': task.resume,
  'drain-host': drain,
  'undrain-host': undrain,
}
