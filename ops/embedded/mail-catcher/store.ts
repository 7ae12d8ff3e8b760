import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'

export const Envelope = z.object({
  mail_from: z.string(),
  rcpt_to: z.array(z.string()),
  helo: z.string(),
  remote_address: z.string(),
  tls: z.boolean(),
})

export type Envelope = z.infer<typeof Envelope>

export const CaughtMessage = z.object({
  id: Id,
  received_at: z.iso.datetime(),
  bytes: z.number(),
  envelope: Envelope,
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  message_id: z.string(),
})

export type CaughtMessage = z.infer<typeof CaughtMessage>

export interface Bounds {
  messages: number
  bytes: number
}

export interface Store {
  /** Stores a message. Resolves when it is on disk. */
  add(source: Buffer, facts: Omit<CaughtMessage, 'id' | 'received_at' | 'bytes'>): Promise<CaughtMessage>
  list(query?: string): readonly CaughtMessage[]
  find(id: string): CaughtMessage | undefined
  source(id: string): Promise<Buffer>
  clear(): Promise<void>
  watch(tell: () => void): () => void
}

/** Opens the messages of a folder. Creates the folder if needed. Removes incomplete files of a killed process. */
export async function openStore(dir: string, bounds: Bounds): Promise<Store> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const kept = new Map<string, CaughtMessage>()
  const watchers = new Set<() => void>()
  let bytes = 0
  const path = (id: string, ending: 'eml' | 'json') => join(dir, `${id}.${ending}`)
  const tell = () => {
    for (const watcher of watchers) watcher()
  }

  for (const name of (await readdir(dir)).sort()) {
    const [id = '', ending] = name.split('.')
    if (ending === 'eml') continue
    const facts = ending === 'json' ? await readFacts(path(id, 'json')) : undefined
    if (facts && (await stat(path(id, 'eml')).catch(() => undefined))) {
      kept.set(id, facts)
      bytes += facts.bytes
    } else await rm(join(dir, name), { force: true })
  }
  for (const name of await readdir(dir))
    if (!kept.has(name.split('.')[0] ?? '')) await rm(join(dir, name), { force: true })
  await drop()

  /**
   * Deletes the oldest messages that exceed the bounds. Metadata is deleted first, so that no missing message is
   * listed.
   */
  async function drop(): Promise<void> {
    for (const { id, bytes: size } of kept.values()) {
      if (kept.size <= bounds.messages && bytes <= bounds.bytes) return
      kept.delete(id)
      bytes -= size
      await rm(path(id, 'json'), { force: true })
      await rm(path(id, 'eml'), { force: true })
    }
  }

  return {
    async add(source, facts) {
      const caught: CaughtMessage = {
        id: newId(),
        received_at: new Date().toISOString(),
        bytes: source.length,
        ...facts,
      }
      await writeFile(path(caught.id, 'eml'), source, { mode: 0o600 })
      await writeFile(`${path(caught.id, 'json')}.new`, JSON.stringify(caught), { mode: 0o600 })
      await rename(`${path(caught.id, 'json')}.new`, path(caught.id, 'json'))
      kept.set(caught.id, caught)
      bytes += caught.bytes
      await drop()
      tell()
      return caught
    },
    list(query = '') {
      const words = query.toLowerCase().split(/\s+/).filter(Boolean)
      const all = [...kept.values()].reverse()
      return words.length === 0 ? all : all.filter((caught) => words.every((word) => textOf(caught).includes(word)))
    },
    find: (id) => kept.get(id),
    source: (id) => readFile(path(id, 'eml')),
    async clear() {
      const ids = [...kept.keys()]
      kept.clear()
      bytes = 0
      for (const id of ids) for (const ending of ['json', 'eml'] as const) await rm(path(id, ending), { force: true })
      tell()
    },
    watch(tell) {
      watchers.add(tell)
      return () => watchers.delete(tell)
    },
  }
}

const textOf = ({ from, to, subject, message_id, envelope }: CaughtMessage): string =>
  [from, to, subject, message_id, envelope.mail_from, ...envelope.rcpt_to].join('\n').toLowerCase()

async function readFacts(path: string): Promise<CaughtMessage | undefined> {
  try {
    return CaughtMessage.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
  } catch {
    return undefined
  }
}
