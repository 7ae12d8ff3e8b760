import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Test, test } from 'tap'

const script = fileURLToPath(new URL('../../ops/setup.sh', import.meta.url))

/** Programs that write down how they were called, and do no more than set-up looks at. */
const programs = {
  'dpkg-query': 'grep -qx "$4" installed && echo installed',
  'apt-get': `echo "apt-get $*" >>calls
    [[ $* != *" install "* ]] && exit 0
    for word in "$@"; do [[ $word == s3cmd && -e no-s3cmd ]] && exit 100; done
    for word in "$@"; do echo "$word" >>installed; done`,
  npm: `echo "npm $* $PATH" >>calls
    rm -rf node_modules && mkdir -p node_modules/.bin node_modules/@tapjs/test/test-built/{node_modules,dist/esm}
    echo 'import "@tapjs/typescript"' >node_modules/@tapjs/test/test-built/dist/esm/index.js
    cp bin/tap node_modules/.bin/tap`,
  tap: 'echo "tap $*" >>calls; echo >node_modules/@tapjs/test/test-built/dist/esm/index.js',
  python3: 'exit 0',
  sudo: 'exit 1',
}

interface Tree {
  path: string
  /** Runs set-up; returns what it printed and which programs it called. */
  setUp(mode: string, as?: string[]): Promise<{ printed: string; calls: string }>
}

async function tree(t: Test): Promise<Tree> {
  const path = await mkdtemp(join(tmpdir(), 'millrace-setup-'))
  t.teardown(() => rm(path, { recursive: true }))
  await chmod(path, 0o777)
  await Promise.all(['ops', 'bin'].map((name) => mkdir(join(path, name))))
  await cp(script, join(path, 'ops/setup.sh'))
  await writeFile(join(path, 'package-lock.json'), '{}')
  await writeFile(join(path, 'installed'), 'curl\n')
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(path, 'bin', name), `#!/bin/bash\n${text}\n`, { mode: 0o755 })
  }
  const env = { PATH: `${path}/node_modules/.bin:${path}/bin:/usr/sbin:/usr/bin:/sbin:/bin`, CI: 'true' }
  return {
    path,
    async setUp(mode, as = []) {
      await writeFile(join(path, 'calls'), '')
      await chmod(join(path, 'calls'), 0o666)
      const [file = 'bash', ...args] = [...as, 'bash', 'ops/setup.sh', mode]
      const { stdout } = await promisify(execFile)(file, args, { cwd: path, env })
      return { printed: stdout, calls: await readFile(join(path, 'calls'), 'utf8') }
    },
  }
}

const isRoot = process.getuid?.() === 0

test('what is missing is installed once, and then there is nothing to do or say', async (t) => {
  const { path, setUp } = await tree(t)
  if (!isRoot) await writeFile(join(path, 'bin/sudo'), '#!/bin/bash\nshift; exec "$@"\n')
  const first = await setUp('test')
  t.match(
    first.printed,
    /^setup: installing npm packages .*\nsetup: installing Debian packages: ffmpeg .*\nsetup: building/,
  )
  t.match(
    first.calls,
    /^npm ci .*\napt-get .*update\napt-get .*install -y --no-install-recommends ffmpeg .*\ntap build\n$/,
  )
  t.notMatch(first.calls, `${path}/node_modules/.bin:`, 'npm ci does not run on the Node that it replaces')
  t.notMatch(first.calls, /install .* curl /, 'what is there is left alone')
  t.same(await setUp('test'), { printed: '', calls: '' })
  t.same(await setUp('start'), { printed: '', calls: '' })
  t.match(
    (await setUp('deep')).calls,
    /^apt-get .*update\napt-get .*install -y --no-install-recommends ceph-base [^\n]* firefox-esr [^\n]*\n$/,
    'what only the deep tests need',
  )
  t.same(await setUp('test'), { printed: '', calls: '' })

  await writeFile(join(path, 'package-lock.json'), '{ }')
  t.match((await setUp('start')).calls, /^npm ci/, 'a changed lock file is installed')
})

test('a package that the archive lacks costs the others nothing and is asked for once a day', async (t) => {
  const { path, setUp } = await tree(t)
  if (!isRoot) await writeFile(join(path, 'bin/sudo'), '#!/bin/bash\nshift; exec "$@"\n')
  await writeFile(join(path, 'no-s3cmd'), '')
  t.match(
    (await setUp('test')).printed,
    /some features are disabled because these packages could not be installed: s3cmd\n/,
  )
  t.match(await readFile(join(path, 'installed'), 'utf8'), /^chromium$/m)
  const again = await setUp('test')
  t.match(
    again.printed,
    /^setup: some features are disabled because this machine's package archive does not have: s3cmd\n$/,
  )
  t.equal(again.calls, '')
})

test('who may not install packages is told the command, and set-up goes on', async (t) => {
  const { setUp } = await tree(t)
  const unprivileged = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : []
  const { printed, calls } = await setUp('start', unprivileged)
  t.match(
    printed,
    /some features are disabled because packages are missing. Run: sudo apt-get install -y --no-install-recommends ffmpeg clamav-daemon [a-z0-9. -]+ janus [a-z0-9. -]+ tesseract-ocr-eng espeak-ng\n/,
  )
  t.match(calls, /^npm ci/)
  t.notMatch(calls, 'apt-get')
})
