import type { Command } from 'commander'
import { Id } from '#lib/ids.ts'
import * as orgs from '#sql/account/orgs.ts'
import type { Db } from '#sql/db.ts'
import { type Filter, State } from '#sql/jobs/filter.ts'
import { requirePool, requireTask } from '#tasks/jobs/rules/names.ts'
import { OptionErrors, UsageError } from './usage.ts'

export interface FilterOptions {
  pool?: string
  task?: string
  state?: string
  org?: string
  olderThan?: string
  newerThan?: string
  search?: string
  error?: string
}

const states = [...State.options, 'open'] as const

export function withFilters(command: Command): Command {
  return command
    .option('-p, --pool <pool>', 'filter by pool')
    .option('-t, --task <task>', 'filter by task, such as video/probe')
    .option('-s, --state <state>', `filter by state: ${states.join(', ')} (waiting for any reason)`)
    .option('-o, --org <org>', 'filter by organisation (ID or name)')
    .option('--older-than <age>', 'minimum age, such as 30s, 10m, 2h or 7d')
    .option('--newer-than <age>', 'maximum age, such as 30s, 10m, 2h or 7d')
    .option('--search <text>', 'filter by text in an ID, request, subject, payload or error')
    .option('--error <fingerprint>', 'filter by error fingerprint (see `millrace errors`)')
}

/** Returns the filter for the options. Throws a `UsageError` that lists every invalid option. */
export async function readFilter(db: Db, options: FilterOptions, faults = new OptionErrors()): Promise<Filter> {
  const filter: Filter = {
    pool: faults.read('--pool', options.pool, requirePool),
    task: (await faults.look('--task', options.task, (name) => requireTask(db, name)))?.task,
    state: faults.read('--state', options.state, readState),
    org: await faults.look('--org', options.org, (name) => findOrg(db, name)),
    before: faults.read('--older-than', options.olderThan, ago),
    after: faults.read('--newer-than', options.newerThan, ago),
    search: faults.read('--search', options.search, demandText),
    fingerprint: options.error,
  }
  faults.demandNone()
  return filter
}

function readState(text: string): NonNullable<Filter['state']> {
  const found = states.find((name) => name === text)
  if (found) return found
  throw new UsageError(`unknown state "${text}"; the states are ${states.join(', ')}`)
}

function demandText(text: string): string {
  if (text === '' || text.length > 200) throw new UsageError('must have 1 to 200 characters')
  return text
}

/** Returns the ID of an organisation by its ID or name. Throws `UsageError` if it does not exist. */
export async function findOrg(db: Db, name: string): Promise<string> {
  const org = Id.safeParse(name).success ? await orgs.find(db, name) : await orgs.findByName(db, name)
  if (org) return org.id
  throw new UsageError(`unknown organisation "${name}"; \`millrace orgs\` lists all`)
}

const units: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

function milliseconds(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? []
  if (!amount || !unit) throw new UsageError(`"${text}" is not a duration; for example, 30s, 10m, 2h or 7d`)
  return Number(amount) * (units[unit] ?? 0) * 1000
}

/** Returns a time in the past. Examples: 30s, 10m, 2h, 7d. */
export const ago = (text: string) => new Date(Date.now() - milliseconds(text))

/** Returns a time: `now`, a duration from now (`+10m`), or a date with time (ISO 8601). */
export function readInstant(text: string): Date {
  if (text === 'now') return new Date()
  if (text.startsWith('+')) return new Date(Date.now() + milliseconds(text.slice(1)))
  const at = new Date(text)
  const sane = /^\d{4}-\d{2}-\d{2}/.test(text) && at.getTime() > 0 && at.getFullYear() < 2200
  if (!sane) throw new UsageError(`"${text}" is not a time; for example, now, +10m, +2d or 2030-01-31T08:00:00Z`)
  return at
}
