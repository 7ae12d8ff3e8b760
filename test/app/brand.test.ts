import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { storage } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { testStore } from '../support/video-stack.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const store = await testStore(t)
const { url } = await testIngress(t, db, [], {
  only: ['app', 'account', 'directory', 'video'],
  services: [provide(storage, store.storage)],
})
const { org, keys } = await testOrg(db, ['streaming:write'])
const admin = await signedIn(db, url, org.id, 'admin')
const set = (color: string) => submit(url, '/app/settings/brand', admin, { color })

/** Relative luminance and contrast, as WCAG 2.2 defines them. */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [one, other]
    .map((color) =>
      [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
        const share = Number.parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16) / 255
        return sum + weight * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
      }, 0),
    )
    .sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

t.test('public pages have the name and the colour of the organisation, with the contrast of text', async (t) => {
  const made = await ask(url, 'POST /v1/streaming/playlists', {
    key: keys.main,
    body: { title: 'Engines', visibility: 'public' },
  })
  const path = `/watch/playlists/${made.body.id}`
  t.match((await ask(url, `GET ${path}`)).text, `<p class="publisher">${org.name}</p>`)
  for (const color of ['#ffcc00', '#001133', '#ffffff', '#000000', '#d4145a', '#808080']) {
    t.match(await set(color.toUpperCase()), { status: 303 })
    const page = await ask(url, `GET ${path}`)
    const style = /<style>(:root\{--link:.*?)<\/style>/.exec(page.text)?.[1] ?? ''
    const shown = [...style.matchAll(/--strong:(#\w{6});--on-strong:(#\w{6})/g)]
    t.equal(shown.length, 2, 'one for light, one for dark')
    for (const [i, background] of ['#ffffff', '#151d23'].entries()) {
      const [, strong = '', on = ''] = shown[i] ?? []
      t.ok(contrast(strong, background) >= 4.5 && contrast(on, strong) >= 4.5, `${color} on ${background}`)
    }
    t.match(page.headers.get('content-security-policy'), /style-src 'sha256-\S+' 'sha256-\S+';/)
  }
})

t.test('what is no colour is told beside the field, and a developer cannot set one', async (t) => {
  for (const color of ['red', '#fff', '#12345g', '#ffcc00;}']) {
    const page = await set(color)
    t.equal(page.status, 400)
    t.match(page.text, /id="color-fault">must be a colour such as #0a6282/)
  }
  t.equal((await set('')).status, 303)
  t.match((await get(url, '/app/settings', admin)).text, /Brand colour<\/dt><dd>none/)
  const developer = await signedIn(db, url, org.id, 'developer')
  t.equal((await submit(url, '/app/settings/brand', developer, { color: '#ffcc00' })).status, 403)
})
