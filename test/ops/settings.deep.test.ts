import { test } from 'tap'
import { freePort } from '../support/postgres.ts'
import { dataFolder, Stack } from '../support/stack.ts'

test('a setting that cannot be used ends the start with a line that names it', async (t) => {
  const nobody = `127.0.0.1:${await freePort()}`
  const store = { S3_ENDPOINT: `http://${nobody}`, S3_ACCESS_KEY: 'a', S3_SECRET_KEY: 'b' }
  const faults: [Record<string, string>, RegExp][] = [
    [{ HOST: '192.0.2.1' }, /HOST: 192\.0\.2\.1 is not an address of this machine\./],
    [{ DATABASE_URL: 'db.example/millrace' }, /DATABASE_URL: must be a URL: postgres:/],
    [
      { DATABASE_URL: `postgres://me:hush@${nobody}/x` },
      new RegExp(`DATABASE_URL: the database ${nobody}/x cannot be used`),
    ],
    [
      { S3_ENDPOINT: 'ftp://x', PUBLIC_URL: 'x' },
      /PUBLIC_URL: must be a URL: http.*\n.*S3_ENDPOINT: must be a URL: http/,
    ],
    [{ PORT: 'abc' }, /PORT: must be a number, not "abc"/],
    [
      { PORT: '70000', SWEEP_MS: '7.5', LOG_LEVEL: 'loud', MEDIA_CONCURRENCY: '0', METRICS_TOKEN: 'hush' },
      /PORT: .*65535, not "70000"\n.*LOG_LEVEL: .*, not "loud"\n.*SWEEP_MS: must be a whole number, not "7.5"\n.*, not "0"\n.*METRICS_TOKEN: .*16 char/,
    ],
    [store, new RegExp(`S3_ENDPOINT: the store at http://${nobody} cannot be used`)],
  ]
  for (const [environment, line] of faults) {
    const stack = new Stack(await dataFolder(t), await freePort(), environment)
    t.same(await stack.ended(), [1, null])
    t.match(stack.output, line)
    t.notMatch(stack.output, /hush/)
  }
})
