import { readdirSync, readFileSync } from 'node:fs'
import type { Contract, Generated } from './document.ts'
import { areaModules } from './python-areas.ts'
import { eventsModule } from './python-events.ts'
import { operationsModule, pythonMethod } from './python-operations.ts'
import { synchronous } from './python-sync.ts'
import { PythonTypes } from './python-types.ts'

const folder = 'sdk/python/src/millrace'

const awaiting = new URL(`../../${folder}/_async/`, import.meta.url)

/**
 * Hand-written modules of the asynchronous client. The blocking client gets modules generated from these, except those
 * that are only for the asynchronous one.
 */
const written = readdirSync(awaiting).filter((name) => name.endsWith('.py') && name !== 'pending_page.py')

export function pythonFiles({ methods: all, schemas, events }: Contract): Generated[] {
  const types = new PythonTypes(schemas)
  const methods = all.map((method) => pythonMethod(method, types))
  const modules = [...types.modules()]
  return [
    { path: `${folder}/_operations.py`, text: operationsModule(methods) },
    { path: `${folder}/_known_events.py`, text: eventsModule({ events }) },
    { path: `${folder}/types/__init__.py`, text: typesTable(modules.map(([area]) => area)) },
    ...modules.map(([area, text]) => ({ path: `${folder}/types/${area}.py`, text })),
    ...['_async', '_sync'].flatMap((client) =>
      [...areaModules(methods, { awaited: client === '_async' })].map(([area, text]) => ({
        path: `${folder}/${client}/areas/${area}.py`,
        text,
      })),
    ),
    ...written.map((name) => ({
      path: `${folder}/_sync/${name}`,
      text: synchronous(readFileSync(new URL(name, awaiting), 'utf8')),
    })),
  ]
}

function typesTable(areas: string[]): string {
  const imports = areas.sort().map((area) => `from . import ${area} as ${area}\n`)
  return `# Made by \`npm run sdk\` from the document of the API.\n"""The types of bodies and answers, one module per area."""\n\n${imports.join('')}`
}
