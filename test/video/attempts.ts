import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import type { VideoStack } from '../support/video-stack.ts'

const Attempt = z.object({
  run_id: z.string(),
  task: z.string(),
  attempt: z.number(),
  outcome: z.string().nullable(),
  started_at: z.date(),
})

/** An attempt at a task of an asset; `outcome` is null while it runs. */
export type Attempt = z.infer<typeof Attempt>

/** Reads the attempts at a stack's tasks, and holds their tools up so that they can be met at work. */
export function attempts({ db, data }: VideoStack) {
  const attemptsOf = (assetId: string, task: string) =>
    db.any(sql.type(Attempt)`
      select a.run_id, r.task, a.attempt, a.outcome, a.started_at from jobs.attempts as a join jobs.runs as r on r.id = a.run_id
      where r.subject = ${assetId} and r.task = ${task} order by a.started_at`)
  const running = async (assetId: string, task: string) =>
    (await attemptsOf(assetId, task)).filter(({ outcome }) => outcome === null)

  /** A program in a tool's place that waits while the file `gate` is there, if its arguments match, and then becomes the tool. */
  async function gated(
    tool: 'ffmpeg' | 'ffprobe',
    pattern: string,
  ): Promise<{ path: string; gate: string; reached: string }> {
    const [path, gate, reached] = ['tool', 'gate', 'reached'].map((name) => join(data, `${tool}-${name}`)) as [
      string,
      string,
      string,
    ]
    const wait = `echo > ${reached}; while [ -e ${gate} ]; do sleep 0.05; done`
    await writeFile(path, `#!/bin/sh\ncase "$*" in *${pattern}*) ${wait};; esac\nexec ${tool} "$@"\n`)
    await chmod(path, 0o755)
    await writeFile(gate, '')
    await rm(reached, { force: true })
    return { path, gate, reached }
  }

  return { attemptsOf, running, gated }
}
