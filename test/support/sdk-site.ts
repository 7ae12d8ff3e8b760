import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import ts from 'typescript'
import type { Scope } from './postgres.ts'

/** Folder of the client for Node and browsers. */
const sdk = new URL('../../sdk/node/', import.meta.url)

export async function sdkSite(t: Scope): Promise<string> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://page')
    if (pathname === '/')
      return response.setHeader('content-type', 'text/html').end('<!doctype html><title>Site</title>')
    if (pathname === '/room.html')
      return response.setHeader('content-type', 'text/html').end(await readFile(new URL('examples/room.html', sdk)))
    const source = new URL(`src/${pathname.replace('/millrace/', '').replace('.js', '.ts')}`, sdk)
    const text = await readFile(source, 'utf8').catch(() => undefined)
    if (text === undefined) return response.writeHead(pathname === '/favicon.ico' ? 204 : 404).end()
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 }
    const { outputText } = ts.transpileModule(text.replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"), {
      compilerOptions: options,
    })
    response.setHeader('content-type', 'text/javascript').end(outputText)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
