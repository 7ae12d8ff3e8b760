import t from 'tap'
import { get, signedIn, submit } from '../app/fixture.ts'
import { testOrg } from '../support/ingress.ts'
import { directoryStack } from './directory-stack.ts'

t.setTimeout(240_000)
const { db, ingress, asset } = await directoryStack(t, ['app', 'account'])
const { url } = ingress
const { org } = await testOrg(db, [], { plan: 'unlimited' })
const [developer, viewer] = [await signedIn(db, url, org.id, 'developer'), await signedIn(db, url, org.id, 'viewer')]
const stranger = await signedIn(db, url, (await testOrg(db, [])).org.id, 'developer')

t.test('a member makes a playlist, gives it another order and deletes it', async (t) => {
  const [one, two] = [
    await asset({ title: 'One' }, org.id),
    await asset({ title: '<b>Two</b>', visibility: 'signed' }, org.id),
  ]
  t.match((await get(url, '/app/playlists', viewer)).text, 'No playlists yet')
  t.notMatch((await get(url, '/app/playlists', viewer)).text, '/app/playlists/new')
  const given = {
    title: '<i>First</i>',
    description: 'a\r\nb',
    visibility: 'unlisted',
    videos: `${url}/watch/${one}?x=1\r\n\r\n ${two} `,
  }
  const made = await submit(url, '/app/playlists/new', developer, given)
  t.equal(made.status, 303, made.text)
  const path = new URL(made.headers.get('location') ?? '', url).pathname
  const page = (await get(url, path, developer)).text
  t.match(page, '&lt;i&gt;First&lt;/i&gt;')
  t.match(page, '&lt;b&gt;Two&lt;/b&gt;')
  t.match(page, 'no, not public')
  t.notMatch(page, /<i>First|<b>Two/)
  t.match((await get(url, '/app/playlists', viewer)).text, '1 of 2 listed')
  t.match((await get(url, `${path}/change`, developer)).text, `${one}\n${two}</textarea>`)
  const bad = await submit(url, `${path}/change`, developer, { ...given, title: '', videos: 'nonsense' })
  t.equal(bad.status, 400)
  t.match(bad.text, 'id="title-fault"')
  t.match(bad.text, 'id="videos-fault"')
  t.equal((await submit(url, `${path}/change`, developer, { ...given, videos: two })).status, 303)
  t.match((await get(url, '/app/playlists', viewer)).text, '0 of 1 listed')
  for (const change of [`${path}/change`, `${path}/delete`]) {
    t.equal((await submit(url, change, viewer, given)).status, 403)
    t.equal((await submit(url, change, stranger, given)).status, 404)
  }
  t.equal((await get(url, path, stranger)).status, 404)
  t.equal((await submit(url, `${path}/delete`, developer, {})).status, 303)
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('a member names the sites that may show players', async (t) => {
  const path = '/app/videos/embedding'
  t.match((await get(url, '/app/videos', developer)).text, path)
  t.equal((await submit(url, path, viewer, { origins: '' })).status, 403)
  const bad = await submit(url, path, developer, { origins: 'https://a.example\nnonsense' })
  t.match([bad.status, bad.text], [400, 'id="origins-fault"'])
  t.equal((await submit(url, path, developer, { origins: 'https://a.example\r\nhttps://*.b.example\r\n' })).status, 303)
  t.match((await get(url, path, developer)).text, 'https://a.example\nhttps://*.b.example</textarea>')
  t.notMatch((await get(url, path, stranger)).text, 'a.example</textarea>')
})
