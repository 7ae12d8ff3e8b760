import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A guide: the Markdown file that lies beside what it explains. */
export interface Guide {
  name: string
  /** From the repository's root. */
  path: string
  title: string
  markdown: string
}

/** Guides under one heading of the contents. */
export interface Chapter {
  title: string
  guides: readonly Guide[]
}

let read: readonly Chapter[] | undefined

/** Every guide, by chapter; read once, when somebody first looks. */
export function chapters(): readonly Chapter[] {
  read ??= [
    chapter('Begin', [
      ['start', 'README.md'],
      ['node', 'sdk/node/README.md'],
      ['python', 'sdk/python/README.md'],
    ]),
    chapter('Areas', ofAreas()),
    chapter('Run it', [
      ['console', 'ingress/console/README.md'],
      ['workers', 'workers/README.md'],
      ['janus', 'workers/rooms/README.md'],
      ['ops', 'ops/README.md'],
      ['configure', 'ops/CONFIGURE.md'],
      ['operate', 'ops/OPERATE.md'],
      ['benchmarks', 'ops/BENCHMARKS.md'],
      ['deploy', 'ops/deploy/README.md'],
      ['postgres', 'ops/deploy/POSTGRES.md'],
      ['scale', 'ops/deploy/SCALE.md'],
    ]),
  ]
  return read
}

/** Whether the installation has a file or folder of the repository. */
export const isHere = (path: string): boolean => !path.startsWith('..') && existsSync(`${root}/${path}`)

/** Where the documentation shows a file or folder of the repository that a guide links to. */
export const fileUrl = (path: string): string => `/docs/files/${path.replaceAll('/', '~')}`

/** The path of a file or folder on disk. */
export const onDisk = (path: string): string => `${root}/${path}`

export const guides = (): readonly Guide[] => chapters().flatMap((part) => part.guides)

const ofAreas = (): [name: string, path: string][] =>
  readdirSync(`${root}/ingress`)
    .filter((area) => area !== 'console')
    .map((area) => [area, `ingress/${area}/README.md`])

function chapter(title: string, files: [name: string, path: string][]): Chapter {
  const there = files.filter(([, path]) => existsSync(`${root}/${path}`))
  const guidesOf = there.map(([name, path]) => {
    const markdown = readFileSync(`${root}/${path}`, 'utf8')
    const [, heading = name] = /^# (.+)$/m.exec(markdown) ?? []
    const title = name === 'start' ? 'Start here' : heading.replace(/: (a |the )?guide$/i, '')
    return { name, path, title, markdown }
  })
  return { title, guides: guidesOf }
}
