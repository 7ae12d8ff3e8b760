import { randomBytes } from 'node:crypto'
import { log } from '#lib/log.ts'
import { createOrg } from '#sql/account/setup.ts'
import type { DatabasePool } from '#sql/db.ts'
import { embedSearch } from '#tasks/knowledge/embed-search.ts'
import { areas } from '../../../../ingress/areas.ts'
import { createApp } from '../../../../ingress/http/app.ts'
import { provide } from '../../../../ingress/http/container.ts'
import type { Questions } from '../../../../ingress/http/questions.ts'
import { listen } from '../../../../ingress/http/server.ts'
import { questions, signingSecret } from '../../../../ingress/http/services.ts'
import type { TestTables } from './grow.ts'
import { recordStatements } from './record.ts'
import { buildListRequests, findCountOperations, findListOperations, type ListRequest } from './requests.ts'
import { owner, rowId } from './rows.ts'
import type { Omission, Subject } from './subjects.ts'

export interface Lists {
  orgId: string
  /**
   * Returns the requests that return a list or a count. Lists all other requests with their status. Searches are for
   * `word`.
   */
  find(ground: TestTables, word: string): Promise<{ subjects: Subject[]; omitted: Omission[] }>
}

/** Starts an ingress with all areas and an organisation that can call every list and count. */
export async function startLists(db: DatabasePool, ends: AsyncDisposableStack): Promise<Lists> {
  log.level = 'warn'
  const operations = [...findListOperations(areas), ...findCountOperations(areas)]
  const scopes = [...new Set(operations.flatMap(({ route }) => route.scope ?? []))]
  const { org, keys } = await createOrg(db, 'bench', 'unlimited', { main: { prefix: 'bt_live_', scopes } })
  const services = [provide(signingSecret, randomBytes(24).toString('hex')), provide(questions, withoutVectors)]
  const app = createApp({ db, areas, services })
  const server = await listen(app, '127.0.0.1', 0)
  ends.defer(async () => {
    await server.close(0)
    await app.close()
  })
  const ask = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      headers: { authorization: `Bearer ${keys.main}` },
    })
    const body = await reply.text()
    return reply.ok ? undefined : `${reply.status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`.trim()
  }
  return {
    orgId: org.id,
    async find(ground, word) {
      const subjects: Subject[] = []
      const omitted: Omission[] = []
      for (const request of operations.flatMap((each) => buildListRequests(each, word))) {
        const { operation, path } = request
        const name = nameOf(request)
        const area = areaOf(operation)
        const record = () => recordStatements(() => ask(path))
        const reason = await ask(path)
        if (reason) omitted.push({ name, area, reason })
        else
          subjects.push({
            name,
            area,
            tables: await tablesOf(ground, record),
            run: () => ask(path),
            record,
          })
      }
      return { subjects, omitted }
    },
  }
}

/** Returns a name that is the same in each run, so that an interrupted run can continue. */
const nameOf = ({ operation, what }: ListRequest) =>
  `${operation.id} ${decodeURIComponent(what)}`
    .trim()
    .replaceAll(rowId(owner), 'id-1')
    .replaceAll(rowId(9), 'id-9')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'hour-ago')
    .replaceAll(/=\d{4}-\d\d-\d\d/g, '=today')

const areaOf = ({ id }: ListRequest['operation']) => id.split('.')[0] ?? id

async function tablesOf(ground: TestTables, record: Subject['record']): Promise<string[]> {
  return (await ground.readBy(await record())).map(({ name }) => name)
}

/** No worker runs, so a search of passages compares only words. */
const withoutVectors: Questions = {
  async ask(task) {
    if (task.name === embedSearch.name) return null as never
    throw new Error(`No worker answers ${task.name} during this measurement.`)
  },
  async close() {},
}
