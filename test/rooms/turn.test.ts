import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import t from 'tap'
import { noCoturn, startCoturn } from '../support/coturn.ts'
import { roomsStack } from '../support/rooms-stack.ts'

t.test('a TURN server by the credentials of those who join', { skip: noCoturn }, async (t) => {
  const stack = await roomsStack(t)
  const turn = await startCoturn(t)
  await stack.startRooms(turn.environment)
  const ann = await stack.join(await stack.makeRoom(), 'ann')
  const { iceServers } = await ann.hears('joined')
  const [{ username, credential }] = iceServers
  const passwordOf = (name: string) => createHmac('sha1', turn.secret).update(name).digest('base64')
  const client = (name: string, password: string, ...more: string[]) =>
    relay(['-p', String(turn.port), '-u', name, '-w', password, '-n', '5', '-m', '1', ...more, '127.0.0.1'])

  await t.test('relays media over UDP and over TCP', async (t) => {
    for (const transport of [[], ['-t']])
      t.match(await client(username, credential, '-y', ...transport), /Total lost packets 0 /)
  })

  await t.test('refuses a credential that is over, or another’s', async (t) => {
    const over = username.replace(/^\d+/, String(Math.floor(Date.now() / 1000) - 1))
    for (const name of [over, `${username}2`]) {
      const password = name === over ? passwordOf(over) : credential
      t.match(await client(name, password, '-y'), /Cannot complete Allocation/)
    }
  })

  await t.test('reaches nothing of this machine’s own but the addresses of media', async (t) => {
    t.match(await client(username, credential, '-e', '127.0.0.1'), /error 403/)
  })
})

/** What coturn's client prints; it ends by itself, with or without success. */
const relay = (args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile('turnutils_uclient', args, { timeout: 20_000 }, (_, out, errors) => resolve(out + errors))
  })
