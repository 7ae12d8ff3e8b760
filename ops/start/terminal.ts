import { z } from 'zod'

const Entry = z.object({
  level: z.number(),
  msg: z.string().optional(),
  pool: z.string().optional(),
  err: z.union([z.string(), z.object({ message: z.string() })]).optional(),
})

const words: Record<number, string> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' }

// A closed terminal must not end the processes.
process.stdout.on('error', () => {})

export function say(name: string, text: string): void {
  process.stdout.write(`${new Date().toTimeString().slice(0, 8)} ${name.padEnd(12)} ${text}\n`)
}

/** Returns the short form of a log line for the terminal: warnings and errors, and lines that are not JSON. */
export function formatForTerminal(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() || undefined
  const entry = parse(line)
  if (!entry) return line
  if (entry.level < 40) return undefined
  const cause = typeof entry.err === 'string' ? entry.err : entry.err?.message
  const pool = entry.pool === undefined ? '' : ` (pool ${entry.pool})`
  return `${words[entry.level] ?? ''}${[entry.msg, cause].filter(Boolean).join(': ')}${pool}`
}

function parse(line: string): z.infer<typeof Entry> | undefined {
  try {
    return Entry.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
