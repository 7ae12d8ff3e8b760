import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { z } from 'zod'
import * as audit from '#sql/account/audit.ts'
import { json, line } from './output.ts'
import { CommandError, UsageError } from './usage.ts'

export function declare(program: Command): void {
  program
    .command('audit')
    .description('verify exported audit logs')
    .command('check')
    .description('verify the hash chain of an export (`GET /v1/account/audit/export`); needs no database')
    .argument('<file>')
    .option('--json', 'print JSON')
    .action(runCheck)
}

const Exported = audit.table.Row.extend({ created_at: z.iso.datetime().transform((text) => new Date(text)) })

async function runCheck(path: string, options: { json?: boolean }): Promise<void> {
  const input = createReadStream(path)
  let previous: z.output<typeof Exported> | undefined
  let first = 0
  let count = 0
  try {
    for await (const text of createInterface({ input })) {
      const entry = parse(text, ++count)
      if (previous) follow(previous, entry)
      else first = entry.number
      const { hash, ...rest } = entry
      if (audit.hashEntry(rest) !== hash) throw new CommandError(`Entry ${entry.number} was changed: its hash differs.`)
      previous = entry
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    throw new UsageError(`${path}: ${(error as Error).message}`)
  }
  if (!previous) throw new CommandError('This file contains no entries.')
  const { number: last, hash } = previous
  if (options.json) return json({ first, last, hash })
  line(`Entries ${first} to ${last} are unchanged. The last hash is ${hash}.`)
}

function parse(text: string, at: number): z.output<typeof Exported> {
  try {
    return Exported.parse(JSON.parse(text))
  } catch {
    throw new CommandError(`Line ${at} is not an entry of an audit log.`)
  }
}

function follow(previous: audit.Entry, entry: audit.Entry): void {
  if (entry.number !== previous.number + 1) {
    throw new CommandError(`Entries between ${previous.number} and ${entry.number} are missing.`)
  }
  if (entry.previous_hash !== previous.hash || entry.org_id !== previous.org_id) {
    throw new CommandError(`Entry ${entry.number} does not follow entry ${previous.number}.`)
  }
}
