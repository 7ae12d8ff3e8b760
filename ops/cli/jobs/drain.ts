import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { DatabasePool } from '#sql/db.ts'
import * as current from '#sql/jobs/controls.ts'
import * as fleet from '#sql/jobs/fleet.ts'
import * as controls from '#tasks/jobs/rules/controls.ts'
import { queues } from '#tasks/pools.ts'
import { json, line, number } from '../output.ts'
import { progress } from '../progress.ts'
import { actor, withDatabase } from '../session.ts'
import { CommandError, UsageError } from '../usage.ts'

export function declare(program: Command): void {
  program
    .command('drain')
    .description('stop starting jobs on a host, and wait until it is idle')
    .argument('<host>', 'host name (see `millrace workers`)')
    .option('--no-wait', 'do not wait')
    .option('--timeout <seconds>', 'maximum time to wait in seconds; exits with 1 if jobs are still running')
    .option('--undo', 'start jobs on the host again')
    .option('--json', 'print JSON')
    .action(run)
}

interface Options {
  wait: boolean
  timeout?: string
  undo?: boolean
  json?: boolean
}

async function run(host: string, options: Options): Promise<void> {
  const seconds = options.timeout === undefined ? Number.POSITIVE_INFINITY : Number(options.timeout)
  if (!(seconds > 0)) throw new UsageError('--timeout must be a number of seconds above 0')
  await withDatabase(async (db) => {
    await demandHost(db, host)
    if (options.undo) return await undo(db, host, options)
    const changed = await controls.drain(db, host, actor())
    const left = options.wait ? await emptied(db, host, seconds, options) : await fleet.countDraining(db, queues, host)
    if (options.json) json({ host, draining: true, changed, running: left.held })
    else line(sentence(host, left, options.wait))
    if (options.wait && left.held > 0) process.exitCode = 1
  })
}

function sentence(host: string, { held }: { held: number }, waited: boolean): string {
  if (held === 0 && waited)
    return `${host} is idle and starts no more jobs. Undo this with \`millrace drain ${host} --undo\`.`
  return `${host} starts no more jobs; ${number(held)} jobs are still running there.`
}

async function undo(db: DatabasePool, host: string, options: Options): Promise<void> {
  const changed = await controls.undrain(db, host, actor())
  if (options.json) return json({ host, draining: false, changed })
  line(changed ? `${host} starts jobs again.` : `${host} was not draining.`)
}

async function demandHost(db: DatabasePool, host: string): Promise<void> {
  const known = new Set([...(await fleet.hosts(db)), ...(await current.drains(db))])
  if (known.has(host)) return
  const there = known.size > 0 ? `The hosts are ${[...known].join(', ')}.` : 'No host has workers.'
  throw new UsageError(`Unknown host "${host}". ${there}`)
}

/**
 * Waits until the host's workers have received the drain and hold no jobs. After `seconds`, returns the remaining jobs.
 */
async function emptied(db: DatabasePool, host: string, seconds: number, options: Options) {
  const end = Date.now() + seconds * 1000
  let left = await fleet.countDraining(db, queues, host)
  const most = left.held
  const bar = progress(`drain ${host}`, most, options.json)
  while ((left.held > 0 || left.fetching > 0) && Date.now() < end) {
    await pause(250)
    left = await fleet.countDraining(db, queues, host)
    bar.at(Math.max(0, most - left.held), most)
  }
  bar.end()
  if (left.held === 0 && left.fetching > 0) throw new CommandError(`Some workers on ${host} have not started draining.`)
  return left
}
