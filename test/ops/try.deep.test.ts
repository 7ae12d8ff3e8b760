/** The image and the Compose file on containers that run, where this host can have them. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'

t.setTimeout(1_800_000)

const script = fileURLToPath(new URL('../../ops/deploy/try.sh', import.meta.url))

/** The status that it ends with and what it said. */
const run = (variables: Record<string, string>) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    const child = execFile(
      '/bin/bash',
      [script],
      { env: childEnvironment(variables), maxBuffer: 2 ** 26 },
      (_, out, err) => resolve({ code: child.exitCode ?? -1, said: out + err }),
    )
  })

t.test('a host without podman is told so, and nothing is done', async (t) => {
  t.match(await run({ PATH: t.testdir({}) }), { code: 77, said: /^try: this host cannot run the test: / })
})

t.test('the image is built, the Compose file comes up, the tour succeeds, engines are walled off', async (t) => {
  const { code, said } = await run({})
  if (code === 77) return t.comment(said)
  t.equal(code, 0, said)
  t.match(said, /the worker can isolate engines, and no other service can use unshare/)
  t.match(said, /tour +ready: renditions /, 'a video was transcoded inside')
  t.match(
    said,
    /the worker isolated every observed engine that opened a file: \d+ runs, without network and with limits/,
  )
  t.match(said, /tour +done\n[\s\S]*try: works/)
})
